import { beforeEach, expect, test } from 'vitest';
import type { MemoryHostnames } from '../memory-hostnames.ts';
import { deletePod } from '../../../../control/lifecycle/job-changes.ts';
import { BAD, Stage } from '../../../../../test/support/a-stage.ts';
import { NAMED, NamedStage, nameOf } from './a-named-stage.ts';

// When the names of tasks appear, change, and go.

let stage: NamedStage;
beforeEach(() => {
  stage = new NamedStage();
});

test('every running index resolves under its own name only', async () => {
  const uid = await stage.job(NAMED);
  await stage.go(3);
  expect(stage.shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
  expect(await stage.store.hosts.reservations()).toMatchObject([{ uid, count: 3 }]);
});

test('names exist before the tasks start', async () => {
  const uid = await stage.job(NAMED);
  await stage.settle(stage.worker);
  expect(stage.started(uid, 0).map((task) => task.stage)).toEqual(['starting']);
  expect(stage.dns.names()).toEqual([0, 1, 2].map((index) => nameOf(index)));
  const { calls } = stage.worker;
  expect(calls.indexOf('hostnames.ensureService')).toBeLessThan(calls.indexOf('tasks.run'));
});

test('a killed worker returns under the same name with a new address', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
  const uid = await stage.job(NAMED);
  await stage.go(3);
  const first = [...stage.dns.lookUp(nameOf(1)).values()];
  stage.fate = { ...stage.fate, runMs: 3_600_000 };
  await stage.go(120);
  expect(stage.shown(uid)).toEqual(['attempt 2', 'attempt 2', 'attempt 2']);
  const second = [...stage.dns.lookUp(nameOf(1)).values()];
  expect(second).toHaveLength(1);
  expect(second).not.toEqual(first);
});

test('if an attempt is replaced while it stops, only the new attempt has the name', async () => {
  stage.fate = { ...stage.fate, stopMs: 100_000 };
  const uid = await stage.job({ ...NAMED, completions: 1 });
  await stage.change(uid, { podReplacementPolicy: 'TerminatingOrFailed' });
  await stage.go(3);
  await deletePod(uid, { index: 0, attempt: 1, nonce: 0 }, stage.worker.deps);
  await stage.go(50);
  expect(stage.started(uid, 0).map((task) => task.stage)).toEqual(['stopping', 'running']);
  expect(stage.shown(uid, 1)).toEqual(['attempt 2']);
});

test('a Pod that continues in a new task resolves to its new address', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
  const uid = await stage.job({ ...NAMED, completions: 1, restartPolicy: 'OnFailure' });
  await stage.go(3);
  const first = [...stage.dns.lookUp(nameOf(0)).values()];
  stage.fate = { ...stage.fate, runMs: 3_600_000 };
  await stage.go(60);
  expect(stage.shown(uid, 1)).toEqual(['attempt 1']);
  expect([...stage.dns.lookUp(nameOf(0)).values()]).not.toEqual(first);
});

test('when a task has ended, its name resolves to nothing, before the sweep', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
  const uid = await stage.job(NAMED);
  await stage.go(3);
  expect(stage.shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
  await stage.go(5);
  expect([0, 1, 2].map((index) => stage.dns.lookUp(nameOf(index)).size)).toEqual([0, 0, 0]);
});

test('a Job whose tasks have no names costs no additional read, write, or message', async () => {
  const run = async (hostnames: MemoryHostnames | null): Promise<readonly string[]> => {
    const other = new Stage();
    other.ports = hostnames === null ? {} : { hostnames };
    other.fate = { ...other.fate, runMs: 5_000 };
    const handler = other.handler();
    const uid = await other.job({ completions: 25, parallelism: 25 });
    for (let second = 0; second < 15; second++) {
      other.advance(1_000);
      await other.settle(handler);
    }
    expect((await other.status(uid)).phase.kind).toBe('finished');
    return handler.calls;
  };
  const without = await run(null);
  expect(await run(stage.dns)).toEqual(without);
  expect(without.filter((call) => call.startsWith('host'))).toEqual([]);
});
