import { type Known, isThere, knownAs } from '../../local/process-identity.ts';
import { parentOf, programOf } from '../../local/process-table.ts';

const LOOK_EVERY_MS = 1_000;
const SHELLS: readonly string[] = ['sh', 'dash', 'bash', 'zsh', 'busybox', 'ash'];

/**
 * Calls `then` when the npm (or npx) process that started this one is gone: a user who kills npm means this process, and no
 * signal arrives here. Does nothing without npm: a background program may outlive the shell that started it.
 *
 * @returns a function that ends the watch
 */
export function onNpmGone(env: Readonly<Record<string, string | undefined>>, then: () => void): () => void {
  if (env['npm_lifecycle_event'] === undefined) return () => undefined;
  const parent = process.ppid;
  const watched: Known[] = [knownAs(parent)];
  // npm starts a shell, which may stay in between.
  const above = SHELLS.includes(programOf(parent) ?? '') ? parentOf(parent) : null;
  if (above !== null) watched.push(knownAs(above));
  const timer = setInterval(() => {
    if (process.ppid === parent && watched.every(isThere)) return;
    clearInterval(timer);
    then();
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
