import type { FieldsV1 } from '../../domain/manifests/manifest.ts';

/**
 * A set of an object's fields, as a tree. A step is written as in FieldsV1: `f:name` a field, `k:{"name":"x"}` an item by its
 * keys, `v:"x"` an item by its value, `i:0` by its position. A node in the set says nothing about those below it. There are no
 * empty branches.
 */
export type FieldSet = { readonly has: boolean; readonly under: ReadonlyMap<string, FieldSet> };

export const EMPTY: FieldSet = { has: false, under: new Map() };
/** A field itself, without anything below it. */
export const LEAF: FieldSet = { has: true, under: new Map() };

export const isEmpty = (set: FieldSet): boolean => !set.has && set.under.size === 0;

/** A node of these parts; empty branches are dropped. */
export const branch = (has: boolean, under: Iterable<readonly [string, FieldSet]>): FieldSet => ({
  has,
  under: new Map([...under].filter(([, set]) => !isEmpty(set))),
});

/** The same with the node itself in it. */
export const including = (set: FieldSet): FieldSet => (set.has ? set : { has: true, under: set.under });

export function union(one: FieldSet, other: FieldSet): FieldSet {
  if (isEmpty(one)) return other;
  if (isEmpty(other)) return one;
  const under = new Map(one.under);
  for (const [step, set] of other.under) under.set(step, union(under.get(step) ?? EMPTY, set));
  return { has: one.has || other.has, under };
}

/** What is in `one` and not in `other`; removing a field does not remove the fields below it. */
export const difference = (one: FieldSet, other: FieldSet): FieldSet =>
  isEmpty(other)
    ? one
    : branch(
        one.has && !other.has,
        [...one.under].map(([step, set]) => [step, difference(set, other.under.get(step) ?? EMPTY)]),
      );

export const intersection = (one: FieldSet, other: FieldSet): FieldSet =>
  branch(
    one.has && other.has,
    [...one.under].map(([step, set]) => {
      const match = other.under.get(step);
      return [step, match === undefined ? EMPTY : intersection(set, match)];
    }),
  );

export const sameSet = (one: FieldSet, other: FieldSet): boolean =>
  one.has === other.has &&
  one.under.size === other.under.size &&
  [...one.under].every(([step, set]) => {
    const match = other.under.get(step);
    return match !== undefined && sameSet(set, match);
  });

/** In the order of managedFields: fields first, then items by key, by value, by position; each in alphabetical order. */
export function toFieldsV1({ has, under }: FieldSet): FieldsV1 {
  const entries = sorted(under).map(([step, set]): [string, FieldsV1] => [step, toFieldsV1(set)]);
  return Object.fromEntries(has && entries.length > 0 ? [['.', {}], ...entries] : entries);
}

/** Every field in the set in the format of messages, `.spec.template.spec.containers[name="c"].image`; parents come first. */
export function pathsOf(set: FieldSet): readonly string[] {
  const paths: string[] = [];
  const walk = (path: string, { under }: FieldSet): void => {
    const steps = sorted(under).map(([step, inner]) => ({ path: `${path}${stepText(step)}`, inner }));
    for (const { path: at, inner } of steps) if (inner.has) paths.push(at);
    for (const { path: at, inner } of steps) walk(at, inner);
  };
  walk('', set);
  return paths;
}

/** One step in the format of messages: `.image`, `[name="c"]`, `[="x"]`, `[3]`. */
export function stepText(step: string): string {
  const said = step.slice(2);
  switch (step.slice(0, 2)) {
    case 'f:':
      return `.${said}`;
    case 'v:':
      return `[=${said}]`;
    case 'k:':
      return `[${Object.entries(JSON.parse(said) as object)
        .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .join(',')}]`;
    default:
      return `[${said}]`;
  }
}

const KINDS_OF_STEP = 'fkvi';

const sorted = (under: ReadonlyMap<string, FieldSet>): readonly (readonly [string, FieldSet])[] =>
  [...under].sort(([one], [other]) => {
    const kinds = KINDS_OF_STEP.indexOf(one.charAt(0)) - KINDS_OF_STEP.indexOf(other.charAt(0));
    if (kinds !== 0) return kinds;
    return one < other ? -1 : Number(one > other);
  });
