import { beforeEach, describe, expect, test } from 'vitest';
import { type MemoryHostnames, createMemoryHostnames } from '../../../shared/adapters/memory/memory-hostnames.ts';
import { closeHosts } from '../../../shared/control/hostnames/hosts-closing.ts';
import { sweepHosts, sweepStrangeNames } from '../../../shared/control/hostnames/hosts-sweep.ts';
import { deleteJob, deletePod } from '../../../shared/control/lifecycle/job-changes.ts';
import { plusMs } from '../../../shared/domain/base/time.ts';
import { type JobUid, asJobUid, taskIdOf } from '../../../shared/domain/base/ids.ts';
import { factOf } from '../../../shared/domain/planner/ending.ts';
import type { TaskView } from '../../../shared/domain/task/task.ts';
import { BAD, Stage } from '../../support/a-stage.ts';
import type { Handler } from '../../support/a-handler.ts';

let stage: Stage;
let dns: MemoryHostnames;
/** Why Cloud Map refuses requests; null: it does not. */
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

/** Continues for `seconds`, with all messages of that time and the sweep of each minute. */
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

/** DNS's answer for each index, which must be the addresses of running tasks only. */
function shown(uid: JobUid, count = 3, name = 'train'): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const found = dns.lookUp(nameOf(index, name));
    const live = new Map(stage.started(uid, index).map((task) => [taskIdOf(task.arn), task]));
    return [...found]
      .map(([id, ip]) => {
        const task = live.get(id);
        if (task === undefined) return 'an orphan';
        return task.privateIp === ip
          ? `attempt ${task.id.attempt}${task.stage === 'running' ? '' : ` ${task.stage}`}`
          : 'another address';
      })
      .sort()
      .join(', ');
  });
}

