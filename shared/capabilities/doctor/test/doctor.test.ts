import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isThere } from '../../../../test/support/kinds-there.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { createDoctor } from '../control/create-doctor.ts';
import { FINDING_KINDS } from '../domain/finding.ts';
import { NO_LOGS } from '../../../../test/support/no-logs.ts';
import { Stage } from '../../../../test/support/a-stage.ts';
import { MINUTE_MS, examiner, aJobAtWork, short, find } from './examined-job.ts';

describe('a failed check is a finding, and the other checks continue', () => {
  const THROTTLED = async (): Promise<never> => Promise.reject(new Error('Rate exceeded'));

  test('ECS', async () => {
    const w = await aJobAtWork();
    for (const tasks of [
      { ...w.deps.tasks, describe: async () => ({ kind: 'later', reason: 'Rate exceeded' }) as const },
      { ...w.deps.tasks, listLive: async () => ({ kind: 'later', reason: 'Rate exceeded' }) as const },
      { ...w.deps.tasks, describe: THROTTLED },
    ]) {
      const doctor = createDoctor(
        { deadLetters: w.stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS },
        { ...w.deps, tasks },
      );
      const diagnosis = await doctor.job('default', 'work');
      expect(short(diagnosis)).toEqual(['error NotChecked', 'info Active']);
      expect(find(diagnosis, 'NotChecked').what).toMatch(/its tasks could not be checked: .*Rate exceeded/);
      expect(find(await doctor.installation(), 'NotChecked').what).toMatch(/live tasks could not/);
    }
  });

  test.each([
    ['findJob', ['error NotChecked']],
    ['readStatus', ['error NotChecked']],
    ['readSpec', ['error NotChecked']],
    ['readChunks', ['error NotChecked']],
    ['readLaunchRange', ['error NotChecked', 'info Active']],
  ] as const)('the table: %s', async (method, expected) => {
    const w = await aJobAtWork();
    const jobs = { ...w.deps.jobs, [method]: THROTTLED };
    const doctor = createDoctor(
      { deadLetters: w.stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS },
      { ...w.deps, jobs },
    );
    expect(short(await doctor.job('default', 'work'))).toEqual(expected);
  });

  test('everything at once', async () => {
    const w = await aJobAtWork();
    const broken = <T extends object>(port: T): T => new Proxy(port, { get: () => THROTTLED }) as T;
    const deps: Deps = {
      ...w.deps,
      jobs: broken(w.deps.jobs),
      feed: broken(w.deps.feed),
      objects: broken(w.deps.objects),
      tasks: broken(w.deps.tasks),
      limits: broken(w.deps.limits),
      hosts: broken(w.deps.hosts),
      settings: { ...w.deps.settings, launchesPerSec: 20 },
    };
    const doctor = createDoctor(
      { deadLetters: broken(w.stage.store.deadLetters), queueDepths: THROTTLED, logs: NO_LOGS },
      deps,
    );
    expect(short(await doctor.installation())).toEqual(
      Array.from({ length: isThere('CronJob') ? 9 : 8 }, () => 'error NotChecked'),
    );
    expect(short(await doctor.job('default', 'work'))).toEqual(['error NotChecked']);
    for (const [namespace, subject] of [
      ['default', 'namespace/default'],
      [null, 'installation'],
    ] as const) {
      const findings = [{ kind: 'NotChecked', subject }];
      expect(await doctor.jobs({ namespace, after: null })).toMatchObject({ findings, checked: 0, next: null });
    }
    const feedOnly = createDoctor(
      { deadLetters: w.stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS },
      { ...w.deps, feed: broken(w.deps.feed) },
    );
    expect(short(await feedOnly.job('default', 'work'))).toEqual(['error NotChecked', 'info Active']);
  });
});

test('Jobs are listed page by page, and a finished Job costs one read', async () => {
  const stage = new Stage();
  for (let nth = 0; nth < 60; nth++)
    await stage.job({ uid: `uid-${nth}`, name: `job-${String(nth).padStart(2, '0')}`, completions: 1, parallelism: 1 });
  await stage.settle();
  stage.advance(3_700_000);
  await stage.settle();
  stage.advance(2 * MINUTE_MS);
  await stage.sweep();
  await stage.settle();
  const { doctor, handler } = examiner(stage);
  const first = await doctor.jobs({ namespace: 'default', after: null });
  expect(first).toMatchObject({ checked: 50, findings: [] });
  const second = await doctor.jobs({ namespace: 'default', after: first.next });
  expect(second).toMatchObject({ checked: 10, findings: [], next: null });
  expect(handler.calls.filter((call) => call !== 'jobs.readStatus' && call !== 'jobs.listJobs')).toEqual([]);
});

test('a check changes nothing', async () => {
  const w = await aJobAtWork({ finalizers: ['example.com/archive'] });
  w.stage.advance(9 * MINUTE_MS);
  const { mail } = w.stage;
  const shot = async () => [await w.stage.status(w.uid), mail.size('wake'), mail.size('facts'), mail.size('dispatch')];
  const before = await shot();
  w.handler.calls.length = 0;
  await w.doctor.job('default', 'work');
  await w.doctor.jobs({ namespace: null, after: null });
  await w.doctor.restored({ namespace: null, after: null });
  await w.doctor.installation();
  const READS =
    /^(jobs\.(find|list|read|due)|feed\.(readMark|head)|objects\.(read|list)|tasks\.(describe|listLive)|limits\.read|hosts\.(reservations|list))/;
  expect(w.handler.calls.length).toBeGreaterThan(5);
  expect(w.handler.calls.filter((call) => !READS.test(call))).toEqual([]);
  expect(await shot()).toEqual(before);
});

test('the page explains every kind of finding, and no other', () => {
  const page = readFileSync(new URL('../../../../docs/doctor.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([A-Z]\w+)`/g)].map(([, kind]) => kind));
  expect(named).toHaveLength(new Set(named).size);
  expect(new Set(named)).toEqual(new Set(FINDING_KINDS));
});
