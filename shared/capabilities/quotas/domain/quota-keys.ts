import { invariant } from '../../../domain/base/invariant.ts';
import { parseQuantity, quantityText } from '../../../domain/base/quantity.ts';
import { type ApiKind, ofGroup } from '../../../domain/kinds/api-kind.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { COUNTED_KINDS, countedAs } from './counted-kinds.ts';
import type { Usage } from './usage.ts';

const OF_TASKS = {
  cpu: 'cpu',
  'limits.cpu': 'cpu',
  'limits.memory': 'memory',
  memory: 'memory',
  pods: 'pods',
  'requests.cpu': 'cpu',
  'requests.memory': 'memory',
} as const satisfies Readonly<Record<string, keyof Usage>>;

/** Kinds of the core group that have a short key, too, where they are served. */
const SHORT = ['configmaps', 'persistentvolumeclaims', 'resourcequotas', 'secrets', 'services'] as const;
const isShort = ({ group, plural }: Pick<ApiKind, 'group' | 'plural'>): boolean =>
  group === '' && SHORT.some((short) => short === plural);

export type QuotaKey = keyof typeof OF_TASKS | (typeof SHORT)[number] | `count/${string}`;

const countKey = (kind: Pick<ApiKind, 'group' | 'plural'>): `count/${string}` => `count/${ofGroup(kind.plural, kind)}`;

/** What a ResourceQuota may limit, and what counts for it. A task's requests and its limits are its size. */
const COUNTED: ReadonlyMap<string, keyof Usage> = new Map<string, keyof Usage>([
  [countKey(API_KINDS.Job), 'jobs'],
  ...COUNTED_KINDS.map((kind) => [countKey(API_KINDS[kind]), countedAs(kind)] as const),
  ...COUNTED_KINDS.filter((kind) => isShort(API_KINDS[kind])).map(
    (kind) => [API_KINDS[kind].plural, countedAs(kind)] as const,
  ),
  ...Object.entries(OF_TASKS),
]);

export const isQuotaKey = (key: string): key is QuotaKey => COUNTED.has(key);

/** In the order in which Kubernetes shows them. */
export const QUOTA_KEYS: readonly QuotaKey[] = [...COUNTED.keys()].filter(isQuotaKey).toSorted();

/** What counts for a key. */
export function countedFor(key: QuotaKey): keyof Usage {
  const counted = COUNTED.get(key);
  invariant(counted !== undefined, `no quota has the key ${key}`);
  return counted;
}

/** Whether Kubernetes wants every container to say what it requests, where a quota has this key. */
export const isRequested = (key: QuotaKey): boolean => ['cpu', 'memory'].includes(countedFor(key));

/** An amount by key; those that a quota does not have are absent. */
export type Amounts = Readonly<Partial<Record<QuotaKey, number>>>;

/** A quantity in the unit of {@link Usage}, rounded down; null: it is none. */
export function amountOf(key: QuotaKey, text: string): number | null {
  const quantity = parseQuantity(text);
  return quantity === null ? null : Math.floor(quantity * (countedFor(key) === 'cpu' ? 1000 : 1) + SLACK);
}

const SLACK = 1e-6;

/** As Kubernetes writes the amount. Exact. */
export function amountText(key: QuotaKey, amount: number): string {
  const counted = countedFor(key);
  if (counted === 'cpu') return quantityText(amount / 1000, 'decimal');
  return quantityText(amount, counted === 'memory' && amount % 1024 === 0 ? 'binary' : 'decimal');
}

/** `cpu=2,pods=10`: in the order of their names. */
export const amountsText = (amounts: Amounts): string =>
  QUOTA_KEYS.flatMap((key) => {
    const amount = amounts[key];
    return amount === undefined ? [] : [`${key}=${amountText(key, amount)}`];
  }).join(',');
