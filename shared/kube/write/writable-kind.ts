import type { User } from '../../domain/callers/user.ts';
import type { ManagedFieldsEntry } from '../../domain/manifests/manifest.ts';
import type { CreationRefusal, NotAllowed, Unfit } from '../../ports/job-commands.ts';
import type { FieldError } from '../../schema/object/field-error.ts';
import type { Extent } from '../../schema/object/object-update.ts';
import type { FieldValidation, Undecodable } from '../../schema/object/read-object.ts';
import type { KubeObject } from '../http/kube-object.ts';
import type { Resource, StatusError } from '../http/status-error.ts';

/**
 * How users change existing objects.
 *
 * @typeParam F what we know about an existing object
 * @typeParam A an object that was admitted and may be stored
 */
type ChangeableKind<F extends FoundObject, A> = {
  readonly resource: Resource;
  readonly apiVersion: string;
  /** Its name in the table of kinds. */
  readonly type: string;
  /** @param published everything committed must be in its resourceVersion, because it will be compared */
  find(key: ObjectName, published: boolean): Promise<F | null>;
  admitUpdate(found: F, document: unknown, fieldValidation: FieldValidation): AdmittedUpdate<A>;
  /** Why this user must not write it, although the verb is granted; null: nothing speaks against it. Omitted: nothing ever does. */
  readonly objection?: (wish: Wish<F, A>) => Promise<StatusError | null>;
  /** `admitted` as users would see it; the server's own fields do not matter. */
  preview(admitted: A): KubeObject;
  replace(
    found: F,
    admitted: A,
    managedFields: readonly ManagedFieldsEntry[],
    changed: 'metadata' | 'spec',
    user: User,
  ): Promise<Replaced>;
  /** Why {@link replace} would refuse this now; null: it would not. Omitted: it never does for what others have stored. */
  readonly wouldReplace?: (found: F, admitted: A) => Promise<NotAllowed | null>;
};

/** Something that a user wants to store. */
export type Wish<F extends FoundObject, A> = {
  readonly user: User;
  /** What the request's path names; `name` is '' for a POST. */
  readonly at: ObjectName;
  /** null: it is new. */
  readonly found: F | null;
  readonly admitted: A;
  readonly changed: Extent;
};

/** A part of objects that is written at a path of its own below theirs. */
export type Subresource<F extends FoundObject, A> = ChangeableKind<F, A> & {
  readonly subresource: 'status' | 'finalize';
};

/**
 * A kind of object that users write. The verbs (create, PUT, PATCH, apply, delete) are the same for all of them; a kind says
 * what is admitted and how it is stored.
 */
export type WritableKind<F extends FoundObject, A> = ChangeableKind<F, A> & {
  readonly subresource?: undefined;
  admit(document: unknown, context: NewObject): Admitted<A> | Promise<Admitted<A>>;
  /** The preview of a new object without the server's generated fields, which no manager owns; omitted: there are none. */
  readonly withoutGenerated?: (admitted: A) => object;
  create(admitted: A, managedFields: readonly ManagedFieldsEntry[], user: User): Promise<Created>;
  /** What {@link create} would answer. `fits`: with this object; null: with the {@link preview}. */
  wouldCreate(
    admitted: A,
  ): Promise<
    Exclude<Created, { readonly kind: 'created' }> | { readonly kind: 'fits'; readonly object: KubeObject } | null
  >;
  /** One that is to be deleted, which need not be readable; omitted: as for any change. */
  readonly findToRemove?: (key: ObjectName) => Promise<F | null>;
  remove(found: F, propagation: Propagation, user: User): Promise<Removed>;
  /** Why objects of this kind cannot orphan their dependents; null: they can. */
  readonly orphans: string | null;
};

/** Everything that a PUT or a patch changes. */
export type Changeable<F extends FoundObject, A> = WritableKind<F, A> | Subresource<F, A>;

/** `namespace` is '' for cluster-scoped objects. */
export type ObjectName = { readonly namespace: string; readonly name: string };

export type FoundObject = { readonly object: KubeObject };

export type NewObject = {
  readonly namespace: string;
  readonly uid: string;
  readonly nameSuffix: string;
  readonly fieldValidation: FieldValidation;
};

type Invalid = { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] };

export type Admitted<A> =
  | { readonly kind: 'ok'; readonly admitted: A; readonly name: string; readonly warnings: readonly string[] }
  | Invalid
  | Undecodable;

export type AdmittedUpdate<A> =
  | {
      readonly kind: 'ok';
      readonly admitted: A;
      readonly warnings: readonly string[];
      readonly changed: Extent;
    }
  | Invalid
  | Undecodable;

export type Refusal = CreationRefusal;

/** `invalid`: it does not fit what is there, in its current form. */
export type Created =
  | { readonly kind: 'created'; readonly object: KubeObject }
  | { readonly kind: Refusal }
  | Unfit
  | NotAllowed;

/** `lost`: another writer has changed it since it was read. */
export type Replaced =
  | { readonly kind: 'replaced'; readonly object: KubeObject }
  | { readonly kind: 'lost' }
  | { readonly kind: 'gone' }
  | Unfit
  | NotAllowed;

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/** `terminating`: a finalizer holds it; it is shown until the finalizer is removed. */
export type Removed =
  | { readonly kind: 'deleted' }
  | { readonly kind: 'terminating'; readonly object: KubeObject }
  | { readonly kind: 'lost' }
  | { readonly kind: 'gone' };
