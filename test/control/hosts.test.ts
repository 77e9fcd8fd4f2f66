import { beforeEach, describe, expect, test } from 'vitest';
import { type MemoryHostnames, createMemoryHostnames } from '../../shared/adapters/memory/hostnames.ts';
import { sweepHosts, sweepStrangeNames } from '../../shared/control/hosts-sweep.ts';
import { deleteJob } from '../../shared/control/job-changes.ts';
import { type JobUid, asJobUid, taskIdOf } from '../../shared/domain/brand.ts';
import { BAD, Stage } from '../support/a-stage.ts';
import type { Handler } from '../support/a-handler.ts';

let stage: Stage;
let dns: MemoryHostnames;
/** Why Cloud Map does not do what it is asked to; null: it does. */
let trouble: ((call: string) => string | null) | null;
let handler: Handler;

beforeEach(() => {
  trouble = null;
  dns = createMemoryHostnames({ zone: 'muster.internal', trouble: (call) => trouble?.(call) ?? null });
  stage = new Stage();
  stage.hostnames = dns;
  handler = stage.handler();
});

const NAMED = { name: 'train', subdomain: 'workers', completions: 3, parallelism: 3 };
const nameOf = (index: number, name = 'train'): string => `${name}-${index}.workers.default`;

/** Goes on for `seconds`, with all that is sent meanwhile and the minute's sweep. */
async function go(seconds: number, by: Handler = handler): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    stage.advance(1_000);
    if (Math.floor(stage.time / 1_000) % 60 === 0) {
      await stage.sweep(by);
      await sweepHosts(by.deps);
    }
    await stage.settle(by);
  }
}

/** What DNS says of each index: addresses of tasks that run, and nothing else, by index. */
function shown(uid: JobUid, count = 3, name = 'train'): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const found = dns.lookUp(nameOf(index, name));
    const live = new Map(stage.started(uid, index).map((task) => [taskIdOf(task.arn), task]));
    return [...found]
      .map(([id, ip]) => {
        const task = live.get(id);
        if (task === undefined) return 'a stranger';
        return task.privateIp === ip
          ? `attempt ${task.id.attempt}${task.stage === 'running' ? '' : ` ${task.stage}`}`
          : 'another address';
      })
      .sort()
      .join(', ');
  });
}

describe('names of tasks', () => {
  test('every running index is found under its name, and under no other', async () => {
    const uid = await stage.job(NAMED);
    await go(3);
    expect(shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
    expect(await stage.store.hosts.reservations()).toMatchObject([{ uid, count: 3 }]);
  });

  test('names are there before the tasks are', async () => {
    const uid = await stage.job(NAMED);
    await stage.settle(handler);
    expect(stage.started(uid, 0).map((task) => task.stage)).toEqual(['starting']);
    expect(dns.names()).toEqual([0, 1, 2].map((index) => nameOf(index)));
    const { calls } = handler;
    expect(calls.indexOf('hostnames.ensureService')).toBeLessThan(calls.indexOf('tasks.run'));
  });

  test('a worker that is killed comes back under the same name with a new address', async () => {
    stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
    const uid = await stage.job(NAMED);
    await go(3);
    const first = [...dns.lookUp(nameOf(1)).values()];
    stage.fate = { ...stage.fate, runMs: 3_600_000 };
    await go(120);
    expect(shown(uid)).toEqual(['attempt 2', 'attempt 2', 'attempt 2']);
    const second = [...dns.lookUp(nameOf(1)).values()];
    expect(second).toHaveLength(1);
    expect(second).not.toEqual(first);
  });

  test('when the Job is over, nothing of its names is left', async () => {
    stage.fate = { ...stage.fate, runMs: 5_000 };
    const uid = await stage.job(NAMED);
    await go(15);
    expect((await stage.status(uid)).phase.kind).toBe('finished');
    await expectNothingLeft(uid);
  });

  test('when the Job is deleted, nothing of its names is left', async () => {
    const uid = await stage.job(NAMED);
    await go(3);
    await deleteJob(uid, handler.deps);
    await go(10);
    await expectNothingLeft(uid);
  });
});

async function expectNothingLeft(uid: JobUid): Promise<void> {
  expect(dns.names()).toEqual([]);
  expect(await stage.store.hosts.listHosts(uid)).toEqual([]);
  expect(await stage.store.hosts.reservations()).toEqual([]);
}
