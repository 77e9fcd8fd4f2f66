import { jsonFieldsOf } from '../../../shared/schema/kinds/json-fields-of.ts';
import type { Field, FieldType } from '../../../shared/schema/kinds/kind-table.ts';
import { KINDS } from '../../../shared/schema/kinds/kinds.ts';

/** Fields of Kubernetes 1.34 that kubectl 1.33 does not know: it drops them. */
const NEWER = new Set(['fileKeyRef', 'restartPolicyRules', 'hostnameOverride', 'podCertificate']);

/** An object of this type in which every field that kubectl 1.33 knows has a value, which depends on the field alone. */
export const everyField = (name: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    jsonFieldsOf(KINDS, name)
      .filter(([key]) => !NEWER.has(key))
      .map(([key, field]) => [key, valueOf(field.type, key, field)]),
  );

function valueOf(type: FieldType, key: string, { no }: Field): unknown {
  const inner = (of: FieldType) => valueOf(of, key, { no, type: of, description: '' });
  switch (type.is) {
    case 'object':
      return everyField(type.of);
    case 'list':
      return [inner(type.of)];
    case 'map':
      return { [`${key}/0`]: inner(type.of) };
    case 'string':
      return `${key} ${no}`;
    case 'bytes':
      return btoa(key);
    case 'bool':
      return true;
    case 'int32':
    case 'int64':
      return no % 2 === 0 ? -no : 1000 + no;
    case 'quantity':
      return `${no}Mi`;
    case 'time':
      return '2026-01-02T03:04:05Z';
    case 'microTime':
      return '2026-01-02T03:04:05.000006Z';
    case 'intOrString':
      return no % 2 === 0 ? no : `port-${no}`;
    case 'fieldsV1':
      return { [`f:${key}`]: {} };
  }
}
