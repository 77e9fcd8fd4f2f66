// Answers of /muster/v1, as far as the page reads them.
import type { Job } from './objects.ts';

export type Counts = {
  readonly succeeded: number;
  readonly inherited: number;
  readonly running: number;
  readonly starting: number;
  readonly stopping: number;
  readonly retrying: number;
  readonly failed: number;
  readonly waiting: number;
  readonly excluded: number;
  readonly held: number;
  readonly cancelled: number;
  readonly failedAttempts: number;
};

export type Wait = {
  readonly cause: string;
  readonly count: number;
  readonly message: string;
  readonly since: string | null;
  readonly etaSeconds: number | null;
  readonly nextTrySeconds: number | null;
};

export type Waits = { readonly summary: string | null; readonly waits: readonly Wait[] };

export type Progress = {
  readonly asOf: string;
  readonly job: Job;
  readonly counts: Counts;
  readonly indexes: Readonly<Record<string, string>> | null;
  readonly waits: Waits;
};

/** Why something ended as it did, as data: a kind with its numbers. */
export type Why = { readonly kind: string; readonly rule?: number; readonly action?: string };

export type FailureGroup = {
  readonly reason: string;
  readonly cause: string;
  readonly exitCode: number | null;
  readonly verdict: string;
  readonly why: Why;
  readonly stoppedWithJob: boolean;
  readonly count: number;
  readonly indexes?: string;
  readonly items?: readonly string[];
  readonly lastAt: string | null;
  readonly example: {
    readonly pod: string;
    readonly index?: number;
    readonly item?: string;
    readonly attempt: number;
    readonly log: readonly string[];
  };
};

export type Failures = {
  readonly failedAttempts: number;
  readonly more: boolean;
  readonly groups: readonly FailureGroup[];
};

export type Attempt = {
  readonly index?: number;
  readonly attempt: number;
  readonly pod: string;
  readonly item?: string;
  readonly fate: string;
  readonly tries: number;
  readonly node: string | null;
  readonly vcpu: number | null;
  readonly createdAt: string | null;
  readonly startedAt: string | null;
  readonly stoppedAt: string | null;
  readonly exitCode: number | null;
  readonly container: string | null;
  readonly reason: string;
  readonly cause: string;
  readonly verdict: string;
  readonly outcome: string;
  readonly why: Why;
  readonly stoppedWithJob: boolean;
};

export type Attempts = { readonly items: readonly Attempt[]; readonly metadata: { readonly continue: string } };

export type Finding = {
  readonly severity: string;
  readonly kind: string;
  readonly subject: string;
  readonly what: string;
  readonly since: string | null;
  readonly remedy: string;
};

export type Diagnosis = {
  readonly asOf: string;
  readonly healthy: boolean;
  readonly findings: readonly Finding[];
  readonly deadLetters?: readonly {
    readonly queue: string;
    readonly id: string;
    readonly job: string | null;
    readonly reason: string;
    readonly filedAt: string;
  }[];
  readonly dataFolder?: { readonly path: string; readonly bytes: number; readonly jobs: number };
  readonly continue?: string;
};

/** Cells of a Job's indexes: of all, or of the chunks that have changed since a cursor. */
export type GridAnswer = {
  readonly cursor: string;
  /** It takes the place of all that was known. */
  readonly complete: boolean;
  readonly completions: number;
  readonly states: readonly string[];
  readonly chunks: readonly { readonly first: number; readonly count: number; readonly cells: string }[];
};

/** Of how many attempts an answer is made. */
export type SampleSize = {
  readonly attempts: number;
  readonly indexes: number;
  readonly ofIndexes: number;
  readonly complete: boolean;
};

export type Summary = { readonly count: number } & Readonly<
  Record<'min' | 'p50' | 'p90' | 'p95' | 'p99' | 'max' | 'mean', number>
>;

/** How long attempts ran, in seconds, and how many took how long. */
export type Durations = {
  readonly sample: SampleSize;
  readonly runSeconds: Readonly<Record<'succeeded' | 'failed' | 'other', Summary | null>>;
  readonly startSeconds: Summary | null;
  readonly histogram: readonly ({ readonly from: number; readonly to: number } & Readonly<
    Record<'succeeded' | 'failed' | 'other', number>
  >)[];
};

/** When attempts started and ended. */
export type Timeline = {
  readonly sample: SampleSize;
  readonly running: number;
  readonly buckets: readonly {
    readonly from: string;
    readonly to: string;
    readonly started: number;
    readonly ended: number;
    readonly failed: number;
  }[];
};
