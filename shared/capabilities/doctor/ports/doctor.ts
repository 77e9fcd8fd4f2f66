import type { EpochMs } from '../../../domain/base/time.ts';
import type { ItemOf } from '../../../domain/base/shown-index.ts';
import type { FailureSnapshot } from '../../../domain/failures/failures.ts';
import type { Finding } from '../domain/finding.ts';
import type { KeptJobs } from '../domain/kept-jobs.ts';
import type { Status } from '../../../domain/scoreboard/status.ts';
import type { StoredDeadLetter } from '../../../ports/dead-letters.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';

/** The result of a check, the worst first. No findings: healthy. */
export type Diagnosis = { readonly at: EpochMs; readonly findings: readonly Finding[] };

export type JobFailures = FailureSnapshot & {
  readonly spec: StoredSpec;
  readonly status: Status;
  /** What the first indexes of each group work on, and its example. */
  readonly itemOf: ItemOf;
};

/** What the embedded runtime's data folder takes of its disk, in all, and the parts that grow. */
export type DataFolderSize = {
  readonly path: string;
  readonly bytes: number;
  /** The file that holds Jobs; null: they are not in this folder. */
  readonly jobs: { readonly usedBytes: number; readonly fileBytes: number } | null;
  /** What tasks have printed. */
  readonly logsBytes: number;
  /** Records of tasks, of the last hour. */
  readonly tasksBytes: number;
};

export type DataFolderView = DataFolderSize & { readonly kept: KeptJobs };

/** `namespace` null: of all namespaces. */
export type DoctorsPage = { readonly namespace: string | null; readonly after: string | null };
export type DiagnosedPage = Diagnosis & { readonly checked: number; readonly next: string | null };

/**
 * Finds what keeps Jobs from finishing and what is inconsistent. A check changes nothing and throws nothing: if
 * something cannot be checked, that is a finding. Every answer is bounded, however large the Job or the installation.
 */
export type Doctor = {
  /** One Job, including its tasks in ECS; null if it does not exist. */
  job(namespace: string, name: string): Promise<Diagnosis | null>;
  /**
   * What has failed in a Job and why, with the last lines of a few logs; null if it does not exist. Throws what the store
   * throws.
   */
  failures(namespace: string, name: string): Promise<JobFailures | null>;
  /** A page of Jobs, checked by their rows only, without ECS. `next`: pass it as `after`; null: that was all. */
  jobs(page: DoctorsPage): Promise<DiagnosedPage>;
  /** The same page after a restore of the table: which indexes of its open Jobs run again. Asks ECS about their tasks. */
  restored(page: DoctorsPage): Promise<DiagnosedPage>;
  /** What belongs to no single Job, with the newest dead letters. `dataFolder` null: there is none, or it was not read. */
  installation(): Promise<
    Diagnosis & { readonly deadLetters: readonly StoredDeadLetter[]; readonly dataFolder: DataFolderView | null }
  >;
};
