import { describe, expect, onTestFinished, test } from 'vitest';
import { createCloudmap as createCloudmapServer } from '../../../../../local/cloudmap/create-cloudmap.ts';
import { wallTimers } from '../../../../../local/ecs/timers.ts';
import { cloudmapCallsTo } from '../../../../../local/in-process/engine-calls.ts';
import { serveAwsJson } from '../../../../../local/wire/aws-json.ts';
import { cloudmapService } from '../../../../../local/wire/cloudmap-wire.ts';
import { listenOnLoopback } from '../../../../../local/wire/loopback-server.ts';
import { createCloudmap } from '../../adapters/cloudmap.ts';
import type { CloudmapCalls } from '../../../../adapters/aws/cloudmap/cloudmap-calls.ts';
import { createCloudmapClient, sdkCloudmapCalls } from '../../../../adapters/aws/cloudmap/sdk-cloudmap-calls.ts';
import { createMemoryHostnames } from '../memory-hostnames.ts';
import { systemClock } from '../../../../adapters/system-clock.ts';
import type { Hostnames } from '../../ports/hostnames.ts';
import { anArn } from '../../../../../test/contract/store-under-test.ts';
import { taskIdOf } from '../../../../domain/base/ids.ts';

/** The port, and DNS's answer for a name below the zone. */
type World = { readonly names: Hostnames; readonly addresses: (name: string) => readonly string[] };
type Case = { readonly name: string; run(world: World): Promise<void> };

const NAME = 'train-0.workers.default';
const [ONE, TWO] = [taskIdOf(anArn(1)), taskIdOf(anArn(2))];
const DONE = { kind: 'done' };

async function serviceIn({ names }: World, name = NAME): Promise<string> {
  const made = await names.ensureService(name);
  if (made.kind !== 'ready') throw new Error(made.reason);
  return made.serviceId;
}

async function listed({ names }: World) {
  const found = [];
  let after: string | null = null;
  do {
    const page = await names.list(after);
    if (page.kind === 'later') throw new Error(page.reason);
    found.push(...page.services);
    after = page.next;
  } while (after !== null);
  return found;
}

const CASES: readonly Case[] = [
  {
    name: 'a service is created once, and found again by its name',
    async run(world) {
      const serviceId = await serviceIn(world);
      expect(await serviceIn(world)).toBe(serviceId);
      expect(await serviceIn(world, 'train-1.workers.default')).not.toBe(serviceId);
      expect(world.addresses(NAME)).toEqual([]);
    },
  },
  {
    name: 'concurrent creators of a service all get the same one',
    async run(world) {
      const ids = await Promise.all(Array.from({ length: 8 }, async () => serviceIn(world)));
      expect(new Set(ids).size).toBe(1);
    },
  },
  {
    name: 'a task resolves under the name as soon as its registration is answered, until it is removed',
    async run(world) {
      const serviceId = await serviceIn(world);
      expect(await world.names.register(serviceId, ONE, '10.0.0.1')).toEqual(DONE);
      expect(world.addresses(NAME)).toEqual(['10.0.0.1']);
      expect(await world.names.register(serviceId, ONE, '10.0.0.1')).toEqual(DONE);
      expect(await world.names.tasksIn(serviceId)).toEqual({ kind: 'listed', taskIds: [ONE] });
      expect(await world.names.deregister(serviceId, ONE)).toEqual(DONE);
      expect(world.addresses(NAME)).toEqual([]);
    },
  },
  {
    name: 'removing one task leaves the other, though both have the same name',
    async run(world) {
      const serviceId = await serviceIn(world);
      await world.names.register(serviceId, ONE, '10.0.0.1');
      await world.names.register(serviceId, TWO, '10.0.0.2');
      expect(await world.names.deregister(serviceId, ONE)).toEqual(DONE);
      expect(world.addresses(NAME)).toEqual(['10.0.0.2']);
      expect(await world.names.deregister(serviceId, ONE)).toEqual(DONE);
      expect(world.addresses(NAME)).toEqual(['10.0.0.2']);
    },
  },
  {
    name: 'a missing service accepts no registration; removing it, or a task from it, succeeds',
    async run({ names }) {
      const none = 'srv-0000000000000009';
      expect(await names.register(none, ONE, '10.0.0.1')).toEqual({ kind: 'gone' });
      expect(await names.deregister(none, ONE)).toEqual(DONE);
      expect(await names.deleteService(none)).toEqual(DONE);
      expect(await names.tasksIn(none)).toEqual({ kind: 'listed', taskIds: [] });
    },
  },
  {
    name: 'a service is deleted only if it is empty, and can be created again',
    async run(world) {
      const serviceId = await serviceIn(world);
      await world.names.register(serviceId, ONE, '10.0.0.1');
      expect(await world.names.deleteService(serviceId)).toMatchObject({ kind: 'later' });
      expect(world.addresses(NAME)).toEqual(['10.0.0.1']);
      await world.names.deregister(serviceId, ONE);
      expect(await world.names.deleteService(serviceId)).toEqual(DONE);
      expect(await world.names.register(serviceId, ONE, '10.0.0.1')).toEqual({ kind: 'gone' });
      const anew = await serviceIn(world);
      expect(anew).not.toBe(serviceId);
      expect(await listed(world)).toEqual([{ serviceId: anew, name: NAME }]);
    },
  },
  {
    name: 'a task that two callers register and remove at once is in either state, and then in the requested one',
    async run(world) {
      const serviceId = await serviceIn(world);
      const answers = await Promise.all([
        world.names.register(serviceId, ONE, '10.0.0.1'),
        world.names.deregister(serviceId, ONE),
        world.names.register(serviceId, ONE, '10.0.0.1'),
      ]);
      for (const { kind } of answers) expect(['done', 'later']).toContain(kind);
      expect(await world.names.deregister(serviceId, ONE)).toEqual(DONE);
      expect(world.addresses(NAME)).toEqual([]);
    },
  },
  {
    name: 'all services are listed, page by page',
    async run(world) {
      const wanted = Array.from({ length: 130 }, (_, index) => `train-${index}.workers.default`);
      for (const name of wanted) await serviceIn(world, name);
      expect((await listed(world)).map(({ name }) => name).sort()).toEqual(wanted.sort());
    },
  },
];

