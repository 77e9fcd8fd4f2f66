import type { Deps } from '../../../shared/control/process/deps.ts';
import type { OwnerKind } from '../../../shared/domain/kinds/api-kinds.ts';
import type { CronStore } from '../../../shared/ports/cron-store.ts';
import type { JobStore } from '../../../shared/ports/job-store.ts';
import type { ObjectStore } from '../../../shared/ports/object-store.ts';

/** What a play has in a world, beside what every world has. */
export type PlayNeeds = {
  /** Kinds of its objects that make Jobs: those are looked for when such an object is gone. */
  readonly owners?: readonly OwnerKind[];
  /** What the minute's sweep does for it. */
  readonly sweeps?: readonly ((deps: Deps) => Promise<unknown>)[];
  /** What its seeds come across, by the name under which a run counts it. */
  readonly sights: readonly string[];
};

/** Looks at what is stored, for a play: the same stores, which say what was written. */
export type PlayWatch = {
  watchJobs(jobs: JobStore): JobStore;
  watchObjects(objects: ObjectStore): ObjectStore;
  watchCrons?(crons: CronStore): CronStore;
};
