/**
 * The shapes of the Kubernetes API that Muster reads or shows. OpenAPI, `explain`, protobuf bodies, strategic merge
 * patches, and server-side apply all use this one table.
 */
export type KindTable = Readonly<Record<string, ObjectType>>;

export type ObjectType = {
  /** OpenAPI's name for it: `io.k8s.api.batch.v1.JobSpec`. */
  readonly openapi: string;
  readonly description: string;
  /** Set for a kind, which has `apiVersion` and `kind` in addition to its fields. */
  readonly apiVersion?: string;
  /** Its `kind`, if another type of the table has that name. */
  readonly kind?: string;
  /** It has no form in protobuf: clients of Kubernetes' custom resources send JSON. */
  readonly jsonOnly?: true;
  /** Server-side apply treats it as a whole (`structType=atomic`). */
  readonly atomic?: true;
  readonly fields: Readonly<Record<string, Field>>;
};

export type Field = {
  /** The field's number in protobuf. */
  readonly no: number;
  readonly type: FieldType;
  readonly description: string;
  readonly required?: true;
  /**
   * Go's JSON includes the field even if it is zero or empty, because it is a pointer in Go. JSON omits the zeros of
   * other fields that are not required. Protobuf includes them.
   */
  readonly zero?: 'shown';
  /** An embedded Go struct: in JSON, its fields replace it. */
  readonly inline?: true;
  /** A Kubernetes field that Muster refuses with its path. Read from protobuf, not shown by `explain`. */
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
      /**
       * For server-side apply: atomic, a set of values, or objects identified by these fields (`listType`,
       * `listMapKey`).
       */
      readonly apply: 'atomic' | 'set' | readonly string[];
      /** For strategic merge: replaced, merged by value, or merged by this field (`patchStrategy`, `patchMergeKey`). */
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