function describeHostnames(which: string, makeWorld: () => Promise<World>): void {
  describe(`${which} keeps its promises`, () => {
    test.each(CASES)('$name', async (promise) => {
      expect.hasAssertions();
      await promise.run(await makeWorld());
    });
  });
}

describeHostnames('names in memory', async () => {
  const names = createMemoryHostnames({ zone: 'muster.internal' });
  return { names, addresses: (name) => [...names.lookUp(name).values()].sort() };
});

type Server = Parameters<typeof createCloudmapServer>[0];

const realSleep = async (ms: number): Promise<void> => systemClock.sleep(ms);
const startCloudmap = (options: Partial<Server>) =>
  createCloudmapServer({ zone: 'muster.internal', dataDir: null, operationMs: [1, 20], ...options });
type Started = ReturnType<typeof startCloudmap>;

/** What its DNS answers. */
const addressesOf =
  (server: Started) =>
  (name: string): readonly string[] => {
    const found = server.lookUp(`${name}.${server.zone}`);
    return found.kind === 'addresses' ? [...found.ips].sort() : [];
  };

/** Our Cloud Map, called in this process. */
function worldInProcess(options: Partial<Server> = {}, sleep = realSleep) {
  const server = startCloudmap(options);
  onTestFinished(() => server.close());
  const { namespaceId, zone } = server;
  const calls = cloudmapCallsTo(server.api, () => undefined);
  return {
    names: createCloudmap({ calls, namespaceId, zone, sleep }),
    addresses: addressesOf(server),
    calls,
    namespaceId,
  };
}

/** Our Cloud Map, asked by the SDK's own client. */
async function cloudmapWorld(options: Partial<Server> = {}, sleep = realSleep) {
  const server = startCloudmap(options);
  const front = await listenOnLoopback(serveAwsJson([cloudmapService(server.api)], { onSurprise: () => undefined }));
  const client = createCloudmapClient({ region: 'us-east-1', endpoint: front.url });
  onTestFinished(async () => {
    client.destroy();
    await front.close();
    server.close();
  });
  const { namespaceId, zone } = server;
  const calls = sdkCloudmapCalls(client);
  const names = createCloudmap({ calls, namespaceId, zone, sleep });
  return { names, addresses: addressesOf(server), calls, namespaceId };
}

