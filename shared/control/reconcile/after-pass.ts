import type { Fact } from '../../domain/base/fact.ts';
import type { Status } from '../../domain/scoreboard/status.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Deps } from '../process/deps.ts';

/** A pass whose commit is done: STATUS as it was loaded, and as it is now. */
export type CommittedStatus = {
  readonly spec: StoredSpec;
  readonly before: Status;
  readonly after: Status;
  readonly facts: readonly Fact[];
  /** It is this pass that tells others of the changes which STATUS lists: the commit has put off all other tries. */
  readonly announces: boolean;
};

/** What a pass does after its commit. If it does not concern the Job, it costs nothing. */
export type AfterPass = (pass: CommittedStatus, deps: Deps) => Promise<void>;
