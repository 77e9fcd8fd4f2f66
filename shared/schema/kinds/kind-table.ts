/**
 * The shapes of the Kubernetes API as far as Muster reads or shows them: one table from which OpenAPI, `explain`,
 * protobuf bodies, strategic merge patches and server-side apply all take what they need.
 */
export type KindTable = Readonly<Record<string, ObjectType>>;

export type ObjectType = {
  /** As OpenAPI names it: `io.k8s.api.batch.v1.JobSpec`. */
  readonly openapi: string;
  readonly description: string;
  /** A kind of its own, which has `apiVersion` and `kind` in addition to its fields. */
  readonly apiVersion?: string;
  /** Server-side apply takes or leaves it whole (`structType=atomic`). */
  readonly atomic?: true;
  readonly fields: Readonly<Record<string, Field>>;
};

export type Field = {
  /** Number in protobuf. */
  readonly no: number;
  readonly type: FieldType;
  readonly description: string;
  readonly required?: true;
  /**
   * Go's JSON has the field even when it is zero or empty, as it is a pointer there. The zeroes of other fields that are
   * not required are left out of JSON, though not of protobuf.
   */
  readonly zero?: 'shown';
  /** In JSON its fields stand where it stands: a Go struct that is embedded. */
  readonly inline?: true;
  /** Kubernetes knows it, Muster refuses it with its path: read from protobuf, not shown by `explain`. */
  readonly served?: false;
};

export type FieldType =
  | { readonly is: Scalar }
  /** `of`: a type's name in the table. */
  | { readonly is: 'object'; readonly of: string }
  | { readonly is: 'map'; readonly of: FieldType; readonly atomic?: true }
  | {
      readonly is: 'list';
      readonly of: FieldType;
      /** Server-side apply: atomic, a set of values, or objects identified by these fields (`listType`, `listMapKey`). */
      readonly apply: 'atomic' | 'set' | readonly string[];
      /** Strategic merge: whole, merged by value, or merged by this field (`patchStrategy`, `patchMergeKey`). */
      readonly patch: 'replace' | 'merge' | { readonly key: string; readonly retainKeys?: true };
    };

export type Scalar =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'bytes'
  | 'quantity'
  | 'time'
  | 'microTime'
  | 'intOrString'
  /** `FieldsV1`: any object. */
  | 'fieldsV1';