describeHostnames('Cloud Map', async () => cloudmapWorld());
describeHostnames('Cloud Map in this process', async () => worldInProcess());

const reasonIn = (answer: { readonly kind: string; readonly reason?: string }): string =>
  answer.kind === 'later' ? (answer.reason ?? '') : answer.kind;
const aMoment = async (): Promise<void> => systemClock.sleep(50);

describe.each([
  ['over HTTP', cloudmapWorld],
  ['in this process', worldInProcess],
])('Cloud Map in trouble, %s', (_, aWorld) => {
  test('throttles and exceeded quotas are later, with the reason', async () => {
    const slow = await aWorld({ limits: { CreateService: { burst: 1, perSec: 0.001 } } });
    expect(await slow.names.ensureService(NAME)).toMatchObject({ kind: 'ready' });
    const throttled = await slow.names.ensureService('train-1.workers.default');
    expect(reasonIn(throttled)).toContain('Rate exceeded');

    const full = await aWorld({ quota: { perService: 1 } });
    const serviceId = await serviceIn(full);
    await full.names.register(serviceId, ONE, '10.0.0.1');
    const refused = await full.names.register(serviceId, TWO, '10.0.0.2');
    expect(reasonIn(refused)).toContain('ResourceLimitExceeded');
    expect(full.addresses(NAME)).toEqual(['10.0.0.1']);
  });

  test('an operation that fails is later', async () => {
    let fails = true;
    const world = await aWorld({ failure: () => (fails ? 'ACCESS_DENIED' : null) });
    const serviceId = await serviceIn(world);
    const failed = await world.names.register(serviceId, ONE, '10.0.0.1');
    expect(reasonIn(failed)).toContain('ACCESS_DENIED');
    fails = false;
    expect(await world.names.register(serviceId, ONE, '10.0.0.1')).toEqual(DONE);
    expect(world.addresses(NAME)).toEqual(['10.0.0.1']);
  });

  test.each(['the same process', 'another one'])(
    'what Cloud Map has not finished is later, and done when %s asks again',
    async (who) => {
      let nowMs = 1_800_000_000_000;
      const timers = wallTimers(() => nowMs);
      const finish = (): void => {
        nowMs += 500;
        timers.wake();
      };
      const world = await aWorld({ operationMs: [500, 500], timers }, async () => undefined);
      const other =
        who === 'another one' // it does not know the operation, and waits for one of its own
          ? createCloudmap({ ...world, zone: 'muster.internal', sleep: async () => finish() })
          : world.names;
      const serviceId = await serviceIn(world);
      expect(await world.names.register(serviceId, ONE, '10.0.0.1')).toMatchObject({ kind: 'later' });
      finish();
      expect(await other.register(serviceId, ONE, '10.0.0.1')).toEqual(DONE);
      expect(world.addresses(NAME)).toEqual(['10.0.0.1']);
      expect(await world.names.deregister(serviceId, ONE)).toMatchObject({ kind: 'later' });
      finish();
      expect(await other.deregister(serviceId, ONE)).toEqual(DONE);
      expect(world.addresses(NAME)).toEqual([]);
    },
  );

  test('a listing finds a service if the error does not include its id', async () => {
    const world = await aWorld();
    for (let index = 0; index < 110; index++) await serviceIn(world, `train-${index}.workers.default`);
    const serviceId = await serviceIn(world, 'train-109.workers.default');
    const createService: CloudmapCalls['createService'] = async (input) =>
      world.calls.createService(input).catch((error: Error) => {
        Reflect.deleteProperty(error, 'ServiceId');
        throw error;
      });
    const calls = { ...world.calls, createService };
    const silent = createCloudmap({ ...world, calls, zone: 'muster.internal', sleep: aMoment });
    expect(await serviceIn({ ...world, names: silent }, 'train-109.workers.default')).toBe(serviceId);
  });

  test("others' services in the namespace are not listed", async () => {
    const world = await aWorld();
    await world.calls.createService({
      Name: 'database-0.of.somebody',
      NamespaceId: world.namespaceId,
      DnsConfig: { RoutingPolicy: 'MULTIVALUE', DnsRecords: [{ Type: 'A', TTL: 60 }] },
    });
    const serviceId = await serviceIn(world);
    expect(await listed(world)).toEqual([{ serviceId, name: NAME }]);
  });
});
