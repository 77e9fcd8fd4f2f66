import { READ, WRITE, WRITTEN, type ApiKind, grant, statusOf } from '../../../domain/kinds/api-kind.ts';

const FURIKO = { group: 'execution.furiko.io', version: 'v1alpha1' } as const;

/** The kinds of Furiko, https://furiko.io. */
export const FURIKO_KINDS = {
  JobConfig: {
    ...FURIKO,
    ...WRITTEN,
    kind: 'JobConfig',
    plural: 'jobconfigs',
    shortNames: ['furikojobconfig', 'furikojobconfigs'],
    subresources: [statusOf('JobConfig', ['get'])],
    stored: true,
    counted: 'jobConfigs',
    ownsJobs: 'places',
    component: 'jobconfig-controller',
    grants: [grant('view', READ, '', 'status'), grant('edit', WRITE)],
  },
  FurikoJob: {
    ...FURIKO,
    ...WRITTEN,
    kind: 'Job',
    plural: 'jobs',
    shortNames: ['furikojob', 'furikojobs'],
    subresources: [statusOf('Job', ['get'])],
    grants: [grant('view', READ, '', 'status'), grant('edit', WRITE)],
  },
} as const satisfies Readonly<Record<string, ApiKind>>;
