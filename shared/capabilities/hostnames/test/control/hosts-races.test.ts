import { beforeEach, expect, test } from 'vitest';
import { sweepHosts } from '../../control/hosts-sweep.ts';
import { type JobUid, taskIdOf } from '../../../../domain/base/ids.ts';
import { plusMs } from '../../../../domain/base/time.ts';
import { factOf } from '../../../../domain/planner/ending.ts';
import type { TaskView } from '../../../../domain/task/task.ts';
import type { Handler } from '../../../../../test/support/a-handler.ts';
import { BAD } from '../../../../../test/support/a-stage.ts';
import { NAMED, NamedStage, nameOf } from './a-named-stage.ts';

// What is late, lost, doubled, or overtaken does not leave a wrong name.

let stage: NamedStage;
beforeEach(() => {
  stage = new NamedStage();
});

test('the late end of an attempt does not remove the next one', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
  const uid = await stage.job({ ...NAMED, completions: 1 });
  await stage.go(3);
  const [first] = stage.started(uid, 0);
  stage.fate = { ...stage.fate, runMs: 3_600_000 };
  await stage.go(60);
  expect(stage.shown(uid, 1)).toEqual(['attempt 2']);
  stage.events.push({ ...first!, stage: 'stopped', ending: BAD });
  await stage.go(3);
  await stage.worker.dispatch([
    { kind: 'hosts', uid, row: 0, seen: [{ ...first!.id, taskArn: first!.arn, ip: '10.9.9.9' }] },
  ]);
  expect(stage.shown(uid, 1)).toEqual(['attempt 2']);
});

test('a handler that loses a race removes its registration', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
  const uid = await stage.job({ ...NAMED, completions: 1 });
  const slow = stage.handler();
  const messages = await stage.begin();
  const held = slow.hold('before', 'hostnames.register');
  const late = slow.dispatch(messages);
  await held.reached;
  stage.advance(5_000);
  await stage.settle(stage.worker); // it has stopped, and the handler that gets the fact removes it
  held.release();
  await late;
  expect(stage.dns.lookUp(nameOf(0)).size).toBe(0);
  stage.fate = { ...stage.fate, runMs: 3_600_000 };
  await stage.go(60);
  expect(stage.shown(uid, 1)).toEqual(['attempt 2']);
});

test('a message that took a minute checks again as a new message', async () => {
  stage.fate = { ...stage.fate, runMs: 50_000, ending: BAD };
  const uid = await stage.job({ ...NAMED, completions: 1 });
  const slow = stage.handler();
  const messages = await stage.begin();
  const held = slow.hold('before', 'hostnames.register');
  const late = slow.dispatch(messages);
  await held.reached;
  stage.fate = { ...stage.fate, startMs: 3_600_000 };
  stage.advance(70_000);
  await stage.settle(stage.worker);
  expect((await stage.store.hosts.readHosts(uid, 0)).hosts[0]?.tasks).toEqual([]);
  held.release();
  await late;
  await stage.go(2);
  expect(stage.dns.lookUp(nameOf(0)).size).toBe(0);
});

test('a late registration by a dead handler is removed, because the row records the plan', async () => {
  const [hung, other] = [stage.handler(), stage.handler()];
  stage.fate = { ...stage.fate, runMs: 20_000, ending: BAD };
  const uid = await stage.job({ ...NAMED, completions: 1 });
  const messages = await stage.begin();
  const late = dieBehind(hung, 'hostnames.register');
  void hung.dispatch(messages);
  await late.reached;
  await other.dispatch(messages); // the same message, doubled
  stage.fate = { ...stage.fate, startMs: 300_000 };
  await stage.go(30); // it has ended, and is removed
  await late.land();
  expect(stage.dns.lookUp(nameOf(0)).size).toBe(1);
  await stage.go(120);
  expect(stage.shown(uid, 1)).toEqual(['']);
});

test('a handler that loses a write reads again before it registers anything', async () => {
  const hung = stage.handler();
  stage.fate = { ...stage.fate, runMs: 20_000, ending: BAD };
  const uid = await stage.job({ ...NAMED, completions: 1 });
  const messages = await stage.begin();
  const held = hung.hold('before', 'hosts.writeHosts');
  const late = hung.dispatch(messages);
  await held.reached;
  await stage.worker.dispatch(messages);
  stage.fate = { ...stage.fate, startMs: 300_000 };
  await stage.go(30);
  held.release();
  await late;
  expect(hung.calls).not.toContain('hostnames.register');
  expect(stage.shown(uid, 1)).toEqual(['']);
});

