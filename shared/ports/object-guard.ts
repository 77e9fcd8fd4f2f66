import type { StoredKind } from '../domain/kinds/api-kinds.ts';
import type { Held } from './held.ts';
import type { NotAllowed } from './job-commands.ts';
import type { ObjectKey } from './object-store.ts';

/** An object that is about to be stored for the first time. */
export type NewStored = { readonly kind: StoredKind; readonly uid: string; readonly key: ObjectKey };

/** One of the things that may speak against a new object. If it does not concern the object, it costs nothing. */
export type ObjectGuard = {
  /** Why the object would be refused now; null: it would not. Nothing is written. */
  check(object: NewStored): Promise<NotAllowed | null>;
  /** Takes what the object needs; null: nothing. A refusal has taken nothing. */
  take(object: NewStored): Promise<Held | NotAllowed | null>;
};
