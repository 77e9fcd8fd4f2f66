import { beforeEach, describe, expect, test } from 'vitest';
import { TURNS_MAX } from '../../control/hosts.ts';
import { sweepHosts, sweepStrangeNames } from '../../control/hosts-sweep.ts';
import { type JobUid, asJobUid, asTaskArn } from '../../../../domain/base/ids.ts';
import { plusMs } from '../../../../domain/base/time.ts';
import type { HostTask, Reservation } from '../../../../ports/host-store.ts';
import type { HostService, Hostnames } from '../../ports/hostnames.ts';
import { NamedStage } from './a-named-stage.ts';

// Which Jobs and names the sweep finds something to do for.

let stage: NamedStage;
beforeEach(() => {
  stage = new NamedStage();
});

const NAMED = { name: 'train', subdomain: 'workers', completions: 2, parallelism: 2 };

/** A Job of two tasks that run and are registered, but for index 1's, which has not begun to run. */
async function halfRunning(): Promise<JobUid> {
  const uid = await stage.job(NAMED);
  await stage.settle();
  stage.advance(1_000);
  stage.events = stage.events.filter(({ id }) => id.index === 0);
  await stage.settle();
  return uid;
}

describe('the reservations', () => {
  /** The Jobs that one sweep looks at, of `count` that have reserved names. */
  async function lookedAt(count: number): Promise<readonly string[]> {
    const asked: string[] = [];
    const reserved = Array.from({ length: count }, (_, nth): Reservation => {
      return { uid: asJobUid(`uid-${nth}`), count: 1, at: stage.time };
    });
    const { deps } = stage.worker;
    const jobs = {
      ...deps.jobs,
      readStatus: async (uid: JobUid) => {
        asked.push(uid);
        return null;
      },
    };
    await sweepHosts({ ...deps, jobs, hosts: { ...deps.hosts, reservations: async () => reserved } });
    return asked;
  }

  test('of 300 Jobs are all looked at', async () => {
    expect(new Set(await lookedAt(300)).size).toBe(300);
  });

  test('of more Jobs 300 are, and others a minute later', async () => {
    const first = await lookedAt(450);
    stage.advance(60_000);
    const second = await lookedAt(450);
    expect([first.length, second.length]).toEqual([300, 300]);
    expect(new Set([...first, ...second]).size).toBe(450);
  });

  test.each([
    [300_000 - 1, 0],
    [300_000, 1],
  ])('of a Job that never came are given back after five minutes: %i ms, %i message', async (ms, count) => {
    const uid = asJobUid('never');
    await stage.store.hosts.reserve(uid, 1, 10, stage.time);
    stage.advance(ms);
    expect(await sweepHosts(stage.worker.deps)).toBe(count);
    expect(stage.takeDispatches()).toEqual(count === 0 ? [] : [{ kind: 'closeHosts', uid }]);
  });

  test.each([
    [60_000 - 1, 0],
    [60_000, 1],
  ])('of a Job that is over a minute later: %i ms, %i message', async (ms, count) => {
    stage.fate = { ...stage.fate, runMs: 5_000 };
    const uid = await stage.job(NAMED);
    for (let second = 0; second < 3; second++) {
      stage.advance(second === 0 ? 1_000 : 3_000);
      await stage.worker.pass(...stage.takeRequests());
      const messages = stage.takeDispatches();
      await stage.worker.dispatch(messages.filter(({ kind }) => kind !== 'closeHosts'));
    }
    while ((await stage.status(uid)).phase.kind !== 'finished') {
      stage.advance(1_000);
      await stage.worker.pass(...stage.takeRequests(), uid);
      stage.takeDispatches();
    }
    stage.time = plusMs((await stage.status(uid)).now, ms);
    expect(await sweepHosts(stage.worker.deps)).toBe(count);
    expect(stage.takeDispatches()).toEqual(count === 0 ? [] : [{ kind: 'closeHosts', uid }]);
  });
});

test('an installation without names, or without a Job that has some, is asked for nothing and sent nothing', async () => {
  expect(await sweepHosts({ ...stage.worker.deps, ports: {} })).toBe(0);
  expect(await sweepStrangeNames({ ...stage.worker.deps, ports: {} })).toBe(0);
  expect(stage.worker.calls).toEqual([]);
  expect(await sweepHosts(stage.worker.deps)).toBe(0);
  expect(stage.worker.calls).toEqual(['hosts.reservations']);
});

