import type { JobUid, TaskArn } from '../../domain/base/ids.ts';
import type { StartDelay } from '../../domain/pending/start-delay.ts';

/** Why tasks that were accepted have not started, where that is known: in the ECS of this machine. On AWS nobody knows. */
export type StartDelays = {
  /** Of these tasks, by their ARN; a task that nothing delays is left out. */
  ofTasks(tasks: readonly TaskArn[]): ReadonlyMap<TaskArn, StartDelay>;
  /** Of all tasks of a Job. */
  ofJob(job: JobUid): readonly StartDelay[];
};
