import { unreachable } from '../../domain/base/invariant.ts';
import { jsonFieldsOf, typeOf } from '../../schema/kinds/json-fields-of.ts';
import type { Field, FieldType, KindTable } from '../../schema/kinds/kind-table.ts';

/** A JSON schema in the dialect of OpenAPI 3.0. */
export type Schema = { readonly [word: string]: unknown };

/** Where a document has the schema of this name. */
export const schemaRef = (openApiName: string): Schema => ({ $ref: `#/components/schemas/${openApiName}` });

/** A list of objects of a kind: clients know these by name, and the table does not need them. */
export const listName = (kinds: KindTable, kind: string): string => `${typeOf(kinds, kind).openapi}List`;

/**
 * Schemas of these types and of all types that they contain, by OpenAPI's names. Refused fields are omitted, with everything
 * that only they refer to.
 */
export function schemasOf(kinds: KindTable, roots: readonly string[]): Readonly<Record<string, Schema>> {
  const schemas: Record<string, Schema> = { ...SCALARS };
  const waiting = [...roots];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const { openapi } = typeOf(kinds, name);
    if (schemas[openapi] !== undefined) continue;
    const fields = servedFields(kinds, name);
    schemas[openapi] = objectSchema(kinds, name, fields);
    waiting.push(...fields.flatMap(([, { type }]) => namesIn(type)));
  }
  return Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The schema of a list of objects of this kind. */
export function listSchema(kinds: KindTable, kind: string): Schema {
  const { openapi, apiVersion, kind: shown = kind } = typeOf(kinds, kind);
  return {
    type: 'object',
    description: `A list of objects of the kind ${shown}.`,
    required: ['items'],
    properties: {
      ...TYPE_META,
      metadata: property(kinds, {
        no: 1,
        type: { is: 'object', of: 'ListMeta' },
        description: 'Where the list stands.',
      }),
      items: { type: 'array', description: 'The objects.', items: { default: {}, allOf: [schemaRef(openapi)] } },
    },
    'x-kubernetes-group-version-kind': [groupVersionKind(apiVersion ?? 'v1', `${shown}List`)],
  };
}

/** `batch/v1` and `Job` as the three parts that clients look up. */
export function groupVersionKind(apiVersion: string, kind: string) {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group, version, kind };
}

const servedFields = (kinds: KindTable, name: string): readonly (readonly [string, Field])[] =>
  jsonFieldsOf(kinds, name).filter(([, { served }]) => served !== false);

const namesIn = (type: FieldType): readonly string[] => {
  if (type.is === 'object') return [type.of];
  return type.is === 'list' || type.is === 'map' ? namesIn(type.of) : [];
};

function objectSchema(kinds: KindTable, name: string, fields: readonly (readonly [string, Field])[]): Schema {
  const { description, apiVersion, atomic, kind = name } = typeOf(kinds, name);
  const required = fields.flatMap(([key, field]) => (field.required === true ? [key] : []));
  const isKind = apiVersion !== undefined;
  return {
    type: 'object',
    description,
    ...(required.length === 0 ? {} : { required }),
    properties: {
      ...(isKind ? TYPE_META : {}),
      ...Object.fromEntries(fields.map(([key, field]) => [key, property(kinds, field)])),
    },
    ...(isKind ? { 'x-kubernetes-group-version-kind': [groupVersionKind(apiVersion, kind)] } : {}),
    ...(atomic === true ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
}

/** A reference is inside `allOf`, because it cannot have siblings. */
function property(kinds: KindTable, { type, description, required }: Field): Schema {
  const schema = schemaOf(kinds, type);
  if (schema['$ref'] === undefined) return { description, ...schema };
  return { description, ...(required === true && type.is === 'object' ? { default: {} } : {}), allOf: [schema] };
}

function schemaOf(kinds: KindTable, type: FieldType): Schema {
  switch (type.is) {
    case 'object':
      return schemaRef(typeOf(kinds, type.of).openapi);
    case 'map':
      return {
        type: 'object',
        additionalProperties: itemSchema(kinds, type.of),
        ...(type.atomic === true ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      };
    case 'list':
      return { type: 'array', items: itemSchema(kinds, type.of), ...applyWords(type.apply), ...patchWords(type.patch) };
    case 'string':
      return { type: 'string' };
    case 'bool':
      return { type: 'boolean' };
    case 'int32':
    case 'int64':
      return { type: 'integer', format: type.is };
    case 'bytes':
      return { type: 'string', format: 'byte' };
    case 'quantity':
    case 'time':
    case 'microTime':
    case 'intOrString':
    case 'fieldsV1':
      return schemaRef(SCALAR_NAMES[type.is]);
    default:
      return unreachable(type);
  }
}

function itemSchema(kinds: KindTable, type: FieldType): Schema {
  const schema = schemaOf(kinds, type);
  if (schema['$ref'] === undefined) return schema;
  return type.is === 'object' ? { default: {}, allOf: [schema] } : { allOf: [schema] };
}

type ListType = Extract<FieldType, { readonly is: 'list' }>;

const applyWords = (apply: ListType['apply']): Schema =>
  typeof apply === 'string'
    ? { 'x-kubernetes-list-type': apply }
    : { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': apply };

function patchWords(patch: ListType['patch']): Schema {
  if (patch === 'replace') return {};
  if (patch === 'merge') return { 'x-kubernetes-patch-strategy': 'merge' };
  return {
    'x-kubernetes-patch-strategy': patch.retainKeys === true ? 'merge,retainKeys' : 'merge',
    'x-kubernetes-patch-merge-key': patch.key,
  };
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

const SCALAR_NAMES = {
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  time: `${META}.Time`,
  microTime: `${META}.MicroTime`,
  intOrString: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
  fieldsV1: `${META}.FieldsV1`,
} as const;

const SCALARS: Readonly<Record<string, Schema>> = {
  [SCALAR_NAMES.quantity]: {
    description: 'A number with a unit: 500m is a half, 2Gi is twice 1024 to the third. Plain numbers are taken, too.',
    oneOf: [{ type: 'string' }, { type: 'number' }],
  },
  [SCALAR_NAMES.time]: {
    description: 'A time to the second, as RFC 3339 writes it.',
    type: 'string',
    format: 'date-time',
  },
  [SCALAR_NAMES.microTime]: {
    description: 'A time to the microsecond, as RFC 3339 writes it.',
    type: 'string',
    format: 'date-time',
  },
  [SCALAR_NAMES.intOrString]: {
    description: 'A number, or a name.',
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    format: 'int-or-string',
  },
  [SCALAR_NAMES.fieldsV1]: { description: 'Paths of fields as a tree.', type: 'object' },
};

const TYPE_META = {
  apiVersion: { type: 'string', description: 'Group and version of the kind.' },
  kind: { type: 'string', description: 'What the object is.' },
} as const;