describe('names of tasks', () => {
  test('every running index resolves under its own name only', async () => {
    const uid = await stage.job(NAMED);
    await go(3);
    expect(shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
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
    expect(shown(uid)).toEqual(['attempt 2', 'attempt 2', 'attempt 2']);
    const second = [...dns.lookUp(nameOf(1)).values()];
    expect(second).toHaveLength(1);
    expect(second).not.toEqual(first);
  });

  test('nothing remains of the names of a finished Job', async () => {
    stage.fate = { ...stage.fate, runMs: 5_000 };
    const uid = await stage.job(NAMED);
    await go(15);
    expect((await stage.status(uid)).phase.kind).toBe('finished');
    await expectNothingLeft(uid);
  });

  test('nothing remains of the names of a deleted Job', async () => {
    const uid = await stage.job(NAMED);
    await go(3);
    expect(dns.names()).toHaveLength(3);
    await deleteJob(uid, handler.deps);
    await go(10);
    await expectNothingLeft(uid);
  });
});

describe('events at awkward moments', () => {
  test('the late end of an attempt does not remove the next one', async () => {
    stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
    const uid = await stage.job({ ...NAMED, completions: 1 });
    await go(3);
    const [first] = stage.started(uid, 0);
    stage.fate = { ...stage.fate, runMs: 3_600_000 };
    await go(60);
    expect(shown(uid, 1)).toEqual(['attempt 2']);
    stage.events.push({ ...first!, stage: 'stopped', ending: BAD });
    await go(3);
    await handler.dispatch([
      { kind: 'hosts', uid, row: 0, seen: [{ ...first!.id, taskArn: first!.arn, ip: '10.9.9.9' }] },
    ]);
    expect(shown(uid, 1)).toEqual(['attempt 2']);
  });

  test('if an attempt is replaced while it stops, only the new attempt has the name', async () => {
    stage.fate = { ...stage.fate, stopMs: 100_000 };
    const uid = await stage.job({ ...NAMED, completions: 1 });
    await stage.change(uid, { podReplacementPolicy: 'TerminatingOrFailed' });
    await go(3);
    await deletePod(uid, { index: 0, attempt: 1, nonce: 0 }, handler.deps);
    await go(50);
    expect(stage.started(uid, 0).map((task) => task.stage)).toEqual(['stopping', 'running']);
    expect(shown(uid, 1)).toEqual(['attempt 2']);
  });

  test('a Pod that continues in a new task resolves to its new address', async () => {
    stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
    const uid = await stage.job({ ...NAMED, completions: 1, restartPolicy: 'OnFailure' });
    await go(3);
    const first = [...dns.lookUp(nameOf(0)).values()];
    stage.fate = { ...stage.fate, runMs: 3_600_000 };
    await go(60);
    expect(shown(uid, 1)).toEqual(['attempt 1']);
    expect([...dns.lookUp(nameOf(0)).values()]).not.toEqual(first);
  });

  test('a handler that loses a race removes its registration', async () => {
    stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
    const uid = await stage.job({ ...NAMED, completions: 1 });
    const slow = stage.handler();
    await stage.settle(handler);
    stage.advance(1_000);
    await handler.pass(...stage.takeRequests());
    const messages = stage.takeDispatches();
    const held = slow.hold('before', 'hostnames.register');
    const late = slow.dispatch(messages);
    await held.reached;
    stage.advance(5_000);
    await stage.settle(handler); // it has stopped, and the handler that gets the fact removes it
    held.release();
    await late;
    expect(dns.lookUp(nameOf(0)).size).toBe(0);
    stage.fate = { ...stage.fate, runMs: 3_600_000 };
    await go(60);
    expect(shown(uid, 1)).toEqual(['attempt 2']);
  });

  test('a message that took a minute checks again as a new message', async () => {
    stage.fate = { ...stage.fate, runMs: 50_000, ending: BAD };
    const uid = await stage.job({ ...NAMED, completions: 1 });
    const slow = stage.handler();
    await stage.settle(handler);
    stage.advance(1_000);
    await handler.pass(...stage.takeRequests());
    const messages = stage.takeDispatches();
    const held = slow.hold('before', 'hostnames.register');
    const late = slow.dispatch(messages);
    await held.reached;
    stage.fate = { ...stage.fate, startMs: 3_600_000 };
    stage.advance(70_000);
    await stage.settle(handler);
    expect((await stage.store.hosts.readHosts(uid, 0)).hosts[0]?.tasks).toEqual([]);
    held.release();
    await late;
    await go(2);
    expect(dns.lookUp(nameOf(0)).size).toBe(0);
  });

  test('when a task has ended, its name resolves to nothing, before the sweep', async () => {
    stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
    const uid = await stage.job(NAMED);
    await go(3);
    expect(shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
    await go(5);
    expect([0, 1, 2].map((index) => dns.lookUp(nameOf(index)).size)).toEqual([0, 0, 0]);
  });

  test('a late registration by a dead handler is removed, because the row records the plan', async () => {
    const [hung, other] = [stage.handler(), stage.handler()];
    stage.fate = { ...stage.fate, runMs: 20_000, ending: BAD };
    const uid = await stage.job({ ...NAMED, completions: 1 });
    await stage.settle(handler);
    stage.advance(1_000);
    await handler.pass(...stage.takeRequests());
    const messages = stage.takeDispatches();
    const late = dieBehind(hung, 'hostnames.register');
    void hung.dispatch(messages);
    await late.reached;
    await other.dispatch(messages); // the same message, doubled
    stage.fate = { ...stage.fate, startMs: 300_000 };
    await go(30); // it has ended, and is removed
    await late.land();
    expect(dns.lookUp(nameOf(0)).size).toBe(1);
    await go(120);
    expect(shown(uid, 1)).toEqual(['']);
  });

  test('a handler that loses a write reads again before it registers anything', async () => {
    const hung = stage.handler();
    stage.fate = { ...stage.fate, runMs: 20_000, ending: BAD };
    const uid = await stage.job({ ...NAMED, completions: 1 });
    await stage.settle(handler);
    stage.advance(1_000);
    await handler.pass(...stage.takeRequests());
    const messages = stage.takeDispatches();
    const held = hung.hold('before', 'hosts.writeHosts');
    const late = hung.dispatch(messages);
    await held.reached;
    await handler.dispatch(messages);
    stage.fate = { ...stage.fate, startMs: 300_000 };
    await go(30);
    held.release();
    await late;
    expect(hung.calls).not.toContain('hostnames.register');
    expect(shown(uid, 1)).toEqual(['']);
  });

  test('a running task gets the name only if it is the current attempt', async () => {
    stage.fate = { ...stage.fate, runMs: 5_000, ending: BAD };
    const uid = await stage.job({ ...NAMED, completions: 1 });
    await go(3);
    const [first] = stage.started(uid, 0);
    stage.fate = { ...stage.fate, runMs: 3_600_000 };
    await go(30);
    const second = stage.started(uid, 0)[1]!;
    // As if RunTask's answer were not stored yet, and nothing registered.
    await forgetTask(uid);
    const seen = (task: TaskView, ip: string) => ({ ...task.id, taskArn: task.arn, ip });
    await handler.dispatch([{ kind: 'hosts', uid, row: 0, seen: [seen(first!, '10.9.9.9')] }]);
    expect(dns.lookUp(nameOf(0)).size).toBe(0);
    await handler.dispatch([{ kind: 'hosts', uid, row: 0, seen: [seen(second, second.privateIp!)] }]);
    expect(shown(uid, 1)).toEqual(['attempt 2']);
  });

  test('an index is not launched before its name exists', async () => {
    handler.arrange('hostnames.ensureService', async () => Promise.reject(new Error('socket hang up')));
    const uid = await stage.job({ ...NAMED, completions: 1 });
    await stage.settle(handler);
    expect(stage.started(uid, 0)).toEqual([]);
    await go(5);
    expect(shown(uid, 1)).toEqual(['attempt 1']);
  });

  test('a launch message long after the end of the Job creates no names', async () => {
    stage.fate = { ...stage.fate, runMs: 5_000 };
    const uid = await stage.job(NAMED);
    await handler.pass(uid);
    const packs = stage.takeDispatches();
    await handler.dispatch(packs);
    await go(15);
    expect(dns.names()).toEqual([]);
    await handler.dispatch(packs);
    await expectNothingLeft(uid);
  });

  test('closing affects only finished Jobs', async () => {
    const uid = await stage.job(NAMED);
    await go(3);
    await handler.dispatch([{ kind: 'closeHosts', uid }]);
    expect(shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
    expect(await stage.store.hosts.reservations()).toHaveLength(1);
  });

  test.each(['finished', 'deleted'])(
    'of a %s Job, closing reads what may have taken its name, and no more',
    async (end) => {
      stage.fate = { ...stage.fate, runMs: end === 'finished' ? 5_000 : 3_600_000 };
      const uid = await stage.job(NAMED);
      await go(3);
      trouble = (call) => (call === 'deleteService' ? 'Rate exceeded' : null);
      if (end === 'deleted') await deleteJob(uid, handler.deps);
      await go(12);
      const before = handler.calls.length;
      await handler.dispatch([{ kind: 'closeHosts', uid }]);
      const read = handler.calls.slice(before).filter((call) => call.startsWith('jobs.'));
      expect(read).toEqual(['jobs.readStatus', 'jobs.readSpec', 'jobs.findJob']);
    },
  );

  test('names of a Job that nobody knows any more are removed', async () => {
    const uid = await stage.job(NAMED);
    await go(3);
    expect(dns.names()).toHaveLength(3);
    const jobs = { ...handler.deps.jobs, readStatus: async () => null, readSpec: async () => null };
    await closeHosts(uid, { ...handler.deps, jobs });
    await expectNothingLeft(uid);
  });

  test.each([
    ['has no names', { subdomain: undefined }],
    ['has other names', { subdomain: 'others' }],
    ['is over', { parallelism: 1, completions: 0 }],
  ])('services are removed though another Job of the same name exists, which %s', async (_, wish) => {
    const uid = await stage.job(NAMED);
    await go(3);
    trouble = (call) => (call === 'deleteService' ? 'Rate exceeded' : null);
    await deleteJob(uid, handler.deps);
    await go(10);
    const { subdomain, ...plain } = { ...NAMED, ...wish, uid: 'uid-2' };
    const next = await stage.job(subdomain === undefined ? plain : { ...plain, subdomain });
    await stage.settle(handler);
    trouble = null;
    await handler.dispatch([{ kind: 'closeHosts', uid }]);
    expect(dns.names().filter((name) => name.includes('.workers.'))).toEqual([]);
    expect(await stage.store.hosts.listHosts(uid)).toEqual([]);
    await deleteJob(next, handler.deps);
  });

  test('another Job of the same name keeps the services that it found', async () => {
    const uid = await stage.job(NAMED);
    await go(3);
    trouble = (call) => (call === 'deleteService' ? 'Rate exceeded' : null);
    await deleteJob(uid, handler.deps);
    await go(10);
    const next = await stage.job({ ...NAMED, uid: 'uid-2' });
    await stage.settle(handler);
    trouble = null;
    await handler.dispatch([{ kind: 'closeHosts', uid }]);
    expect(await stage.store.hosts.listHosts(uid)).toEqual([]);
    expect(handler.calls.filter((call) => call === 'hostnames.ensureService')).toHaveLength(6);
    await go(3);
    expect(shown(next)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
    expect(handler.calls.filter((call) => call === 'hostnames.ensureService')).toHaveLength(6); // none was gone
  });

  test('two handlers at once do the same as one', async () => {
    const uid = await stage.job(NAMED);
    await stage.settle(handler);
    stage.advance(1_000);
    await handler.pass(...stage.takeRequests());
    const messages = stage.takeDispatches();
    const others = [stage.handler(), stage.handler(), stage.handler()];
    await Promise.all(others.map(async (each) => each.dispatch(messages)));
    await go(2);
    expect(shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
    const [row] = await stage.store.hosts.listHosts(uid);
    expect(row?.hosts.map(({ tasks }) => tasks.length)).toEqual([1, 1, 1]);
  });

  test('the sweep repairs names after a lost message, with the address from ECS', async () => {
    const uid = await stage.job(NAMED);
    await stage.settle(handler);
    stage.advance(1_000);
    await handler.pass(...stage.takeRequests());
    stage.takeDispatches(); // lost
    expect(shown(uid)).toEqual(['', '', '']);
    await go(61);
    expect(shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
    handler.calls.splice(0);
    await go(120);
    expect(handler.calls).not.toContain('hostnames.register'); // correct entries do not change
  });

  test('a service that was deleted is created again', async () => {
    const uid = await stage.job({ ...NAMED, completions: 1 });
    await stage.settle(handler);
    const [row] = await stage.store.hosts.listHosts(uid);
    await dns.deleteService(row!.hosts[0]!.serviceId);
    await go(3);
    expect(shown(uid, 1)).toEqual(['attempt 1']);
  });

  test('an outage of Cloud Map delays names, not Jobs, and names are correct afterwards', async () => {
    const uid = await stage.job(NAMED);
    await stage.settle(handler);
    trouble = (call) => (call === 'register' ? 'Rate exceeded' : null);
    await go(200);
    expect(shown(uid)).toEqual(['', '', '']);
    expect(stage.mail.size('dispatch')).toBe(0); // the sweep takes over, and messages do not pile up
    trouble = null;
    await go(61);
    expect(shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
  });

  test('an index waits, with the reason, while its name cannot be created', async () => {
    trouble = (call) => (call === 'ensureService' ? 'ResourceLimitExceeded: no more services' : null);
    const uid = await stage.job(NAMED);
    await go(5);
    expect(stage.started(uid, 0)).toEqual([]);
    expect((await stage.status(uid)).waitReason).toContain('no more services');
    trouble = null;
    await go(60);
    expect(shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
  });

  test('an impossible name fails the Job', async () => {
    dns.ensureService = async () => ({ kind: 'fatal', reason: 'AccessDeniedException: no' });
    const uid = await stage.job(NAMED);
    await go(10);
    expect(await stage.status(uid)).toMatchObject({
      phase: { kind: 'finished', verdict: { reason: 'LaunchRefused' } },
    });
    await expectNothingLeft(uid);
  });

  test('a missing name does not withdraw a launch in progress', async () => {
    const uid = await stage.job({ ...NAMED, completions: 1 });
    await handler.pass(uid);
    const packs = stage.takeDispatches();
    await handler.dispatch(packs); // its answer is lost
    stage.take('facts');
    const { row, version } = await stage.store.hosts.readHosts(uid, 0);
    await stage.store.hosts.writeHosts(uid, { row, version, hosts: [] }, stage.time);
    trouble = (call) => (call === 'ensureService' ? 'Rate exceeded' : null);
    await handler.dispatch(packs);
    trouble = null;
    await go(10);
    expect(stage.started(uid, 0).map((task) => task.stage)).toEqual(['running']);
    expect(await stage.board(uid)).toMatchObject([{ state: 'running', attempt: 1, nonce: 0 }]);
  });
});

describe('leftover names', () => {
  test('a finished Job keeps its reservation until its names are gone', async () => {
    stage.fate = { ...stage.fate, runMs: 5_000 };
    const uid = await stage.job(NAMED);
    trouble = (call) => (call === 'deleteService' ? 'Rate exceeded' : null);
    await go(130);
    expect((await stage.status(uid)).phase.kind).toBe('finished');
    expect(await stage.store.hosts.reservations()).toHaveLength(1);
    expect(shown(uid)).toEqual(['', '', '']);
    expect(stage.mail.size('dispatch')).toBe(0);
    trouble = null;
    await go(121);
    await expectNothingLeft(uid);
  });

  test('closing continues message by message, however many names there are', async () => {
    stage.fate = { ...stage.fate, runMs: 5_000 };
    const uid = await stage.job({ ...NAMED, completions: 120, parallelism: 120 });
    await go(3);
    expect(dns.names()).toHaveLength(120);
    await go(27);
    await expectNothingLeft(uid);
  });

  test('a Job of the same name takes the names over', async () => {
    const uid = await stage.job(NAMED);
    await go(3);
    await deleteJob(uid, handler.deps);
    const next = await stage.job({ ...NAMED, uid: 'uid-2' });
    await go(60);
    expect(shown(next)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
    expect(await stage.store.hosts.listHosts(uid)).toEqual([]);
    expect((await stage.store.hosts.reservations()).map((each) => each.uid)).toEqual([next]);
    await deleteJob(next, handler.deps);
    await go(60);
    await expectNothingLeft(next);
  });

  test('a reservation for a Job that was never created is released after five minutes', async () => {
    await stage.store.hosts.reserve(asJobUid('never'), 10, 2_000, stage.time);
    await go(240);
    expect(await stage.store.hosts.reservations()).toHaveLength(1);
    await go(120);
    expect(await stage.store.hosts.reservations()).toEqual([]);
  });

  test('a listing finds services that no open Job needs; those of open Jobs and of others stay', async () => {
    const uid = await stage.job(NAMED);
    await go(3);
    const lost = await dns.ensureService('gone-0.workers.default');
    if (lost.kind === 'ready') await dns.register(lost.serviceId, 'some-task', '10.1.1.1');
    await dns.ensureService('train-0.others.default'); // the Job's name, but not its subdomain
    expect(await sweepStrangeNames(handler.deps)).toBe(2);
    expect(dns.names()).toEqual([0, 1, 2].map((index) => nameOf(index)));
    // A Job whose reservation was lost is still under its name.
    await stage.store.hosts.release(uid);
    expect(await sweepStrangeNames(handler.deps)).toBe(0);
    await deleteJob(uid, handler.deps);
    await go(10);
    await expectNothingLeft(uid);
  });

  test('a Job that takes over a stray name during its removal keeps its tasks under it', async () => {
    await dns.ensureService(nameOf(0));
    const slow = stage.handler();
    const held = slow.hold('before', 'hostnames.tasksIn');
    const sweep = sweepStrangeNames(slow.deps);
    await held.reached;
    const uid = await stage.job({ ...NAMED, completions: 1 });
    await go(3);
    expect(shown(uid, 1)).toEqual(['attempt 1']);
    held.release();
    expect(await sweep).toBe(0);
    await go(120);
    expect(shown(uid, 1)).toEqual(['attempt 1']);
  });

  test('names of a deleted Job are not stray while its tasks stop', async () => {
    stage.fate = { ...stage.fate, stopMs: 100_000 };
    const uid = await stage.job(NAMED);
    await go(3);
    await deleteJob(uid, handler.deps);
    await stage.settle(handler);
    expect(await sweepStrangeNames(handler.deps)).toBe(0);
  });
});

describe('a Job whose tasks have no names', () => {
  test('costs no additional read, write, or message', async () => {
    stage.fate = { ...stage.fate, runMs: 5_000 };
    const run = async (hostnames: MemoryHostnames | null): Promise<readonly string[]> => {
      stage = new Stage();
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
    for (const { taskArn } of tasks) await dns.deregister(serviceId, taskIdOf(taskArn));
  await hosts.writeHosts(uid, { ...row, hosts: row.hosts.map((host) => ({ ...host, tasks: [] })) }, keep);
}

async function expectNothingLeft(uid: JobUid): Promise<void> {
  expect(dns.names()).toEqual([]);
  expect(await stage.store.hosts.listHosts(uid)).toEqual([]);
  expect(await stage.store.hosts.reservations()).toEqual([]);
}

test('a Job whose rows cannot be read does not delay the sweep of the others', async () => {
  const broken = await stage.job({ ...NAMED, uid: 'uid-broken' });
  await go(3);
  const uid = await stage.job({ ...NAMED, name: 'other', uid: 'uid-other' });
  await stage.settle(handler);
  stage.advance(2_000);
  const running = stage.events.splice(0); // the fact that they run is lost
  expect(running).not.toEqual([]);
  const { jobs } = handler.deps;
  const readStatus: typeof jobs.readStatus = async (asked) => {
    if (asked === broken) throw new Error('row JOB#uid-broken STATUS has no readable body');
    return jobs.readStatus(asked);
  };
  await handler.pass({ uid, facts: running.flatMap((view) => factOf(view) ?? []) });
  stage.takeDispatches();
  expect(shown(uid, 3, 'other')).toEqual(['', '', '']);
  expect(await sweepHosts({ ...handler.deps, jobs: { ...jobs, readStatus } })).toBe(1);
  await stage.settle(handler);
  expect(shown(uid, 3, 'other')).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
});
