import type { LaunchPace } from '../../domain/pending/waits.ts';
import type { JobManifest } from '../../domain/manifests/manifest.ts';
import type { LaunchTemplate } from '../../domain/task/task.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Fatal, Later } from '../../ports/tasks.ts';
import type { HostsOffer } from '../../schema/job/host-name-rules.ts';
import type { Deps } from './deps.ts';

/** What tasks must have before they are launched. If it does not concern a Job, it costs nothing. */
export type LaunchNeed = {
  readonly name: string;
  /** What this installation has of it for Jobs: that decides what they may ask for. */
  readonly offer: (deps: Pick<Deps, 'ports' | 'settings'>) => Offers;
  /** How fast it is made. */
  readonly pace: (deps: Pick<Deps, 'ports' | 'settings'>) => Pick<LaunchPace, 'namesPerSec'>;
  /** What tasks get of it in their environment, frozen in the Job's launch template. */
  readonly told: (manifest: JobManifest, deps: Pick<Deps, 'ports'>) => Pick<LaunchTemplate, 'zone'>;
  /** Makes it for these indexes, of one launch row. null: the tasks need none. */
  readonly prepare: (spec: StoredSpec, indexes: readonly number[], deps: Deps) => Promise<Prepared | null>;
};

/** What an installation has for Jobs that ask for it. */
export type Offers = { readonly hosts: HostsOffer };

/** Which indexes may be launched; an index in neither must be requested again. */
export type Prepared = {
  readonly ready: ReadonlySet<number>;
  /** It cannot be had, for now or (`fatal`) ever. */
  readonly refused: ReadonlyMap<number, Later | Fatal>;
};
