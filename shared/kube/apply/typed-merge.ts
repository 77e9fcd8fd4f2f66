import type { FieldType, KindTable } from '../../schema/kinds/kind-table.ts';
import { EMPTY, type FieldSet, branch, including, isEmpty } from './field-set.ts';
import { isList, isObject, own } from '../patch/json-value.ts';
import { shapeOf } from '../patch/kind-fields.ts';
import { type ItemsShape, itemsByStep, stepTo } from '../patch/list-steps.ts';
import { typeUnder } from './object-fields.ts';

/**
 * Merges an applied configuration into a value: what it sets wins, the rest stays (structured-merge-diff, Merge). undefined:
 * missing. A null in the configuration stays a null.
 */
export function mergeTyped(table: KindTable, type: FieldType, live: unknown, config: unknown): unknown {
  if (config === undefined) return live;
  const shape = shapeOf(table, type);
  if (shape.kind === 'set' || shape.kind === 'keyed') {
    if (!isList(live) || live.length === 0) return config ?? live ?? null;
    return isList(config) && config.length > 0 ? mergeItems(table, shape, live, config) : live;
  }
  if (shape.kind !== 'struct' && shape.kind !== 'map') return config;
  if (!isObject(live) || Object.keys(live).length === 0) return config ?? live ?? null;
  if (!isObject(config)) return live;
  const merged = new Map(Object.entries(live));
  for (const [key, value] of Object.entries(config)) {
    const under = typeUnder(table, shape, key);
    merged.set(key, under === null ? value : mergeTyped(table, under, merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

/**
 * Items of both lists in one: those of the configuration in its order, and before each common item those that only the live
 * list has before it.
 */
function mergeItems(table: KindTable, shape: ItemsShape, live: readonly unknown[], config: readonly unknown[]) {
  const [liveItems, configItems] = [itemsByStep(shape, live), itemsByStep(shape, config)];
  const steps = [...liveItems.keys()];
  const shared = [...configItems.keys()].filter((step) => liveItems.has(step));
  const merged: unknown[] = [];
  let at = 0;
  let nextShared = 0;
  const passLive = (): void => {
    for (let step = steps[at]; step !== undefined && step !== shared[nextShared]; step = steps[++at]) {
      if (!configItems.has(step)) merged.push(...(liveItems.get(step) ?? []));
    }
  };
  for (const [step, [item]] of configItems) {
    passLive();
    const [old, ...twins] = liveItems.get(step) ?? [];
    merged.push(twins.length > 0 ? item : mergeTyped(table, shape.of, old, item));
    if (step === shared[nextShared]) nextShared++;
  }
  passLive();
  return merged;
}

/** The value without these fields; a value with nothing left is dropped too. undefined: nothing is left. */
export function withoutFields(table: KindTable, type: FieldType, value: unknown, gone: FieldSet): unknown {
  if (isEmpty(gone)) return value;
  const shape = shapeOf(table, type);
  if (shape.kind === 'set' || shape.kind === 'keyed') {
    if (!isList(value) || value.length === 0) return value;
    const left = value.flatMap((item) => {
      const found = stepTo(shape, item);
      const lost = 'fieldError' in found ? EMPTY : (gone.under.get(found.step) ?? EMPTY);
      if (lost.has) return [];
      const inner = withoutFields(table, shape.of, item, lost);
      return inner === undefined ? [] : [inner];
    });
    return left.length === 0 ? undefined : left;
  }
  if ((shape.kind !== 'struct' && shape.kind !== 'map') || !isObject(value)) return value;
  if (Object.keys(value).length === 0) return value;
  const left = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const lost = gone.under.get(`f:${key}`) ?? EMPTY;
    if (lost.has) return [];
    const under = typeUnder(table, shape, key);
    const kept = under === null ? inner : withoutFields(table, under, inner, lost);
    return kept === undefined ? [] : [[key, kept]];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** The set plus every struct's field that has something in the set below it (EnsureNamedFieldsAreMembers). */
export function withNamedFields(table: KindTable, type: FieldType, set: FieldSet): FieldSet {
  const shape = shapeOf(table, type);
  if (shape.kind === 'scalar' || shape.kind === 'atomic') return set;
  return branch(
    set.has,
    [...set.under].map(([step, inner]) => {
      if (shape.kind === 'set' || shape.kind === 'keyed') return [step, withNamedFields(table, shape.of, inner)];
      const under = typeUnder(table, shape, step.slice(2));
      const deep = under === null ? inner : withNamedFields(table, under, inner);
      return [step, shape.kind === 'struct' && under !== null ? including(deep) : deep];
    }),
  );
}

/** Without nulls, which mean the same as missing. Lists keep theirs. */
export function withoutNulls(value: unknown): unknown {
  if (isList(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value).flatMap((key): [string, unknown][] => {
      const inner = own(value, key);
      return inner === null || inner === undefined ? [] : [[key, withoutNulls(inner)]];
    }),
  );
}
