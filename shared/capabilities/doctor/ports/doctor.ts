import type { EpochMs } from '../../../domain/base/time.ts';
import type { Finding } from '../domain/finding.ts';
import type { KeptJobs } from '../domain/kept-jobs.ts';
import type { StoredDeadLetter } from '../../../ports/dead-letters.ts';
import type { DataFolderSize } from '../../../ports/gathered/folder-size.ts';

/** The result of a check, the worst first. No findings: healthy. */
export type Diagnosis = { readonly at: EpochMs; readonly findings: readonly Finding[] };

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
  /** A page of Jobs, checked by their rows only, without ECS. `next`: pass it as `after`; null: that was all. */
  jobs(page: DoctorsPage): Promise<DiagnosedPage>;
  /** The same page after a restore of the table: which indexes of its open Jobs run again. Asks ECS about their tasks. */
  restored(page: DoctorsPage): Promise<DiagnosedPage>;
  /** What belongs to no single Job, with the newest dead letters. `dataFolder` null: there is none, or it was not read. */
  installation(): Promise<
    Diagnosis & { readonly deadLetters: readonly StoredDeadLetter[]; readonly dataFolder: DataFolderView | null }
  >;
};
