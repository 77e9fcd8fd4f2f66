import { expect, test } from 'vitest';
import { VirtualCronJob } from './a-virtual-cronjob.ts';

// The cases of Kubernetes' own end-to-end tests that wait for minutes (test/conformance/cronjobs.test.ts runs all twelve in real
// ones), in a time that passes at once.

const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 5 * MINUTE_MS;
/** Their programs sleep for five minutes. */
const SLEEPS = { runMs: FIVE_MINUTES_MS };

test('Allow runs Jobs concurrently', async () => {
  const cron = await VirtualCronJob.begin({ concurrencyPolicy: 'Allow' }, SLEEPS);
  await cron.untilActive(2, FIVE_MINUTES_MS);
  expect((await cron.jobs()).filter(({ end }) => end === null)).toHaveLength(2);
});

test('a suspended CronJob creates no Jobs', async () => {
  const cron = await VirtualCronJob.begin({ suspend: true }, SLEEPS);
  await cron.pass(FIVE_MINUTES_MS);
  expect([await cron.active(), await cron.jobs()]).toEqual([[], []]);
});

test('Forbid runs one Job at a time, and then the next', async () => {
  const cron = await VirtualCronJob.begin({ concurrencyPolicy: 'Forbid' }, SLEEPS);
  const [first] = await cron.untilActive(1, 2 * MINUTE_MS);
  for (let minute = 0; minute < 4; minute++) {
    await cron.pass(MINUTE_MS);
    expect([await cron.active(), (await cron.jobs()).map(({ name }) => name)]).toEqual([[first], [first]]);
  }
  expect(await cron.reasons()).toContain('JobAlreadyActive');
  await cron.pass(2 * MINUTE_MS);
  expect((await cron.active()).filter((name) => name !== first)).toHaveLength(1);
});

test('Replace deletes the running Job', async () => {
  const cron = await VirtualCronJob.begin({ concurrencyPolicy: 'Replace' }, SLEEPS);
  const [first] = await cron.untilActive(1, 2 * MINUTE_MS);
  await cron.pass(MINUTE_MS);
  const jobs = await cron.jobs();
  expect([jobs.map(({ end }) => end), jobs.some(({ name }) => name === first)]).toEqual([[null], false]);
});

test('more than 100 missed times do not stop a CronJob', async () => {
  const cron = await VirtualCronJob.begin({ concurrencyPolicy: 'Forbid' }, SLEEPS);
  const lastScheduleTime = new Date(cron.now - 98 * 86_400_000).toISOString();
  await cron.patchStatus({ lastScheduleTime });
  await cron.untilActive(1, 2 * MINUTE_MS);
  expect(await cron.jobs()).toHaveLength(1);
  expect(await cron.reasons()).toEqual(expect.arrayContaining(['TooManyMissedTimes', 'SuccessfulCreate']));
});

test('normal running gives no warnings', async () => {
  const cron = await VirtualCronJob.begin({});
  await cron.pass(3 * MINUTE_MS);
  expect((await cron.jobs()).filter(({ end }) => end === 'complete').length).toBeGreaterThanOrEqual(2);
  expect([...new Set(await cron.reasons())].sort()).toEqual(['SawCompletedJob', 'SuccessfulCreate']);
});

test('a Job says which scheduled time it is for', async () => {
  const cron = await VirtualCronJob.begin({});
  await cron.pass(MINUTE_MS + 5_000);
  const [job] = await cron.jobs();
  const time = (await cron.annotationsOf(job!.uid))['batch.kubernetes.io/cronjob-scheduled-timestamp'] ?? '';
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/);
  expect(job?.name).toBe(`tick-${Date.parse(time) / MINUTE_MS}`);
});

test('a deleted Job leaves status.active', async () => {
  const cron = await VirtualCronJob.begin({ concurrencyPolicy: 'Forbid' }, SLEEPS);
  await cron.untilActive(1, 2 * MINUTE_MS);
  const [job] = await cron.jobs();
  await cron.deleteJob(job!.uid);
  await cron.until(MINUTE_MS, async () => ((await cron.active()).includes(job!.name) ? null : true));
  expect(await cron.reasons()).toContain('MissingJob');
  expect(await cron.reasons()).not.toContain('SawCompletedJob');
});

test.each([
  ['successes', { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 }, 0, 'complete'],
  ['failures', { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 1 }, 1, 'failed'],
] as const)('the history of %s ends at its limit', async (_, limits, exitCode, end) => {
  const cron = await VirtualCronJob.begin(limits, { exitCode });
  const ended = async () => (await cron.jobs()).filter((job) => job.end !== null);
  const [first] = await cron.until(2 * MINUTE_MS, async () => ((await ended()).length > 0 ? ended() : null));
  const left = await cron.until(2 * MINUTE_MS, async () => {
    const jobs = await ended();
    return jobs.length > 0 && jobs.every(({ name }) => name !== first?.name) ? jobs : null;
  });
  expect(left.map((job) => job.end)).toEqual([end]);
});
