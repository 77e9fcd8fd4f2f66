import type { FloatNumber } from '../../schema/text/json-text.ts';
import type { FieldType, KindTable } from '../../schema/kinds/kind-table.ts';
import { KINDS } from '../../schema/kinds/kinds.ts';
import { fieldPath } from '../../schema/object/field-error.ts';
import { type Problem, type Undecodable, unreadable } from '../../schema/object/read-object.ts';
import { isList, isObject, own } from './json-value.ts';
import { fieldNamed, typeNamed } from './kind-fields.ts';
import type { PatchKind } from './patch-document.ts';

/** A kind: `type` is its name in the table. */
type FloatOwner = {
  readonly type: string;
  readonly apiVersion: string;
  readonly resource: { readonly kind: string };
};

/**
 * Integer fields of a kind that a document writes as floats: Go's decoder accepts 2, but not `2.0` or `2e0`.
 *
 * @param floats as {@link readJsonText} finds them, by their paths in an object of that kind
 */
export function refusedFloats(
  { type, apiVersion, resource: { kind } }: FloatOwner,
  floats: readonly FloatNumber[],
): Undecodable | null {
  const problems: Problem[] = floats
    .filter(({ path }) => isInteger(typeAt(KINDS, { is: 'object', of: type }, path)))
    .map(({ path: steps, text }) => {
      const path = fieldPath(steps);
      return { path, message: `json: cannot unmarshal number ${text} into field ${path} of type integer` };
    });
  return problems.length === 0 ? null : unreadable({ apiVersion, kind }, problems);
}

/** Where a patch's numbers are in the patched object. */
export function floatsPut(patch: PatchKind, value: unknown, floats: readonly FloatNumber[]): readonly FloatNumber[] {
  if (patch === 'merge') return floats;
  // A strategic merge works on values, not on texts.
  if (patch === 'strategic' || !isList(value)) return [];
  return floats.flatMap(({ path: [i, key, ...inner], text }) => {
    const step = typeof i === 'number' && key === 'value' ? value[i] : undefined;
    const pointer = isObject(step) && own(step, 'op') !== 'test' ? own(step, 'path') : undefined;
    return typeof pointer === 'string' ? [{ path: [...stepsOf(pointer), ...inner], text }] : [];
  });
}

const stepsOf = (pointer: string): readonly (string | number)[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')));

/** The type of the value at a path; null: the table does not know. */
const typeAt = (table: KindTable, type: FieldType, path: readonly (string | number)[]): FieldType | null =>
  path.reduce<FieldType | null>((within, step) => (within === null ? null : innerType(table, within, step)), type);

function innerType(table: KindTable, type: FieldType, step: string | number): FieldType | null {
  if (type.is === 'map' || type.is === 'list') return type.of;
  const of = type.is === 'object' ? typeNamed(table, type.of) : null;
  return of === null ? null : (fieldNamed(table, of, String(step))?.type ?? null);
}

/** An IntOrString is decoded as an integer unless it begins with a quote. */
const isInteger = (type: FieldType | null): boolean =>
  type !== null && (type.is === 'int32' || type.is === 'int64' || type.is === 'intOrString');
