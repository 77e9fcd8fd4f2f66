import { describe, expect, test } from 'vitest';
import { quotaDocument } from '../../shared/capabilities/quotas/test/limit-documents.ts';
import { cronJob } from '../../shared/capabilities/schedules/test/cli/cron-job.ts';
import { indexed } from '../../shared/capabilities/simulate/test/a-simulation.ts';
import { simulate } from '../../shared/capabilities/simulate/test/run-simulate.ts';
import { isThere } from '../support/kinds-there.ts';

describe('muster simulate of a CronJob', () => {
  const berlin = { timeZone: 'Europe/Berlin', concurrencyPolicy: 'Forbid' };
  const files = { 'cron.yaml': cronJob('report', '*/30 2 * * *', berlin) };

  test('each slot, changes of the clock, and sums', async () => {
    const { code, out, err } = await simulate(
      '-f cron.yaml --now 2026-03-28T00:00:00Z --days 3 --job-takes 40m',
      files,
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatchInlineSnapshot(`
      "report  default, simulated  */30 2 * * *  Europe/Berlin  3d from 2026-03-28T00:00:00Z

      Slots
        EUROPE/BERLIN               JOB               WHAT            WHY
        2026-03-28T02:00:00+01:00   report-29577660   runs
        2026-03-28T02:30:00+01:00   report-29577690   runs 10m late
        2026-03-30T02:00:00+02:00   report-29580480   runs
        2026-03-30T02:30:00+02:00   report-29580510   runs 10m late

      Clock
        2026-03-29T03:00:00+02:00  the clock goes forward by 60m, without 02:00, 02:30

      Summary
        slots       4
        runs        4: 4 complete
        late        2
        skipped     0
        at once     1 at most
        job time    160m (9600 s)
        kept        3 Jobs at the end
      "
    `);
  });

  test('a script says how each Job ends', async () => {
    const script = { attempts: [{ run: '90m', exitCode: 3 }] };
    const line = '-f cron.yaml --script fates.yaml --days 1 -o json';
    const job = cronJob('report', '0 * * * *', berlin);
    Object.assign(job.spec.jobTemplate.spec, { backoffLimit: 0 });
    const { code, out } = await simulate(line, { 'cron.yaml': job, 'fates.yaml': script });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      timeZone: 'Europe/Berlin',
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-02T00:00:00Z',
      summary: {
        slots: 23,
        runs: 16,
        failed: 15,
        running: 1,
        late: 8,
        skipped: { 'by Forbid': 7 },
        mostAtOnce: 1,
        kept: 2,
      },
      clockChanges: [],
      slots: expect.arrayContaining([
        expect.objectContaining({ utc: '2026-01-01T02:00:00Z', lateSeconds: 1800, end: 'failed' }),
        expect.objectContaining({ skipped: 'Forbid: report-29453880 was running' }),
      ]) as unknown,
    });
    expect((await simulate(line, { 'cron.yaml': job, 'fates.yaml': script })).out).toBe(out);
  });

  test('of many slots, only those that something happens to', async () => {
    const many = { 'cron.yaml': cronJob('report', '*/10 * * * *') };
    const { out } = await simulate('-f cron.yaml --days 2', many);
    expect(out).toContain('Slots\n  287 slots run in time and alone\n');
    const others = (await simulate('-f cron.yaml --days 2 --job-takes 11m', many)).out;
    expect(others).toContain('besides 1 other\n');
    expect(others).toContain('1 slots run in time and alone\n  and 186 others: -o json has all\n');
  });

  test.each([
    ['-f job.yaml --days 3', '--days and --job-takes are for a CronJob'],
    ['-f cron.yaml --succeeded 1', '--succeeded is for a Job with muster.run/rerun-of'],
    ['-f cron.yaml --script fates.yaml --job-takes 1m', 'it cannot be combined with --job-takes'],
    ['-f cron.yaml --days 0', 'It must be a whole number from 1 to 3660.'],
    ['-f bad.yaml', 'bad.yaml is refused: spec.schedule: Invalid value: "99 * * * *"'],
    ['-f often.yaml --days 60', 'it fires more than 50000 times in 60 days: say fewer --days'],
    ['-f cron.yaml --script gone.yaml', 'the script deletes the Job'],
    ['-f cron.yaml --script wrong.yaml', 'wrong.yaml is refused'],
    ['-f limited.yaml', 'a ResourceQuota and a LimitRange are simulated beside a Job, not beside a CronJob'],
    [
      '-f two.yaml',
      `error: two.yaml has 2 objects; simulate takes one Job or CronJob, ${isThere('WorkList') ? 'the WorkList that it names, ' : ''}and ResourceQuotas and LimitRanges`,
    ],
    ['-f weekly.yaml', 'weekly.yaml holds a JobConfig: muster simulate takes a Job or a CronJob; muster cron next -f'],
  ])('refused: %s', async (line, why) => {
    const { code, out, err } = await simulate(line, {
      ...files,
      'job.yaml': indexed(2),
      'bad.yaml': cronJob('report', '99 * * * *'),
      'often.yaml': cronJob('report', '* * * * *', { suspend: true }),
      'fates.yaml': { attempts: [] },
      'gone.yaml': { attempts: [{ run: '5s' }], user: [{ at: '1s', delete: true }] },
      'wrong.yaml': { attempts: [{ runs: '5s' }] },
      'limited.yaml': `${JSON.stringify(quotaDocument({ pods: '2' }))}\n---\nkind: CronJob`,
      'two.yaml': 'kind: Job\n---\nkind: CronJob\n',
      'weekly.yaml': { apiVersion: 'execution.furiko.io/v1alpha1', kind: 'JobConfig', metadata: { name: 'weekly' } },
    });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(why);
  });
});
