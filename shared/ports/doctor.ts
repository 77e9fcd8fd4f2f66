import type { EpochMs } from '../domain/brand.ts';
import type { FailureChart } from '../domain/failures.ts';
import type { Finding } from '../domain/finding.ts';
import type { Status } from '../domain/status.ts';
import type { FiledLetter } from './dead-letters.ts';
import type { StoredSpec } from './job-store.ts';

/** What an examination has found, the worst first. Empty findings: all is healthy. */
export type Diagnosis = { readonly at: EpochMs; readonly findings: readonly Finding[] };

export type JobFailures = FailureChart & { readonly spec: StoredSpec; readonly status: Status };

/**
 * Looks for what holds Jobs open and what is out of step. Nothing is changed by looking, and nothing is thrown: what
 * cannot be looked at is a finding. Every answer is bounded, however large the Job or the installation is.
 */
export type Doctor = {
  /** One Job, its tasks at ECS included; null: there is no such Job. */
  job(namespace: string, name: string): Promise<Diagnosis | null>;
  /** What of a Job has failed and why, with the last lines of a few logs; null: there is no such Job. Throws what the store throws. */
  failures(namespace: string, name: string): Promise<JobFailures | null>;
  /** A page of Jobs, as far as their rows tell: ECS is not asked. `next`: pass it as `after`; null: that was all. */
  jobs(page: {
    /** null: of all namespaces */
    readonly namespace: string | null;
    readonly after: string | null;
  }): Promise<Diagnosis & { readonly looked: number; readonly next: string | null }>;
  /** What belongs to no single Job, with the newest dead letters. */
  installation(): Promise<Diagnosis & { readonly letters: readonly FiledLetter[] }>;
};