test('a running task gets the name only if it is the current attempt', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
  const uid = await stage.job({ ...NAMED, completions: 1 });
  await stage.go(3);
  const [first] = stage.started(uid, 0);
  stage.fate = { ...stage.fate, runMs: 3_600_000 };
  await stage.go(30);
  const second = stage.started(uid, 0)[1]!;
  // As if RunTask's answer were not stored yet, and nothing registered.
  await forgetTask(uid);
  const seen = (task: TaskView, ip: string) => ({ ...task.id, taskArn: task.arn, ip });
  await stage.worker.dispatch([{ kind: 'hosts', uid, row: 0, seen: [seen(first!, '10.9.9.9')] }]);
  expect(stage.dns.lookUp(nameOf(0)).size).toBe(0);
  await stage.worker.dispatch([{ kind: 'hosts', uid, row: 0, seen: [seen(second, second.privateIp!)] }]);
  expect(stage.shown(uid, 1)).toEqual(['attempt 2']);
});

test('two handlers at once do the same as one', async () => {
  const uid = await stage.job(NAMED);
  const messages = await stage.begin();
  const others = [stage.handler(), stage.handler(), stage.handler()];
  await Promise.all(others.map(async (each) => each.dispatch(messages)));
  await stage.go(2);
  expect(stage.shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
  const [row] = await stage.store.hosts.listHosts(uid);
  expect(row?.hosts.map(({ tasks }) => tasks.length)).toEqual([1, 1, 1]);
});

test('the sweep repairs names after a lost message, with the address from ECS', async () => {
  const uid = await stage.job(NAMED);
  await stage.begin(); // its messages are lost
  expect(stage.shown(uid)).toEqual(['', '', '']);
  await stage.go(61);
  expect(stage.shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
  stage.worker.calls.splice(0);
  await stage.go(120);
  expect(stage.worker.calls).not.toContain('hostnames.register'); // correct entries do not change
});

test('a Job whose rows cannot be read does not delay the sweep of the others', async () => {
  const broken = await stage.job({ ...NAMED, uid: 'uid-broken' });
  await stage.go(3);
  const uid = await stage.job({ ...NAMED, name: 'other', uid: 'uid-other' });
  await stage.settle(stage.worker);
  stage.advance(2_000);
  const running = stage.events.splice(0); // the fact that they run is lost
  expect(running).not.toEqual([]);
  const { jobs } = stage.worker.deps;
  const readStatus: typeof jobs.readStatus = async (asked) => {
    if (asked === broken) throw new Error('row JOB#uid-broken STATUS has no readable body');
    return jobs.readStatus(asked);
  };
  await stage.worker.pass({ uid, facts: running.flatMap((view) => factOf(view) ?? []) });
  stage.takeDispatches();
  expect(stage.shown(uid, 3, 'other')).toEqual(['', '', '']);
  expect(await sweepHosts({ ...stage.worker.deps, jobs: { ...jobs, readStatus } })).toBe(1);
  await stage.settle(stage.worker);
  expect(stage.shown(uid, 3, 'other')).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
});

/** The process dies after its next such call, which takes effect only when it `land`s. */
function dieBehind(doomed: Handler, call: 'hostnames.register') {
  let arrive: () => void = () => undefined;
  let perform: () => Promise<unknown> = async () => undefined;
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  doomed.arrange(call, async (carryOut) => {
    perform = carryOut;
    arrive();
    return new Promise(() => undefined);
  });
  return { reached, land: async () => perform() };
}

/** The launch row of the first ten indexes no longer names tasks, nor does the row of names. */
async function forgetTask(uid: JobUid): Promise<void> {
  const { jobs, hosts } = stage.store;
  const keep = plusMs(stage.time, 3_600_000);
  const launches = await jobs.readLaunches(uid, 0);
  const slots = launches.slots.map(({ index, attempt, nonce }) => {
    return { index, attempt, nonce, state: 'launching', since: stage.time } as const;
  });
  await jobs.writeLaunches(uid, { ...launches, slots }, keep);
  const row = await hosts.readHosts(uid, 0);
  for (const { serviceId, tasks } of row.hosts)
    for (const { taskArn } of tasks) await stage.dns.deregister(serviceId, taskIdOf(taskArn));
  await hosts.writeHosts(uid, { ...row, hosts: row.hosts.map((host) => ({ ...host, tasks: [] })) }, keep);
}
