import * as z from 'zod';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { parseQuantity, quantityText, formatOf } from '../../../domain/base/quantity.ts';
import {
  LIMITED_RESOURCES,
  LIMIT_TYPES,
  type LimitItem,
  type LimitType,
  withDefaultLimits,
} from '../domain/limit-range.ts';
import { type FieldError, duplicate, forbidden, invalid, notSupported } from '../../../schema/object/field-error.ts';
import { opt, quantities, text } from '../../../schema/object/json-fields.ts';
import { objectMetadataShape } from '../../../schema/object/object-metadata.ts';
import { nameErrors } from '../../../schema/object/object-name.ts';
import type { PlainForm } from '../../../schema/object/plain-admission.ts';
import { NO_SERVER_FIELDS } from '../../../schema/object/plain-admission.ts';

const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type List = (typeof LISTS)[number];

const itemShape = z.strictObject({
  type: text,
  max: quantities,
  min: quantities,
  default: quantities,
  defaultRequest: quantities,
  maxLimitRequestRatio: quantities,
});
type ItemShape = z.output<typeof itemShape>;

const specShape = z.strictObject({ limits: opt(z.array(itemShape)) });

export const LimitRangeShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: opt(specShape),
});

/**
 * A LimitRange (`ValidateLimitRange`). What Muster has no such thing of is refused, as with a ResourceQuota: other types than
 * containers and Pods, and other resources than a Fargate task has.
 */
export const LIMIT_RANGE_FORM: PlainForm<z.output<typeof LimitRangeShape>> = {
  resource: API_KINDS.LimitRange,
  shape: LimitRangeShape,
  serverFields: NO_SERVER_FIELDS,
  nameErrors,
  contentErrors: ({ spec }) => limitsErrors(spec?.limits ?? []),
  changeErrors: () => [],
  contentOf: ({ spec }) => ({ spec: { limits: (spec?.limits ?? []).map((item) => withDefaultLimits(itemOf(item))) } }),
};

/** An item without empty lists. */
function itemOf(item: ItemShape): LimitItem {
  const lists = LISTS.flatMap((list) => {
    const amounts = item[list] ?? {};
    return Object.keys(amounts).length === 0 ? [] : [[list, amounts] as const];
  });
  // What is not such a type has been refused.
  return { type: item.type as LimitType, ...Object.fromEntries(lists) };
}

function limitsErrors(items: readonly ItemShape[]): readonly FieldError[] {
  const types = items.map(({ type = '' }) => type);
  return items.flatMap((item, i) => {
    const path = `spec.limits[${i}]`;
    const { type = '' } = item;
    if (!LIMIT_TYPES.some((known) => known === type)) return [notSupported(`${path}.type`, type, LIMIT_TYPES)];
    return [
      ...(types.indexOf(type) < i ? [duplicate(`${path}.type`, type)] : []),
      ...(type === 'Pod' ? podDefaultErrors(path, item) : []),
      ...listErrors(path, item),
    ];
  });
}

const podDefaultErrors = (path: string, item: ItemShape): readonly FieldError[] =>
  (['default', 'defaultRequest'] as const)
    .filter((list) => Object.keys(item[list] ?? {}).length > 0)
    .map((list) => forbidden(`${path}.${list}`, "may not be specified when `type` is 'Pod'"));

/** The names and quantities; if all can be read, what they say of one another. */
function listErrors(path: string, item: ItemShape): readonly FieldError[] {
  const errors = LISTS.filter((list) => item.type !== 'Pod' || !list.startsWith('default')).flatMap((list) =>
    Object.entries(item[list] ?? {}).flatMap(([name, amount]) =>
      amountErrors(`${path}.${list}[${name}]`, name, amount),
    ),
  );
  return errors.length > 0 ? errors : LIMITED_RESOURCES.flatMap((name) => orderErrors(path, name, item));
}

function amountErrors(path: string, name: string, amount: string): readonly FieldError[] {
  if (!LIMITED_RESOURCES.some((known) => known === name)) return [notSupported(path, name, LIMITED_RESOURCES)];
  return parseQuantity(amount) === null ? [invalid(path, amount, 'write a quantity such as 10, 500m, or 2Gi')] : [];
}

type Said = { readonly list: List; readonly words: string };

const MIN: Said = { list: 'min', words: 'min value' };
const MAX: Said = { list: 'max', words: 'max value' };
const REQUEST: Said = { list: 'defaultRequest', words: 'default request value' };

/** Pairs of which the first must not be more than the second, with the one that is reported. Kubernetes' order and words. */
const ORDERED: readonly (readonly [low: Said, high: Said, at: List])[] = [
  [MIN, MAX, 'min'],
  [MIN, REQUEST, 'defaultRequest'],
  [REQUEST, MAX, 'defaultRequest'],
  [REQUEST, { list: 'default', words: 'default limit value' }, 'defaultRequest'],
  [MIN, { list: 'default', words: 'default value' }, 'default'],
  [{ list: 'default', words: 'default value' }, MAX, 'default'],
];

function orderErrors(path: string, name: string, item: ItemShape): readonly FieldError[] {
  const errors = ORDERED.flatMap(([low, high, at]) => {
    const [less, more] = [item[low.list]?.[name], item[high.list]?.[name]];
    if (less === undefined || more === undefined || amountOf(less) <= amountOf(more)) return [];
    const why = `${low.words} ${canonical(less)} is greater than ${high.words} ${canonical(more)}`;
    return [invalid(`${path}.${at}[${name}]`, item[at]?.[name], why)];
  });
  return [...errors, ...ratioErrors(path, name, item)];
}

function ratioErrors(path: string, name: string, item: ItemShape): readonly FieldError[] {
  const ratio = item.maxLimitRequestRatio?.[name];
  if (ratio === undefined) return [];
  const at = `${path}.maxLimitRequestRatio[${name}]`;
  const [min, max] = [item.min?.[name], item.max?.[name]];
  const most = min === undefined || max === undefined ? Infinity : amountOf(max) / amountOf(min);
  return [
    ...(amountOf(ratio) < 1 ? [invalid(at, ratio, `ratio ${canonical(ratio)} is less than 1`)] : []),
    ...(amountOf(ratio) > most
      ? [invalid(at, ratio, `ratio ${canonical(ratio)} is greater than max/min = ${most.toFixed(6)}`)]
      : []),
  ];
}

const amountOf = (quantity: string): number => parseQuantity(quantity) ?? 0;
const canonical = (quantity: string): string => quantityText(amountOf(quantity), formatOf(quantity));
