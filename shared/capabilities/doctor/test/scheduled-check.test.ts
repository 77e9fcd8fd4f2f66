import { expect, test } from 'vitest';
import { createScheduledCheck } from '../control/scheduled-check.ts';
import { type JobUid, asJobUid } from '../../../domain/base/ids.ts';
import type { LogReader } from '../../../ports/log-reader.ts';
import type { Handler } from '../../../../test/support/a-handler.ts';
import { DONE, Stage } from '../../../../test/support/a-stage.ts';

const LOGS: LogReader = {
  read: async () => Promise.reject(new Error('the check reads no logs')),
  readBack: async () => Promise.reject(new Error('the check reads no logs')),
};

/** Jobs whose tasks run. */
async function running(count: number): Promise<{ readonly stage: Stage; readonly uids: readonly JobUid[] }> {
  const stage = new Stage();
  stage.fate = { startMs: 100, runMs: 3_600_000, stopMs: 100, ending: DONE };
  const uids: JobUid[] = [];
  for (let n = 0; n < count; n++)
    uids.push(await stage.job({ uid: `uid-${n}`, name: `job-${n}`, completions: 1, parallelism: 1 }));
  await stage.settle();
  stage.advance(2_000);
  await stage.settle();
  return { stage, uids };
}

/** The Jobs whose STATUS a check has read. */
function watched(handler: Handler): readonly JobUid[] {
  const read: JobUid[] = [];
  const { jobs } = handler.deps;
  Object.assign(handler.deps, {
    jobs: new Proxy(jobs, {
      get: (target, method) =>
        method === 'readStatus'
          ? async (uid: JobUid) => {
              read.push(uid);
              return jobs.readStatus(uid);
            }
          : (Reflect.get(target, method) as unknown),
    }),
  });
  return read;
}

test('what is healthy is no error, and nothing is written', async () => {
  const { stage } = await running(3);
  const handler = stage.handler();
  const read = watched(handler);
  expect(await createScheduledCheck()(handler.deps, LOGS)).toBe(0);
  expect(new Set(read).size).toBe(3);
  expect(handler.counts.size).toBe(0);
  expect(handler.calls.filter((call) => call.startsWith('tasks.') || call.startsWith('queues.'))).toEqual([]);
});

test('Jobs that were due and not checked are errors, in every check until they are', async () => {
  const { stage, uids } = await running(3);
  const said: unknown[] = [];
  const handler = stage.handler();
  const deps = {
    ...handler.deps,
    telemetry: { ...handler.deps.telemetry, info: (...line: readonly unknown[]) => void said.push(line) },
  };
  const check = createScheduledCheck();
  stage.advance(3_600_000); // and no sweep in all that time
  expect(await check(deps, LOGS)).toBeGreaterThan(uids.length);
  expect(JSON.stringify(said)).toContain('AlarmOverdue');
  expect(JSON.stringify(said)).toContain('job/default/job-0');
  expect(await check(deps, LOGS)).toBeGreaterThan(uids.length);
  await stage.sweep();
  await stage.settle();
  handler.counts.clear();
  expect(await check(deps, LOGS)).toBe(0);
  expect(handler.counts.get('FindingsError')).toBeUndefined();
});

test('of many Jobs each has its turn, and none of the checks reads more than forty', async () => {
  const { stage, uids } = await running(100);
  const handler = stage.handler();
  const read = watched(handler);
  const check = createScheduledCheck();
  const seen = new Set<JobUid>();
  for (let n = 0; n < 3; n++) {
    const before = read.length;
    expect(await check(handler.deps, LOGS)).toBe(0);
    const now = new Set(read.slice(before));
    expect(now.size).toBeLessThanOrEqual(40);
    for (const uid of now) seen.add(uid);
  }
  expect(seen).toEqual(new Set(uids));
});

test('a Job in error is looked at again by the next check, out of turn, and so its alarm sees it last', async () => {
  const { stage } = await running(100);
  const handler = stage.handler();
  const bad = asJobUid('uid-0');
  const { jobs } = handler.deps;
  const broken = async (uid: JobUid) => {
    if (uid === bad) throw new Error('a row is damaged');
    return stage.store.jobs.readStatus(uid);
  };
  const deps = {
    ...handler.deps,
    jobs: new Proxy(jobs, {
      get: (target, method) => (method === 'readStatus' ? broken : (Reflect.get(target, method) as unknown)),
    }),
  };
  const check = createScheduledCheck();
  const found: number[] = [];
  for (let n = 0; n < 6; n++) found.push(await check(deps, LOGS));
  const first = found.indexOf(1);
  expect([first < 3, found.slice(first)]).toEqual([true, found.slice(first).map(() => 1)]);
});

test('what cannot be read is an error too', async () => {
  const { stage } = await running(1);
  const handler = stage.handler();
  for (let n = 0; n < 2; n++)
    handler.arrange('jobs.dueJobs', async () => Promise.reject(new Error('the index is throttled')));
  expect(await createScheduledCheck()(handler.deps, LOGS)).toBe(2);
  expect(handler.counts.get('FindingsError')).toBe(2);
});
