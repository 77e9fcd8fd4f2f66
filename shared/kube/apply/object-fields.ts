import type { FieldType, KindTable } from '../../schema/kinds/kind-table.ts';
import { EMPTY, type FieldSet, LEAF, branch, including } from './field-set.ts';
import { isList, isObject, own, sameJson } from '../patch/json-value.ts';
import { type Shape, fieldNamed, shapeOf } from '../patch/kind-fields.ts';
import { itemsByStep } from '../patch/list-steps.ts';

/**
 * The fields that a value sets, as an applied configuration owns them: its leaves, the items of its lists, and the keys of its
 * maps, but not the structs around them (structured-merge-diff, ToFieldSet).
 */
export function fieldsOf(table: KindTable, type: FieldType, value: unknown): FieldSet {
  const shape = shapeOf(table, type);
  if (shape.kind === 'set' || shape.kind === 'keyed') {
    if (!isList(value)) return EMPTY;
    return branch(
      false,
      [...itemsByStep(shape, value)].map(([step, [item]]) => [step, including(fieldsOf(table, shape.of, item))]),
    );
  }
  if (shape.kind !== 'struct' && shape.kind !== 'map') return LEAF;
  if (!isObject(value)) return EMPTY;
  return branch(
    false,
    Object.entries(value).map(([key, inner]) => {
      const under = typeUnder(table, shape, key);
      const set = under === null ? LEAF : fieldsOf(table, under, inner);
      const whole = shape.kind === 'map' || inner === null || (isObject(inner) && Object.keys(inner).length === 0);
      return [`f:${key}`, whole ? including(set) : set];
    }),
  );
}

/** The type of the value under a key of a struct or a map. null: the table does not know it, so it is a leaf. */
export function typeUnder(
  table: KindTable,
  shape: Extract<Shape, { readonly kind: 'struct' | 'map' }>,
  key: string,
): FieldType | null {
  return shape.kind === 'map' ? shape.of : (fieldNamed(table, shape.of, key)?.type ?? null);
}

/** The difference between two values. A new field counts, and so do the structs, maps, and lists that came with it. */
export type Comparison = { readonly added: FieldSet; readonly modified: FieldSet; readonly removed: FieldSet };

const SAME: Comparison = { added: EMPTY, modified: EMPTY, removed: EMPTY };

/** Compares two values of one type (structured-merge-diff, Compare). undefined: missing. The order of items does not count. */
export function compareFields(table: KindTable, type: FieldType, before: unknown, after: unknown): Comparison {
  if (before === after) return SAME;
  const shape = shapeOf(table, type);
  if (shape.kind === 'set' || shape.kind === 'keyed') {
    if (!mayBe(isList, before) || !mayBe(isList, after)) return leaf(before, after);
    const [old, now] = [isList(before) ? before : [], isList(after) ? after : []];
    if (old.length === 0 && now.length === 0) return leaf(before, after);
    const [oldItems, nowItems] = [itemsByStep(shape, old), itemsByStep(shape, now)];
    const inner = [...new Set([...oldItems.keys(), ...nowItems.keys()])].map((step): [string, Comparison] => {
      const [one, other] = [oldItems.get(step) ?? [], nowItems.get(step) ?? []];
      const single = one.length <= 1 && other.length <= 1;
      return [step, single ? compareFields(table, shape.of, one[0], other[0]) : leaf(some(one), some(other))];
    });
    return around(before, after, inner);
  }
  if (shape.kind !== 'struct' && shape.kind !== 'map') return leaf(before, after);
  if (!mayBe(isObject, before) || !mayBe(isObject, after)) return leaf(before, after);
  const [old, now] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  const keys = new Set([...Object.keys(old), ...Object.keys(now)]);
  if (keys.size === 0) return leaf(before, after);
  const inner = [...keys].map((key): [string, Comparison] => {
    const under = typeUnder(table, shape, key);
    const [one, other] = [own(old, key), own(now, key)];
    return [`f:${key}`, under === null ? leaf(one, other) : compareFields(table, under, one, other)];
  });
  return around(before, after, inner);
}

const mayBe = (is: (value: unknown) => boolean, value: unknown): boolean =>
  value === undefined || value === null || is(value);

const some = (items: readonly unknown[]): readonly unknown[] | undefined => (items.length === 0 ? undefined : items);

function leaf(before: unknown, after: unknown): Comparison {
  if (before === undefined) return after === undefined ? SAME : { ...SAME, added: LEAF };
  if (after === undefined) return { ...SAME, removed: LEAF };
  return sameJson(before, after) ? SAME : { ...SAME, modified: LEAF };
}

function around(before: unknown, after: unknown, inner: readonly (readonly [string, Comparison])[]): Comparison {
  const part = (name: keyof Comparison, has: boolean) =>
    branch(
      has,
      inner.map(([step, comparison]) => [step, comparison[name]]),
    );
  return {
    added: part('added', before === undefined),
    modified: part('modified', false),
    removed: part('removed', after === undefined),
  };
}
