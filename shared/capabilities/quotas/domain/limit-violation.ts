import { type QuantityFormat, formatOf, parseQuantity, quantityText } from '../../../domain/base/quantity.ts';
import type { Container, PodSpec } from '../../../domain/manifests/pod-spec.ts';
import { podNeed } from '../../../domain/task/pod-template.ts';
import {
  LIMITED_RESOURCES,
  type LimitItem,
  type LimitRange,
  type LimitType,
  type LimitedResource,
} from './limit-range.ts';

type Amount = { readonly value: number; readonly format: QuantityFormat };

/** What a container, or a Pod, requests of a resource, and at which amount it is stopped. Undefined: it does not say. */
type Observed = { readonly request: Amount | undefined; readonly limit: Amount | undefined };

/**
 * Why a Pod is outside of what LimitRanges allow (`PodValidateLimitFunc` of Kubernetes' limitranger plugin), in its words: all that
 * is wrong by the first LimitRange by which something is. Null: it is within all of them.
 *
 * @param spec with what LimitRanges fill in
 */
export function limitViolation(spec: PodSpec, ranges: readonly LimitRange[]): string | null {
  for (const { limits } of ranges) {
    const wrong = new Set(limits.flatMap((item) => violations(spec, item)));
    if (wrong.size === 1) return [...wrong].join('');
    if (wrong.size > 1) return `[${[...wrong].join(', ')}]`;
  }
  return null;
}

/** What LimitRanges limit, beyond saying defaults. */
export const limitedBy = (ranges: readonly LimitRange[]): readonly LimitedResource[] =>
  LIMITED_RESOURCES.filter((name) =>
    ranges.some(({ limits }) =>
      limits.some(({ min, max, maxLimitRequestRatio }) =>
        [min, max, maxLimitRequestRatio].some((list) => list?.[name] !== undefined),
      ),
    ),
  );

function violations({ containers, initContainers = [] }: PodSpec, item: LimitItem): readonly string[] {
  if (item.type === 'Container')
    return [...containers, ...initContainers].flatMap((container) =>
      checked(item, (name) => ({ request: requestOf(container, name), limit: limitOf(container, name) })),
    );
  return checked(item, (name) => ({
    request: ofPod(containers, initContainers, (container) => requestOf(container, name)),
    limit: ofPod(containers, initContainers, (container) => limitOf(container, name)),
  }));
}

const checked = (item: LimitItem, observe: (name: LimitedResource) => Observed): readonly string[] => [
  ...each(item, 'min', observe, belowMin),
  ...each(item, 'max', observe, aboveMax),
  ...each(item, 'maxLimitRequestRatio', observe, aboveRatio),
];

type Check = (name: LimitedResource, type: LimitType, enforced: Amount, observed: Observed) => string | null;

const each = (
  item: LimitItem,
  list: 'min' | 'max' | 'maxLimitRequestRatio',
  observe: (name: LimitedResource) => Observed,
  check: Check,
): readonly string[] =>
  LIMITED_RESOURCES.flatMap((name) => {
    const enforced = amountIn(item[list]?.[name]);
    const wrong = enforced === undefined ? null : check(name, item.type, enforced, observe(name));
    return wrong === null ? [] : [wrong];
  });

const belowMin: Check = (name, type, enforced, { request, limit }) => {
  const least = `minimum ${name} usage per ${type} is ${textOf(enforced)}`;
  if (request === undefined) return `${least}.  No request is specified`;
  if (isLess(request, enforced)) return `${least}, but request is ${textOf(request)}`;
  return limit !== undefined && isLess(limit, enforced) ? `${least}, but limit is ${textOf(limit)}` : null;
};

const aboveMax: Check = (name, type, enforced, { request, limit }) => {
  const most = `maximum ${name} usage per ${type} is ${textOf(enforced)}`;
  if (limit === undefined) return `${most}.  No limit is specified`;
  if (isLess(enforced, limit)) return `${most}, but limit is ${textOf(limit)}`;
  return request !== undefined && isLess(enforced, request) ? `${most}, but request is ${textOf(request)}` : null;
};

const aboveRatio: Check = (name, type, enforced, { request, limit }) => {
  const most = `${name} max limit to request ratio per ${type} is ${textOf(enforced)}`;
  if (request === undefined || request.value === 0) return `${most}, but no request is specified or request is 0`;
  if (limit === undefined || limit.value === 0) return `${most}, but no limit is specified or limit is 0`;
  const ratio = limit.value / request.value;
  return ratio > enforced.value + SLACK ? `${most}, but provided ratio is ${ratio.toFixed(6)}` : null;
};

/** Kubernetes compares in thousandths, as long as they are exact. */
const SLACK = 1e-9;
const isLess = (a: Amount, b: Amount): boolean => a.value < b.value - Math.max(SLACK, Math.abs(b.value) * SLACK * 1e-3);

const textOf = ({ value, format }: Amount): string => quantityText(value, format);

const amountIn = (text: string | undefined): Amount | undefined => {
  const value = text === undefined ? null : parseQuantity(text);
  return text === undefined || value === null ? undefined : { value, format: formatOf(text) };
};

const limitOf = ({ resources }: Container, name: LimitedResource): Amount | undefined =>
  amountIn(resources?.limits?.[name]);

/** A limit without a request counts as both. */
const requestOf = ({ resources }: Container, name: LimitedResource): Amount | undefined =>
  amountIn(resources?.requests?.[name] ?? resources?.limits?.[name]);

/** What containers need together, of those that say so; undefined: none does. */
function ofPod(
  containers: readonly Container[],
  initContainers: readonly Container[],
  amount: (container: Container) => Amount | undefined,
): Amount | undefined {
  const first = [...containers, ...initContainers].map(amount).find((each) => each !== undefined);
  if (first === undefined) return undefined;
  return { ...first, value: podNeed(containers, initContainers, (each) => amount(each)?.value ?? 0) };
}
