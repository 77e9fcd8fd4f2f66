import type { OwnerKind } from '../kinds/api-kinds.ts';
import type { CronEvent, CronState } from './cron-state.ts';

/** What schedulers keep of an object beside it, by kind. A capability declares its own here (`declare module`). */
export interface SchedulerStates {
  readonly CronJob: CronState;
}

/** Of any kind: the newest Events are kept, oldest first. */
export type KeptEvents = { readonly events: readonly CronEvent[] };

/** A row for each kind whose objects make Jobs; the state is that of an object at which nobody has looked. */
export type FreshStates = { readonly [K in OwnerKind]: SchedulerStates[K] };
