import { parseQuantity, quantityText } from '../base/quantity.ts';
import type { Usage } from './usage.ts';

/** What a ResourceQuota may limit, and what counts for it. A task's requests and its limits are its size. */
const COUNTED = {
  'count/cronjobs.batch': 'cronJobs',
  'count/jobconfigs.execution.furiko.io': 'jobConfigs',
  'count/jobs.batch': 'jobs',
  'count/limitranges': 'limitRanges',
  'count/resourcequotas': 'resourceQuotas',
  'count/rolebindings.rbac.authorization.k8s.io': 'roleBindings',
  'count/roles.rbac.authorization.k8s.io': 'roles',
  'count/serviceaccounts': 'serviceAccounts',
  'count/services': 'services',
  'count/worklists.muster.run': 'workLists',
  cpu: 'cpu',
  'limits.cpu': 'cpu',
  'limits.memory': 'memory',
  memory: 'memory',
  pods: 'pods',
  'requests.cpu': 'cpu',
  'requests.memory': 'memory',
  resourcequotas: 'resourceQuotas',
  services: 'services',
} as const satisfies Readonly<Record<string, keyof Usage>>;

export type QuotaKey = keyof typeof COUNTED;

/** In the order in which Kubernetes shows them. */
export const QUOTA_KEYS = Object.keys(COUNTED) as readonly QuotaKey[];

export const isQuotaKey = (key: string): key is QuotaKey => Object.hasOwn(COUNTED, key);

/** What counts for a key. */
export const countedFor = (key: QuotaKey): keyof Usage => COUNTED[key];

/** Whether Kubernetes wants every container to say what it requests, where a quota has this key. */
export const isRequested = (key: QuotaKey): boolean => COUNTED[key] === 'cpu' || COUNTED[key] === 'memory';

/** An amount by key; those that a quota does not have are absent. */
export type Amounts = Readonly<Partial<Record<QuotaKey, number>>>;

/** A quantity in the unit of {@link Usage}, rounded down; null: it is none. */
export function amountOf(key: QuotaKey, text: string): number | null {
  const quantity = parseQuantity(text);
  return quantity === null ? null : Math.floor(quantity * (COUNTED[key] === 'cpu' ? 1000 : 1) + SLACK);
}

const SLACK = 1e-6;

/** As Kubernetes writes the amount. Exact. */
export function amountText(key: QuotaKey, amount: number): string {
  const counted = COUNTED[key];
  if (counted === 'cpu') return quantityText(amount / 1000, 'decimal');
  return quantityText(amount, counted === 'memory' && amount % 1024 === 0 ? 'binary' : 'decimal');
}

/** `cpu=2,pods=10`: in the order of their names. */
export const amountsText = (amounts: Amounts): string =>
  QUOTA_KEYS.flatMap((key) => {
    const amount = amounts[key];
    return amount === undefined ? [] : [`${key}=${amountText(key, amount)}`];
  }).join(',');
