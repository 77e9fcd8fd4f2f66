import { beforeEach, describe, expect, test } from 'vitest';
import { type MemoryHostnames, createMemoryHostnames } from '../memory-hostnames.ts';
import { type JobUid, asTaskArn } from '../../../../domain/base/ids.ts';
import { plusMs } from '../../../../domain/base/time.ts';
import type { DispatchMessage } from '../../../../ports/queues.ts';
import type { Handler } from '../../../../../test/support/a-handler.ts';
import { Stage } from '../../../../../test/support/a-stage.ts';

// When the names of ten indexes are looked at again.

let stage: Stage;
let dns: MemoryHostnames;
let trouble: string | null;

beforeEach(() => {
  trouble = null;
  dns = createMemoryHostnames({ zone: 'muster.internal', trouble: (call) => (call === 'register' ? trouble : null) });
  stage = new Stage();
  stage.ports = { hostnames: dns };
});

type HostsMessage = Extract<DispatchMessage, { kind: 'hosts' }>;

/** A Job of two tasks that have just begun to run, and the message that says so. */
async function begun(): Promise<{ readonly uid: JobUid; readonly message: HostsMessage }> {
  const uid = await stage.job({ name: 'train', subdomain: 'workers', completions: 2, parallelism: 2 });
  await stage.settle();
  stage.advance(1_000);
  await stage.handler().pass(...stage.takeRequests());
  const message = stage.takeDispatches().find(({ kind }) => kind === 'hosts');
  if (message?.kind !== 'hosts') throw new Error('no message');
  return { uid, message };
}

/** What follows a message: the turn of the next one, and after how many seconds it comes. */
async function next(message: HostsMessage, handler: Handler = stage.handler()): Promise<readonly unknown[]> {
  const sent: unknown[] = [];
  handler.arrange('queues.dispatch', async (_, [messages, delaySec]) => {
    expect(messages).toEqual([{ ...message, turn: (message.turn ?? 0) + 1 }]);
    sent.push(delaySec);
  });
  await handler.dispatch([message]);
  return sent;
}

test.each([
  [undefined, [1]],
  [1, [2]],
  [5, [32]],
  [6, []],
])('what Cloud Map does not take at turn %j comes again after %j s, until the sweep has it', async (turn, expected) => {
  const { message } = await begun();
  trouble = 'Rate exceeded';
  expect(await next(turn === undefined ? message : { ...message, turn })).toEqual(expected);
});

describe('a row that others keep changing', () => {
  /** The handler loses each of its writes, which take `writeMs`. */
  function outrun(uid: JobUid, writeMs: number): Handler {
    const handler = stage.handler();
    for (let nth = 0; nth < 20; nth++)
      handler.arrange('hosts.writeHosts', async () => {
        stage.time = plusMs(stage.time, writeMs);
        return { kind: 'lost', row: await stage.store.hosts.readHosts(uid, 0) };
      });
    return handler;
  }
  const writes = ({ calls }: Handler): number => calls.filter((call) => call === 'hosts.writeHosts').length;

  test.each([
    [undefined, 0, 8, [1]],
    [5, 0, 8, [1]],
    [6, 0, 8, []],
    [undefined, 5_000, 2, [1]],
    [undefined, 4_999, 3, [1]],
  ])('at turn %j, with writes of %i ms: %i of them, then after %j s', async (turn, writeMs, tries, expected) => {
    const { uid, message } = await begun();
    const handler = outrun(uid, writeMs);
    expect(await next(turn === undefined ? message : { ...message, turn }, handler)).toEqual(expected);
    expect(writes(handler)).toBe(tries);
  });
});

