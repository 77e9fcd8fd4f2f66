import type { EpochMs } from '../../shared/domain/base/time.ts';
import type { OwnerKind } from '../../shared/domain/kinds/api-kinds.ts';

/** When an object fires, and what is shown of it. */
export type Timetable = {
  readonly kind: OwnerKind;
  /** `cronjob.batch/report` */
  readonly ref: string;
  readonly name: string;
  readonly namespace: string;
  readonly schedule: string;
  readonly zone: string;
  readonly wall: (at: EpochMs) => string;
  readonly slotsAfter: (after: EpochMs, count: number) => readonly EpochMs[];
  readonly jitterSec: number;
  readonly createdAt: (slot: EpochMs) => EpochMs | null;
  readonly whyNever: string;
  /** Why no slot makes a Job, and what changes that; null: slots do. */
  readonly pause: string | null;
};

/** Where an object comes from. */
type Target = { readonly server: string };

/** A row of the list of what has a schedule. */
export type TimedRow = {
  readonly namespace: string;
  readonly name: string;
  readonly schedule: string | null;
  readonly zone: string | null;
  readonly isSuspended: boolean;
  readonly active: number;
  /** In milliseconds since 1970; null: never. */
  readonly lastAt: number | null;
  readonly nextAt: EpochMs | null;
  readonly createdAt: number;
};

/** What `muster cron` does with objects of another kind than CronJob that make Jobs by a schedule. */
export type TimedKind = {
  readonly kind: OwnerKind;
  /** `jobconfig.execution.furiko.io/nightly` */
  readonly refTo: (name: string) => string;
  /** Has it a schedule? Of an object of the server. */
  readonly isTimed: (object: unknown) => boolean;
  /** @throws Failure when it has none, or never fires */
  readonly timetableOf: (object: unknown, target: Target) => Timetable;
  /** Judges an object of a file as the API would. `after`: the moment after which slots are wanted. */
  readonly timetableOfFile: (document: unknown, file: string, after: EpochMs) => Timetable;
  readonly rowOf: (object: unknown, target: Target, now: EpochMs) => TimedRow;
  /** What does with such an object what commands do with a CronJob: `muster disable NAME stops its schedule`. */
  readonly instead: Readonly<Record<CronAct, (name: string) => string>>;
};

/** What commands do with CronJobs only. */
export type CronAct = 'run-now' | 'backfill' | 'pause' | 'resume';
