import { noteAnnounced } from '../control/announce.ts';
import type { Deps } from '../../../control/process/deps.ts';
import type { Warn } from '../../../../local/warnings.ts';
import { commandListener } from './command-listener.ts';
import { type Listeners, tellListeners } from './tell-listeners.ts';
import { webhookListener } from './webhook-listener.ts';

export type { Listeners } from './tell-listeners.ts';

/** Who hears of changes; each may be left out. */
export type ListenerOptions = {
  /** A command of the shell, run in the workspace. */
  readonly command?: string;
  readonly url?: string;
  /** Signs what is posted to `url`. */
  readonly signingKey?: string;
};

/** null: nobody is to hear of changes. `deps`: of the runtime, once it has one. */
export function listenersOf(
  { listeners = {}, workspaceDir }: { readonly listeners?: ListenerOptions; readonly workspaceDir: string },
  deps: () => Deps,
  warn: Warn,
): Listeners | null {
  const { command, url, signingKey } = listeners;
  const all = [
    ...(command === undefined ? [] : [commandListener(command, workspaceDir)]),
    ...(url === undefined ? [] : [webhookListener(url, signingKey ?? null)]),
  ];
  if (all.length === 0) return null;
  return tellListeners(all, async (uid, version) => noteAnnounced(uid, version, deps()), warn);
}
