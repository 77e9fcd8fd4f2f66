import type { KubeObject } from '../../../kube/http/kube-object.ts';
import { ageOf } from '../../../kube/list/ages.ts';
import { AGE, NAME, type Printer, text } from '../../../kube/list/printer.ts';
import { at, words } from '../../../kube/list/stored-field.ts';

/** ResourceQuotas as rows, as kubectl shows them. */
export const QUOTA_PRINTER: Printer<KubeObject> = {
  columns: [
    NAME,
    text('Request', 'What is used of each limit on objects, Pods and requests.'),
    text('Limit', 'What is used of each limit on limits.'),
    AGE,
  ],
  cells: (quota, now) => [
    quota.metadata.name,
    usesOf(quota, (key) => !key.startsWith('limits.')),
    usesOf(quota, (key) => key.startsWith('limits.')),
    ageOf(quota.metadata.creationTimestamp, now),
  ],
};

/** LimitRanges as rows, as kubectl shows them. */
export const LIMIT_RANGE_PRINTER: Printer<KubeObject> = {
  columns: [NAME, text('Created At', 'When it was created.')],
  cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp],
};

function usesOf(quota: KubeObject, isMeant: (key: string) => boolean): string {
  const hard = at(quota, 'status', 'hard');
  const limits = typeof hard === 'object' && hard !== null ? Object.entries(hard) : [];
  return limits
    .filter(([key]) => isMeant(key))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, limit]) => `${key}: ${words(at(quota, 'status', 'used', key)) || '0'}/${words(limit)}`)
    .join(', ');
}
