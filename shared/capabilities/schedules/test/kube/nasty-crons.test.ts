import { expect, test } from 'vitest';
import { faultsOf } from '../../../../../test/kube/bounds/brief-answers.ts';
import { BATCH, other, pod, times } from '../../../../../test/kube/bounds/request-forms.ts';

test.each(
  [
    other('CronJob', 'a long schedule', `${BATCH}/cronjobs`, {
      spec: { schedule: '1,'.repeat(100_000), jobTemplate: { spec: { template: { spec: pod() } } } },
    }),
    other('CronJob', 'a schedule of many parts', `${BATCH}/cronjobs`, {
      spec: {
        schedule: `${times(60_000, (i) => i % 60).join()} * * * *`,
        jobTemplate: { spec: { template: { spec: pod() } } },
      },
    }),
    other('CronJob', 'a schedule that never comes', `${BATCH}/cronjobs`, {
      spec: { schedule: '0 0 31 2 *', jobTemplate: { spec: { template: { spec: pod() } } } },
    }),
  ].map((request) => [request.what, request] as const),
)('%s', async (_, request) => {
  expect(await faultsOf(request)).toEqual([]);
});