describe('the names of an open Job', () => {
  const OTHER: Partial<HostTask> = { taskArn: asTaskArn('another') };
  test.each<readonly [string, number, (tasks: readonly HostTask[]) => readonly HostTask[], boolean]>([
    ['as they should be', 0, (tasks) => tasks, false],
    ['a task without its name', 0, () => [], true],
    ['a name that is not registered yet', 0, (tasks) => tasks.map((task) => ({ ...task, registered: false })), true],
    ['the name of an earlier attempt', 0, (tasks) => tasks.map((task) => ({ ...task, attempt: 9 })), true],
    ['the name of an earlier task of it', 0, (tasks) => tasks.map((task) => ({ ...task, nonce: 9 })), true],
    ['two tasks under one name', 0, (tasks) => tasks.flatMap((task) => [task, { ...task, ...OTHER }]), true],
    ['a task that does not run any more, or not yet', 1, (tasks) => tasks, true],
  ])('%s', async (_, index, change, isOff) => {
    const uid = await halfRunning();
    const row = await stage.store.hosts.readHosts(uid, 0);
    const tasks = change(row.hosts.find((host) => host.index === 0)?.tasks ?? []);
    const hosts = row.hosts.map((host) => (host.index === index ? { ...host, tasks } : host));
    await stage.store.hosts.writeHosts(uid, { ...row, hosts }, plusMs(stage.time, 1e9));
    expect(await sweepHosts(stage.worker.deps)).toBe(Number(isOff));
    expect(stage.takeDispatches()).toEqual(isOff ? [{ kind: 'hosts', uid, row: 0, seen: [], turn: TURNS_MAX }] : []);
  });
});

describe('services that no open Job needs', () => {
  const sweep = async (change: Partial<Hostnames> = {}): Promise<number> =>
    sweepStrangeNames({ ...stage.worker.deps, ports: { hostnames: { ...stage.dns, ...change } } });
  /** Cloud Map lists the services in pages of 60; how many pages were asked for. */
  function inPages() {
    let pages = 0;
    const all = async (after: string | null = null): Promise<readonly HostService[]> => {
      const page = await stage.dns.list(after);
      if (page.kind !== 'listed') throw new Error('not listed');
      return page.next === null ? page.services : [...page.services, ...(await all(page.next))];
    };
    const list = async (after: string | null) => {
      pages++;
      const [services, from] = [await all(), Number(after ?? 0)];
      const next = from + 60 < services.length ? String(from + 60) : null;
      return { kind: 'listed' as const, services: services.slice(from, from + 60), next };
    };
    return { list, pages: () => pages };
  }
  const make = async (count: number, job = 'old'): Promise<void> => {
    for (let index = 0; index < count; index++) await stage.dns.ensureService(`${job}-${index}.workers.default`);
  };
  const jobReads = (): number => stage.worker.calls.filter((call) => call === 'jobs.findJob').length;

  test('are removed a hundred an hour, and no more pages are read than that takes', async () => {
    await make(150);
    const { list, pages } = inPages();
    expect(await sweep({ list })).toBe(100);
    expect(pages()).toBe(2);
    expect(stage.dns.names()).toHaveLength(50);
    expect(jobReads()).toBe(2); // of one Job: before they are removed, and at that moment
    expect(await sweep({ list })).toBe(50);
    expect(stage.dns.names()).toEqual([]);
  });

  test('are found on every page', async () => {
    await stage.job({ ...NAMED, name: 'open', completions: 130, parallelism: 130 });
    await stage.settle();
    await make(1);
    const { list, pages } = inPages();
    expect(await sweep({ list })).toBe(1);
    expect(pages()).toBe(3);
    expect(stage.dns.names()).toHaveLength(130);
  });

  test('cost one list where there are none', async () => {
    expect(await sweep()).toBe(0);
    expect(stage.worker.calls).toEqual([]);
  });

  test('are looked at by the next sweep, if Cloud Map does not list them now', async () => {
    await make(3);
    expect(await sweep({ list: async () => ({ kind: 'later', reason: 'Rate exceeded' }) })).toBe(0);
    expect(stage.worker.calls).toEqual([]);
    expect(stage.dns.names()).toHaveLength(3);
  });

  test('are removed with what is registered in them, unless Cloud Map does not say what that is', async () => {
    await make(2);
    const [busy, silent] = await Promise.all(
      [0, 1].map(async (nth) => stage.dns.ensureService(`old-${nth}.workers.default`)),
    );
    if (busy?.kind !== 'ready' || silent?.kind !== 'ready') throw new Error('no services');
    for (const task of ['a', 'b']) await stage.dns.register(busy.serviceId, task, '10.0.0.1');
    const gone = await sweep({
      tasksIn: async (id) =>
        id === silent.serviceId ? { kind: 'later', reason: 'Rate exceeded' } : stage.dns.tasksIn(id),
    });
    expect(gone).toBe(1);
    expect(stage.dns.names()).toEqual(['old-1.workers.default']);
  });

  test('are not counted while Cloud Map keeps them', async () => {
    await make(2);
    expect(await sweep({ deleteService: async () => ({ kind: 'later', reason: 'Rate exceeded' }) })).toBe(0);
  });

  test('are those whose names are none of ours, too', async () => {
    await stage.dns.ensureService('something-else');
    expect(await sweep()).toBe(1);
    expect(jobReads()).toBe(0);
  });
});
