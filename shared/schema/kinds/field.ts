import type { Field, FieldType } from './kind-table.ts';

/** The packages of the table's types, as OpenAPI names them. */
export const BATCH = 'io.k8s.api.batch.v1';
export const CORE = 'io.k8s.api.core.v1';
export const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
export const POLICY = 'io.k8s.api.policy.v1';

export const STRING = { is: 'string' } as const satisfies FieldType;
export const BOOL = { is: 'bool' } as const satisfies FieldType;
export const INT32 = { is: 'int32' } as const satisfies FieldType;
export const INT64 = { is: 'int64' } as const satisfies FieldType;
export const QUANTITY = { is: 'quantity' } as const satisfies FieldType;
export const TIME = { is: 'time' } as const satisfies FieldType;
export const MICRO_TIME = { is: 'microTime' } as const satisfies FieldType;
export const INT_OR_STRING = { is: 'intOrString' } as const satisfies FieldType;
export const FIELDS_V1 = { is: 'fieldsV1' } as const satisfies FieldType;

export const object = (of: string): FieldType => ({ is: 'object', of });

export const mapOf = (of: FieldType): FieldType => ({ is: 'map', of });
/** A map that server-side apply treats as a whole. */
export const atomicMapOf = (of: FieldType): FieldType => ({ is: 'map', of, atomic: true });
export const STRING_MAP = mapOf(STRING);
export const QUANTITY_MAP = mapOf(QUANTITY);

/** A list that every kind of patch treats as a whole. */
export const listOf = (of: FieldType): FieldType => ({ is: 'list', of, apply: 'atomic', patch: 'replace' });
export const STRINGS = listOf(STRING);
/** A list of objects that every kind of patch identifies by the same field. */
export const listBy = (key: string, of: FieldType): FieldType => ({ is: 'list', of, apply: [key], patch: { key } });
/** The same, but a strategic merge patch may list the fields of an object to keep. */
export const keepingListBy = (key: string, of: FieldType): FieldType => ({
  is: 'list',
  of,
  apply: [key],
  patch: { key, retainKeys: true },
});

type More = Pick<Field, 'required' | 'zero'>;

export const REQUIRED = { required: true } as const satisfies More;
export const ZERO_SHOWN = { zero: 'shown' } as const satisfies More;

/** A field that Muster honors, or accepts if its value has no effect. */
export const field = (no: number, type: FieldType, description: string, more: More = {}): Field => ({
  no,
  type,
  description,
  ...more,
});

/** A field that Muster refuses, or never sets. */
export const unserved = (no: number, type: FieldType, more: More = {}): Field => ({
  no,
  type,
  description: 'Not supported by Muster.',
  served: false,
  ...more,
});

/** A field of an object that is refused as a whole. It never appears in output. */
export const bare = (no: number, type: FieldType, more: More = {}): Field => ({ no, type, description: '', ...more });

/** An embedded Go struct. */
export const inlined = (no: number, type: FieldType): Field => ({ no, type, description: '', inline: true });
