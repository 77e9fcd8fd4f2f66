import type { EpochMs } from '../../../domain/base/time.ts';
import type { PodSpec } from '../../../domain/manifests/pod-spec.ts';
import { type Quota, type Settled, type Wish, needOf, reserve, reservedIn, settle } from './quota.ts';
import { type QuotaKey, QUOTA_KEYS, amountsText, countedFor, isRequested } from './quota-keys.ts';
import { type Usage, requestText } from './usage.ts';

/** A reservation's numbers, by the uid of the quota. */
export type Numbers = ReadonlyMap<string, number>;

/** Who asks for room. */
export type Asked = {
  readonly wish: Wish;
  /** The Pods that it is for; null: none. */
  readonly pods: AskedPods | null;
  /** What the same change has reserved already. */
  readonly numbers: Numbers;
};

/** `fromItems`: what a Pod requests is in the items of its Job, not in its spec. */
export type AskedPods = { readonly spec: PodSpec; readonly fromItems: boolean };

export type Answer =
  | { readonly kind: 'room'; readonly numbers: Numbers }
  /** In Kubernetes' words. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The same; what is used may turn out to be less, if it is counted. */
  | { readonly kind: 'over'; readonly why: string };

/**
 * Decides who of some gets room in all quotas of a namespace, one after the other (`CheckRequest` of Kubernetes' resourcequota
 * plugin). Who gets room has it reserved in the quotas that are returned; who is refused keeps nothing.
 *
 * @param quotas in the order in which they are checked
 */
export function decideRoom(
  quotas: readonly Quota[],
  asked: readonly Asked[],
  now: EpochMs,
): { readonly quotas: readonly Quota[]; readonly answers: readonly Answer[] } {
  let current = quotas;
  const answers: Answer[] = [];
  for (const each of asked) {
    const refusal = refusalOf(current, each);
    const decided = refusal === null ? reserveAll(current, each, now) : giveBackAll(current, each.numbers);
    current = decided.quotas;
    answers.push(refusal ?? { kind: 'room', numbers: decided.numbers });
  }
  return { quotas: current, answers };
}

type Decided = { readonly quotas: readonly Quota[]; readonly numbers: Numbers };

function reserveAll(quotas: readonly Quota[], { wish, numbers }: Asked, now: EpochMs): Decided {
  const own = new Map(numbers);
  const next = quotas.map((quota) => {
    const no = own.get(quota.uid);
    if (keysOf(quota, needOf(quota, wish, no)).length === 0 && reservedIn(quota, no) === undefined) return quota;
    const reserved = reserve(quota, wish, no, now);
    own.set(quota.uid, reserved.no);
    return reserved.quota;
  });
  return { quotas: next, numbers: own };
}

function giveBackAll(quotas: readonly Quota[], numbers: Numbers): Decided {
  const next = quotas.map((quota) => {
    const no = numbers.get(quota.uid);
    return no === undefined ? quota : settle(quota, { no, isReturned: true });
  });
  return { quotas: next, numbers: new Map() };
}

/** The quotas after what has become of earlier reservations, by the uid of the quota. */
export const settleAll = (
  quotas: readonly Quota[],
  settled: readonly (Settled & { readonly quota: string })[],
): readonly Quota[] => quotas.map((quota) => settled.filter((each) => each.quota === quota.uid).reduce(settle, quota));

/** What of a quota is concerned by a need. */
const keysOf = ({ hard }: Quota, need: Usage): readonly QuotaKey[] =>
  QUOTA_KEYS.filter((key) => hard[key] !== undefined && need[countedFor(key)] > 0);

function refusalOf(
  quotas: readonly Quota[],
  { wish, pods, numbers }: Asked,
): Exclude<Answer, { readonly kind: 'room' }> | null {
  const needs = quotas.map((quota) => ({ quota, need: needOf(quota, wish, numbers.get(quota.uid)) }));
  for (const { quota, need } of needs) {
    const unsaid = need.pods === 0 || pods === null ? null : unsaidBy(quota, pods);
    if (unsaid !== null) return { kind: 'refused', why: `failed quota: ${quota.name}: ${unsaid}` };
    const unknown = keysOf(quota, need).filter((key) => quota.used[key] === undefined);
    if (unknown.length > 0)
      return { kind: 'over', why: `status unknown for quota: ${quota.name}, resources: ${unknown.join(',')}` };
  }
  for (const { quota, need } of needs) {
    const over = exceeded(quota, need);
    if (over !== null) return { kind: 'over', why: over };
  }
  return null;
}

/** Why the Pods do not say what the quota counts; null: they do. Every container must, as in Kubernetes. */
function unsaidBy({ hard }: Quota, { spec, fromItems }: AskedPods): string | null {
  const keys = QUOTA_KEYS.filter((key) => hard[key] !== undefined && isRequested(key));
  if (keys.length === 0) return null;
  if (fromItems) return `cannot count what the items of the Job request: ${keys.join(',')}`;
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const missing = keys.flatMap((key) => {
    const silent = all.filter((container) => requestText(container, resourceOf(key)) === undefined);
    const names = silent.map(({ name }) => name).toSorted();
    return names.length === 0 ? [] : [`${key} for: ${names.join(',')}`];
  });
  return missing.length === 0 ? null : `must specify ${missing.join('; ')}`;
}

const resourceOf = (key: QuotaKey): 'cpu' | 'memory' => (countedFor(key) === 'cpu' ? 'cpu' : 'memory');

function exceeded(quota: Quota, need: Usage): string | null {
  const over = keysOf(quota, need).filter(
    (key) => (quota.used[key] ?? 0) + need[countedFor(key)] > (quota.hard[key] ?? 0),
  );
  if (over.length === 0) return null;
  const text = (of: (key: QuotaKey) => number | undefined): string =>
    amountsText(Object.fromEntries(over.map((key) => [key, of(key)])));
  return `exceeded quota: ${quota.name}, requested: ${text((key) => need[countedFor(key)])}, used: ${text((key) => quota.used[key])}, limited: ${text((key) => quota.hard[key])}`;
}
