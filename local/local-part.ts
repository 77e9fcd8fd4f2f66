import type { Deps, Settings } from '../shared/control/process/deps.ts';
import type { CapabilityPorts } from '../shared/ports/capability-ports.ts';
import type { Warn } from './warnings.ts';

/** Who hears of changes; each may be left out. */
export type ListenerOptions = {
  /** A command of the shell, run in the workspace. */
  readonly command?: string;
  readonly url?: string;
  /** Signs what is posted to `url`. */
  readonly signingKey?: string;
};

/** What `muster local` has of a capability. */
export type LocalPart = {
  readonly ports: Partial<CapabilityPorts>;
  readonly settings: Pick<Settings, 'announced'>;
  /** Ends what is under way, in `ms` at most. */
  close(ms: number): Promise<void>;
};

/** Opens it. null: nobody has asked for it. `deps`: of the runtime, once it has one. */
export type OpenLocalPart = (
  options: { readonly listeners?: ListenerOptions; readonly workspaceDir: string },
  deps: () => Deps,
  warn: Warn,
) => LocalPart | null;

/** Opens what capabilities keep in the data folder, whatever the flags are. */
export type OpenKeptPorts = (dataDir: string) => Partial<CapabilityPorts>;
