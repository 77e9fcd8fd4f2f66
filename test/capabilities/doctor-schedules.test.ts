import { expect, test } from 'vitest';
import type { Finding } from '../../shared/capabilities/doctor/domain/finding.ts';
import { SCHEDULE_KINDS } from '../../shared/capabilities/schedules/kinds/index.ts';
import { pathWithin } from '../../shared/domain/kinds/api-kind.ts';
import { aWorld } from '../kube/a-world.ts';

const CRONS = pathWithin(SCHEDULE_KINDS.CronJob, 'default');

const findings = async (specs: Readonly<Record<string, object>>) => {
  const world = await aWorld();
  const pod = { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' };
  for (const [name, spec] of Object.entries(specs)) {
    const jobTemplate = { spec: { template: { spec: pod } } };
    const answer = await world.post(CRONS, { metadata: { name }, spec: { ...spec, jobTemplate } });
    expect(answer.status).toBe(201);
  }
  const diagnosis = (await (await world.get('/muster/v1/diagnosis')).json()) as {
    findings: readonly Finding[];
  };
  return diagnosis.findings.filter(({ kind }) => kind === 'NeverFires');
};

test('a CronJob whose date never comes is a finding; one that fires, or is suspended, is none', async () => {
  expect(
    await findings({
      never: { schedule: '0 0 31 2 *' },
      paused: { schedule: '0 0 31 2 *', suspend: true },
      leap: { schedule: '0 0 29 2 *', timeZone: 'Europe/Berlin' },
      often: { schedule: '@every 90m' },
    }),
  ).toMatchObject([
    {
      severity: 'warning',
      subject: 'cronjob/default/never',
      what: 'it creates no Jobs: its schedule "0 0 31 2 *" names no moment of the next five years',
      remedy: 'Write another schedule or timeZone (kubectl edit cronjob never -n default), or suspend it.',
    },
  ]);
});