describe('a task that another handler is registering', () => {
  async function half(): Promise<{ readonly message: HostsMessage }> {
    const { uid, message } = await begun();
    const doomed = stage.handler();
    const held = doomed.hold('before', 'hostnames.register');
    void doomed.dispatch([message]);
    await held.reached;
    const { hosts } = await stage.store.hosts.readHosts(uid, 0);
    expect(hosts[0]?.tasks).toMatchObject([{ registered: false, calledAt: stage.time }]);
    return { message };
  }

  test('is looked at again by whom has seen it run', async () => {
    const { message } = await half();
    expect(await next({ ...message, seen: message.seen.slice(0, 1) })).toEqual([1]);
    expect(
      await next({ ...message, seen: message.seen.map((task) => ({ ...task, taskArn: asTaskArn('another') })) }),
    ).toEqual([]);
    expect(await next({ ...message, seen: [] })).toEqual([]);
  });

  test('is registered by the next after a minute', async () => {
    const { message } = await half();
    stage.advance(59_999);
    expect(await next(message)).toEqual([1]);
    expect(dns.lookUp('train-0.workers.default').size).toBe(0);
    stage.advance(1);
    expect(await next(message)).toEqual([]);
    expect(dns.lookUp('train-0.workers.default').size).toBe(1);
  });
});

describe('tasks of which the message says nothing', () => {
  const addresses = (): readonly number[] => [0, 1].map((index) => dns.lookUp(`train-${index}.workers.default`).size);

  test.each([
    [0, [1, 1]],
    [1, [1, 1]],
  ])('are looked up in ECS, by their launches: %i are known', async (known, expected) => {
    const { message } = await begun();
    expect(await next({ ...message, seen: message.seen.slice(0, known) })).toEqual([]);
    expect(addresses()).toEqual(expected);
  });

  test('are looked up later, if ECS does not answer now', async () => {
    const { message } = await begun();
    const handler = stage.handler();
    handler.arrange('tasks.describe', async () => ({ kind: 'later' }));
    expect(await next({ ...message, seen: [] }, handler)).toEqual([1]);
    expect(addresses()).toEqual([0, 0]);
  });

  test('are not registered once they have stopped, or while they have no address', async () => {
    const { uid, message } = await begun();
    const handler = stage.handler();
    handler.arrange('tasks.describe', async () => ({
      kind: 'described',
      tasks: [
        { ...stage.live(uid, 0)[0], stage: 'stopped' },
        { ...stage.live(uid, 1)[0], privateIp: null },
      ],
      missing: [],
    }));
    expect(await next({ ...message, seen: [] }, handler)).toEqual([]);
    expect(addresses()).toEqual([0, 0]);
  });

  test('are left to the sweep, if no launch names them', async () => {
    const { uid, message } = await begun();
    const launches = await stage.store.jobs.readLaunches(uid, 0);
    await stage.store.jobs.writeLaunches(uid, { ...launches, slots: [] }, plusMs(stage.time, 3_600_000));
    const handler = stage.handler();
    expect(await next({ ...message, seen: [] }, handler)).toEqual([]);
    expect(handler.calls).not.toContain('tasks.describe');
    expect(addresses()).toEqual([0, 0]);
  });

  test('are those that the launches name, whatever the message says', async () => {
    const { uid, message } = await begun();
    const strange = message.seen.map((task) => ({ ...task, taskArn: asTaskArn('another'), ip: '10.9.9.9' }));
    expect(await next({ ...message, seen: strange })).toEqual([]);
    expect([...dns.lookUp('train-0.workers.default').values()]).toEqual([stage.live(uid, 0)[0]?.privateIp]);
  });
});

test('a message about a Job that is over leaves its names to the message that closes them', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000 };
  const { uid, message } = await begun();
  await stage.handler().dispatch([message]);
  stage.advance(10_000);
  await stage.handler().pass(...stage.takeRequests());
  expect((await stage.status(uid)).phase.kind).toBe('finished');
  expect(dns.lookUp('train-0.workers.default').size).toBe(1);
  const handler = stage.handler();
  expect(await next(message, handler)).toEqual([]);
  expect(handler.calls.filter((call) => call.startsWith('hostnames.'))).toEqual([]);
});
