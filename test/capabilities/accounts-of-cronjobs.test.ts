import { describe, expect, test } from 'vitest';
import {
  ANN,
  type Accounted,
  MASTER,
  anInstallation,
  podOf,
  testAccounts,
  testSubmissions,
} from '../../shared/capabilities/access/test/kube/an-account.ts';
import { SCHEDULE_KINDS } from '../../shared/capabilities/schedules/kinds/index.ts';
import { pathWithin } from '../../shared/domain/kinds/api-kind.ts';
import { MERGE, job } from '../kube/write/a-client.ts';

const CRON_JOBS = pathWithin(SCHEDULE_KINDS.CronJob, 'default');
const aJob = (account: string | null) => ({ ...job('x'), spec: { template: { spec: podOf(account) } } });

const CRON_JOB: Accounted = [
  'CronJob',
  CRON_JOBS,
  'spec.jobTemplate.spec.template.spec.serviceAccountName',
  (account) => ({
    kind: 'CronJob',
    metadata: { name: 'x' },
    spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: { spec: podOf(account) } } } },
  }),
];
const [, , , aCron] = CRON_JOB;

describe('a CronJob under a ServiceAccount', () => {
  testAccounts(CRON_JOB);
});

test('which objects of S3 start a CronJob under an account is not changed beside its status either', async () => {
  const { as, grant } = await anInstallation();
  await grant('statuses', [{ verbs: ['update', 'patch'], apiGroups: ['batch'], resources: ['cronjobs/status'] }]);
  expect((await as(MASTER, 'POST', CRON_JOBS, aCron('reports'))).code).toBe(201);
  const place = { metadata: { annotations: { 'muster.run/on-object-created': 'bucket/mine/*' } } };
  for (const path of [`${CRON_JOBS}/x`, `${CRON_JOBS}/x/status`]) {
    expect((await as(ANN, 'PATCH', path, place, MERGE)).code).toBe(403);
    expect((await as(ANN, 'PATCH', path, { metadata: { annotations: { a: 'b' } } }, MERGE)).code).toBe(200);
    expect((await as(MASTER, 'PATCH', `${path}?dryRun=All`, place, MERGE)).code).toBe(200);
  }
});

testSubmissions([[CRON_JOBS, aCron('reports')]], aJob, [{ kind: 'CronJob', name: 'x' }]);
