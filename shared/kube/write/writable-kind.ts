import type { ManagedFieldsEntry } from '../../domain/manifest.ts';
import type { Fault } from '../../schema/fault.ts';
import type { FieldValidation, Undecodable } from '../../schema/read-object.ts';
import type { KubeObject } from '../kube-object.ts';
import type { Resource } from '../status-error.ts';

/**
 * What users change of objects that there are.
 *
 * @typeParam F what is known of an object that there is
 * @typeParam A an object that was admitted and may be stored
 */
type ChangeableKind<F extends Found, A> = {
  readonly resource: Resource;
  readonly apiVersion: string;
  /** Its name in the table of kinds. */
  readonly type: string;
  /** @param settled everything that was committed must be in its resourceVersion, as somebody is going to compare it */
  find(key: ObjectName, settled: boolean): Promise<F | null>;
  admitUpdate(found: F, document: unknown, fieldValidation: FieldValidation): AdmittedUpdate<A>;
  /** What `admitted` says, as users would see it; the server's own fields do not matter. */
  preview(admitted: A): KubeObject;
  replace(
    found: F,
    admitted: A,
    managedFields: readonly ManagedFieldsEntry[],
    changed: 'metadata' | 'spec',
  ): Promise<Replaced>;
};

/** A part of objects that is written at a path of its own below theirs. */
export type Subresource<F extends Found, A> = ChangeableKind<F, A> & { readonly subresource: 'status' | 'finalize' };

/**
 * A kind of objects that users write. The verbs (create, PUT, PATCH, apply, delete) are the same for all of them; a kind
 * says what is admitted and how it is stored.
 */
export type WritableKind<F extends Found, A> = ChangeableKind<F, A> & {
  readonly subresource?: undefined;
  admit(document: unknown, context: NewObject): Admitted<A>;
  /** The preview of a new object without what the server makes up, which nobody manages; left out: it makes up nothing. */
  readonly withoutGenerated?: (admitted: A) => object;
  create(admitted: A, managedFields: readonly ManagedFieldsEntry[]): Promise<Created>;
  /** What {@link create} would answer. */
  wouldCreate(admitted: A): Promise<Refusal | null>;
  remove(found: F, propagation: Propagation): Promise<Removed>;
  /** Why objects of this kind cannot leave behind what they have made; null: they can. */
  readonly orphans: string | null;
};

/** Whatever a PUT or a patch changes. */
export type Changeable<F extends Found, A> = WritableKind<F, A> | Subresource<F, A>;

/** `namespace` is '' for what has none. */
export type ObjectName = { readonly namespace: string; readonly name: string };

export type Found = { readonly object: KubeObject };

export type NewObject = {
  readonly namespace: string;
  readonly uid: string;
  readonly nameSuffix: string;
  readonly fieldValidation: FieldValidation;
};

type Invalid = { readonly kind: 'invalid'; readonly name: string; readonly faults: readonly Fault[] };

export type Admitted<A> =
  | { readonly kind: 'ok'; readonly admitted: A; readonly name: string; readonly warnings: readonly string[] }
  | Invalid
  | Undecodable;

export type AdmittedUpdate<A> =
  | {
      readonly kind: 'ok';
      readonly admitted: A;
      readonly warnings: readonly string[];
      readonly changed: 'nothing' | 'metadata' | 'spec';
    }
  | Invalid
  | Undecodable;

export type Refusal = 'taken' | 'noNamespace' | 'terminating';

/** `invalid`: as it is, there is no room for it. */
export type Created = { readonly kind: 'created'; readonly object: KubeObject } | { readonly kind: Refusal } | NoRoom;
type NoRoom = { readonly kind: 'invalid'; readonly faults: readonly Fault[] };

/** `lost`: somebody else has changed it since it was found. */
export type Replaced =
  | { readonly kind: 'replaced'; readonly object: KubeObject }
  | { readonly kind: 'lost' }
  | { readonly kind: 'gone' }
  | NoRoom;

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/** `terminating`: something holds it; it is shown until that has let go. */
export type Removed =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'terminating'; readonly object: KubeObject }
  | { readonly kind: 'lost' }
  | { readonly kind: 'gone' };
