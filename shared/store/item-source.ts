import type { ItemList } from '../domain/items/item-list.ts';
import type { ItemStore } from '../ports/item-store.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { NamedList } from '../schema/items/job-items-rules.ts';
import type { FieldError } from '../schema/object/field-error.ts';

/** Objects that Jobs have their items of. */
export type ItemSource = {
  /** The annotation by which a Job names one. */
  readonly key: string;
  readonly kind: string;
  /** What the object of this name holds now. */
  readonly find: (
    name: string,
    namespace: string,
    ports: { readonly objects: ObjectStore; readonly items: ItemStore },
  ) => Promise<NamedList>;
  /** The items of an object that is not stored, but stands beside a Job that is tried out. */
  readonly read: (document: unknown, namespace: string) => ReadSource;
};

export type ReadSource =
  | { readonly kind: 'ok'; readonly list: ItemList }
  /** It says that its items come later. */
  | { readonly kind: 'later' }
  | { readonly kind: 'undecodable'; readonly message: string }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] };
