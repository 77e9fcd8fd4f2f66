import type { EpochMs } from '../domain/base/time.ts';
import type { SchedulerStates } from '../domain/schedulers/scheduler-states.ts';
import type { OwnerKind } from '../domain/kinds/api-kinds.ts';
import type { ObjectKey } from './object-store.ts';

type RowOf<Kind, State> = {
  readonly kind: Kind;
  /** The object's. */
  readonly uid: string;
  readonly key: ObjectKey;
  /** Guards the next write; 0: there is no row yet. */
  readonly version: number;
  readonly state: State;
  /** When somebody must look; null: never. */
  readonly alarmAt: EpochMs | null;
};

/** What a scheduler keeps of one object, of a kind whose objects make Jobs, beside the object. */
export type CronRow<K extends OwnerKind = OwnerKind> = { [Each in K]: RowOf<Each, SchedulerStates[Each]> }[K];

/** An object that makes Jobs, with an alarm. */
export type DueCron = { readonly uid: string; readonly alarmAt: EpochMs };

/** Schedulers' rows. Reads are strongly consistent, but for {@link CronStore.due}. Each method may be repeated. */
export type CronStore = {
  read(uid: string): Promise<CronRow | null>;
  /** Writes the row as its next version, if it is still at `row.version`. `lost`: another scheduler was first. */
  write(row: CronRow): Promise<{ readonly kind: 'written' | 'lost' }>;
  remove(uid: string): Promise<void>;
  /**
   * Those whose alarm is at `until` or before, earliest first. A row that was just written may be missing.
   * `next`: pass it as `after`; null: that was all.
   */
  due(page: { readonly until: EpochMs; readonly after: string | null; readonly limit: number }): Promise<{
    readonly crons: readonly DueCron[];
    readonly next: string | null;
  }>;
};
