import type { OwnerKind } from '../kinds/api-kinds.ts';

/** What schedulers keep of an object beside it, by kind. A capability declares its own here (`declare module`). */
export interface SchedulerStates {}

/** A row for each kind whose objects make Jobs; the state is that of an object at which nobody has looked. */
export type FreshStates = { readonly [K in OwnerKind]: SchedulerStates[K] };
