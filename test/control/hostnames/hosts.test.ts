import { beforeEach, expect, test } from 'vitest';
import type { MemoryHostnames } from '../../../shared/adapters/memory/memory-hostnames.ts';
import { deletePod } from '../../../shared/control/lifecycle/job-changes.ts';
import type { Handler } from '../../support/a-handler.ts';
import { BAD } from '../../support/a-stage.ts';
import { NAMED, NamedStage, nameOf } from './a-named-stage.ts';

// When the names of tasks appear, change, and go.

let stage: NamedStage;
let dns: MemoryHostnames;
let handler: Handler;
const go = async (seconds: number): Promise<void> => stage.go(seconds, handler);

beforeEach(() => {
  stage = new NamedStage();
  dns = stage.dns;
  handler = stage.handler();
});

test('every running index resolves under its own name only', async () => {
  const uid = await stage.job(NAMED);
  await go(3);
  expect(stage.shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
  expect(await stage.store.hosts.reservations()).toMatchObject([{ uid, count: 3 }]);
});

test('names exist before the tasks start', async () => {
  const uid = await stage.job(NAMED);
  await stage.settle(handler);
  expect(stage.started(uid, 0).map((task) => task.stage)).toEqual(['starting']);
  expect(dns.names()).toEqual([0, 1, 2].map((index) => nameOf(index)));
  const { calls } = handler;
  expect(calls.indexOf('hostnames.ensureService')).toBeLessThan(calls.indexOf('tasks.run'));
});

test('a killed worker returns under the same name with a new address', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
  const uid = await stage.job(NAMED);
  await go(3);
  const first = [...dns.lookUp(nameOf(1)).values()];
  stage.fate = { ...stage.fate, runMs: 3_600_000 };
  await go(120);
  expect(stage.shown(uid)).toEqual(['attempt 2', 'attempt 2', 'attempt 2']);
  const second = [...dns.lookUp(nameOf(1)).values()];
  expect(second).toHaveLength(1);
  expect(second).not.toEqual(first);
});

test('if an attempt is replaced while it stops, only the new attempt has the name', async () => {
  stage.fate = { ...stage.fate, stopMs: 100_000 };
  const uid = await stage.job({ ...NAMED, completions: 1 });
  await stage.change(uid, { podReplacementPolicy: 'TerminatingOrFailed' });
  await go(3);
  await deletePod(uid, { index: 0, attempt: 1, nonce: 0 }, handler.deps);
  await go(50);
  expect(stage.started(uid, 0).map((task) => task.stage)).toEqual(['stopping', 'running']);
  expect(stage.shown(uid, 1)).toEqual(['attempt 2']);
});

test('a Pod that continues in a new task resolves to its new address', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
  const uid = await stage.job({ ...NAMED, completions: 1, restartPolicy: 'OnFailure' });
  await go(3);
  const first = [...dns.lookUp(nameOf(0)).values()];
  stage.fate = { ...stage.fate, runMs: 3_600_000 };
  await go(60);
  expect(stage.shown(uid, 1)).toEqual(['attempt 1']);
  expect([...dns.lookUp(nameOf(0)).values()]).not.toEqual(first);
});

test('when a task has ended, its name resolves to nothing, before the sweep', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
  const uid = await stage.job(NAMED);
  await go(3);
  expect(stage.shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
  await go(5);
  expect([0, 1, 2].map((index) => dns.lookUp(nameOf(index)).size)).toEqual([0, 0, 0]);
});

test('a Job whose tasks have no names costs no additional read, write, or message', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000 };
  const run = async (hostnames: MemoryHostnames | null): Promise<readonly string[]> => {
    stage = new NamedStage();
    stage.hostnames = hostnames;
    stage.fate = { ...stage.fate, runMs: 5_000 };
    handler = stage.handler();
    const uid = await stage.job({ completions: 25, parallelism: 25 });
    for (let second = 0; second < 15; second++) {
      stage.advance(1_000);
      await stage.settle(handler);
    }
    expect((await stage.status(uid)).phase.kind).toBe('finished');
    return handler.calls;
  };
  const without = await run(null);
  expect(await run(dns)).toEqual(without);
  expect(without.filter((call) => call.startsWith('host'))).toEqual([]);
});
