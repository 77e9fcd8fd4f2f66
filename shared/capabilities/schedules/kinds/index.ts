import { type ApiKind, READ, WRITE, WRITTEN, grant, statusOf } from '../../../domain/kinds/api-kind.ts';

/** CronJobs, which make Jobs by a schedule. */
export const SCHEDULE_KINDS = {
  CronJob: {
    group: 'batch',
    version: 'v1',
    ...WRITTEN,
    kind: 'CronJob',
    plural: 'cronjobs',
    shortNames: ['cj'],
    categories: ['all'],
    subresources: [statusOf('CronJob')],
    stored: true,
    counted: 'cronJobs',
    ownsJobs: 'slots',
    component: 'cronjob-controller',
    grants: [grant('view', READ, '', 'status'), grant('edit', WRITE)],
  },
} as const satisfies Readonly<Record<string, ApiKind>>;
