import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateServiceCommand,
  DeleteServiceCommand,
  DeregisterInstanceCommand,
  DiscoverInstancesCommand,
  GetInstanceCommand,
  GetNamespaceCommand,
  GetOperationCommand,
  GetServiceCommand,
  ListInstancesCommand,
  ListServicesCommand,
  RegisterInstanceCommand,
  ServiceDiscoveryClient,
} from '@aws-sdk/client-servicediscovery';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCloudmap, type Cloudmap, type CloudmapOptions } from '../../local/cloudmap/create-cloudmap.ts';
import { wallTimers } from '../../local/ecs/timers.ts';
import { serveAwsJson } from '../../local/wire/aws-json.ts';
import { cloudmapService } from '../../local/wire/cloudmap-wire.ts';
import { listenOnLoopback } from '../../local/wire/loopback-server.ts';
import { checkWire, noteSeen } from '../models/wire-check.ts';

// The real client against our Cloud Map. The clock stands still unless a test moves it, so operations end when told to.

let root: string;
let nowMs: number;
let timers: ReturnType<typeof wallTimers>;
let cloudmap: Cloudmap;
let client: ServiceDiscoveryClient;
const closers: (() => Promise<void> | void)[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'muster-cloudmap-'));
  nowMs = 1_800_000_000_000;
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  rmSync(root, { recursive: true, force: true });
});

async function start(options: Partial<CloudmapOptions> = {}): Promise<void> {
  timers = wallTimers(() => nowMs);
  cloudmap = createCloudmap({ zone: 'muster.internal', dataDir: root, operationMs: [100, 100], timers, ...options });
  const surprises: unknown[] = [];
  const server = await listenOnLoopback(
    serveAwsJson([cloudmapService(cloudmap.api)], {
      onSurprise: (message, fields) => surprises.push([message, fields]),
    }),
  );
  client = new ServiceDiscoveryClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    disableHostPrefix: true,
  });
  // Tests send what is refused, too, so requests are not held against AWS's models; answers are.
  checkWire(client, 'answers', (fault) => surprises.push(fault));
  closers.push(async () => {
    client.destroy();
    cloudmap.close();
    await server.close();
    noteSeen();
    expect(surprises).toEqual([]);
  });
}

const pass = (ms: number): void => {
  nowMs += ms;
  timers.wake();
};

const create = async (name: string, ttlSec = 5): Promise<string> => {
  const { Service } = await client.send(
    new CreateServiceCommand({
      Name: name,
      NamespaceId: cloudmap.namespaceId,
      DnsConfig: { RoutingPolicy: 'MULTIVALUE', DnsRecords: [{ Type: 'A', TTL: ttlSec }] },
    }),
  );
  return Service!.Id!;
};
const register = async (ServiceId: string, InstanceId: string, ip = '10.0.0.1'): Promise<string> =>
  (await client.send(new RegisterInstanceCommand({ ServiceId, InstanceId, Attributes: { AWS_INSTANCE_IPV4: ip } })))
    .OperationId!;
const deregister = async (ServiceId: string, InstanceId: string): Promise<string> =>
  (await client.send(new DeregisterInstanceCommand({ ServiceId, InstanceId }))).OperationId!;
const statusOf = async (OperationId: string) =>
  (await client.send(new GetOperationCommand({ OperationId }))).Operation?.Status;
const instancesOf = async (ServiceId: string): Promise<unknown> =>
  (await client.send(new ListInstancesCommand({ ServiceId }))).Instances?.map(({ Id }) => Id);

describe('services', () => {
  test('one is made, found, listed and deleted', async () => {
    await start();
    const id = await create('train-0.workers.default', 7);
    expect(id).toMatch(/^srv-[0-9a-z]{16}$/);
    const { Service } = await client.send(new GetServiceCommand({ Id: id }));
    expect(Service).toMatchObject({
      Id: id,
      Name: 'train-0.workers.default',
      NamespaceId: cloudmap.namespaceId,
      InstanceCount: 0,
      DnsConfig: { DnsRecords: [{ Type: 'A', TTL: 7 }] },
      CreateDate: new Date(nowMs),
    });
    const filter = (Value: string) =>
      client.send(new ListServicesCommand({ Filters: [{ Name: 'NAMESPACE_ID', Condition: 'EQ', Values: [Value] }] }));
    expect((await filter(cloudmap.namespaceId)).Services).toMatchObject([{ Id: id, Name: 'train-0.workers.default' }]);
    expect((await filter('ns-another')).Services).toEqual([]);
    await client.send(new DeleteServiceCommand({ Id: id }));
    await expect(client.send(new GetServiceCommand({ Id: id }))).rejects.toMatchObject({ name: 'ServiceNotFound' });
    await expect(client.send(new DeleteServiceCommand({ Id: id }))).rejects.toMatchObject({ name: 'ServiceNotFound' });
  });

  test('a second one of a name, in whatever case, is refused with the id of the first', async () => {
    await start();
    const id = await create('train-0.workers.default');
    await expect(create('Train-0.workers.default')).rejects.toMatchObject({
      name: 'ServiceAlreadyExists',
      ServiceId: id,
    });
  });

  test('pages hold what MaxResults says and miss nothing when something goes meanwhile', async () => {
    await start();
    const ids = new Set<string>();
    for (let n = 0; n < 25; n++) ids.add(await create(`train-${n}`));
    const seen: string[] = [];
    let NextToken: string | undefined;
    do {
      const page = await client.send(new ListServicesCommand({ MaxResults: 10, ...(NextToken && { NextToken }) }));
      expect(page.Services!.length).toBeLessThanOrEqual(10);
      seen.push(...page.Services!.map(({ Id }) => Id!));
      // once the one that the token names, then another
      await client.send(new DeleteServiceCommand({ Id: seen.at(seen.length === 10 ? -1 : -2)! }));
      ({ NextToken } = page);
    } while (NextToken !== undefined);
    expect(seen).toHaveLength(25);
    expect(new Set(seen)).toEqual(ids);
  });

  test.each([
    ['an empty name', ''],
    ['an empty label', 'train-0..default'],
    ['a label of 64', `${'a'.repeat(64)}.default`],
    ['a name of 128', `${'a'.repeat(63)}.${'b'.repeat(63)}.c`.slice(0, 127) + 'dd'],
    ['other characters', 'train 0'],
  ])('%s is refused', async (_what, name) => {
    await start();
    await expect(create(name)).rejects.toMatchObject({ name: 'InvalidInput' });
  });

  test('the namespace is there from the start, always with the same id, and says its negative TTL', async () => {
    await start();
    const Id = cloudmap.namespaceId;
    expect((await client.send(new GetNamespaceCommand({ Id }))).Namespace).toMatchObject({
      Name: 'muster.internal',
      Type: 'DNS_PRIVATE',
      Properties: { DnsProperties: { SOA: { TTL: 5 } } },
    });
    await start();
    expect(cloudmap.namespaceId).toBe(Id);
    await expect(client.send(new GetNamespaceCommand({ Id: 'ns-none' }))).rejects.toMatchObject({
      name: 'NamespaceNotFound',
    });
  });
});

test('DNS gets what is in the zone: names, what is above them, and nothing else', async () => {
  await start();
  await create('train-1.workers.default'); // without an instance it is no name
  await register(await create('train-0.workers.default'), 'task1', '10.1.1.1');
  pass(120);
  const kindOf = (name: string) => cloudmap.lookUp(name).kind;
  expect(kindOf('train-0.workers.default.muster.internal')).toBe('addresses');
  expect(kindOf('WORKERS.default.muster.internal')).toBe('empty');
  expect(kindOf('0.workers.default.muster.internal')).toBe('absent');
  expect(kindOf('train-1.workers.default.muster.internal')).toBe('absent');
  expect(cloudmap.lookUp('muster.internal')).toEqual({ kind: 'empty', isZone: true });
  expect(kindOf('train-0.workers.default')).toBe('foreign');
  expect(kindOf('evilmuster.internal')).toBe('foreign');
});

describe('instances', () => {
  test('one is there when the operation is over, not before, and gone likewise', async () => {
    await start();
    const id = await create('train-0');
    const coming = await register(id, 'task1', '10.1.2.3');
    expect(await statusOf(coming)).toBe('SUBMITTED');
    expect(await instancesOf(id)).toEqual([]);
    expect(cloudmap.lookUp('train-0.muster.internal')).toEqual({ kind: 'absent' });
    pass(60);
    expect(await statusOf(coming)).toBe('PENDING');
    pass(60);
    expect(await statusOf(coming)).toBe('SUCCESS');
    expect(await instancesOf(id)).toEqual(['task1']);
    expect(cloudmap.lookUp('Train-0.Muster.internal')).toEqual({ kind: 'addresses', ips: ['10.1.2.3'], ttlSec: 5 });
    expect(
      (await client.send(new GetInstanceCommand({ ServiceId: id, InstanceId: 'task1' }))).Instance?.Attributes,
    ).toEqual({ AWS_INSTANCE_IPV4: '10.1.2.3' });

    const going = await deregister(id, 'task1');
    expect(await instancesOf(id)).toEqual(['task1']);
    pass(120);
    const { Operation } = await client.send(new GetOperationCommand({ OperationId: going }));
    expect(Operation).toMatchObject({
      Type: 'DEREGISTER_INSTANCE',
      Status: 'SUCCESS',
      Targets: { INSTANCE: 'task1', SERVICE: id },
    });
    expect(await instancesOf(id)).toEqual([]);
  });

  test('one operation at a time for an instance, any number for others', async () => {
    await start();
    const id = await create('train-0');
    const first = await register(id, 'task1');
    const duplicate = { name: 'DuplicateRequest', DuplicateOperationId: first };
    await expect(register(id, 'task1')).rejects.toMatchObject(duplicate);
    await expect(deregister(id, 'task1')).rejects.toMatchObject(duplicate);
    await register(id, 'task2');
    pass(120);
    await register(id, 'task1', '10.0.0.9'); // an update
    pass(120);
    expect(cloudmap.lookUp('train-0.muster.internal')).toMatchObject({ ips: ['10.0.0.9', '10.0.0.1'] });
  });

  test('a service is not deleted while there is, comes or goes an instance', async () => {
    await start();
    const Id = await create('train-0');
    const refused = { name: 'ResourceInUse' };
    await register(Id, 'task1');
    await expect(client.send(new DeleteServiceCommand({ Id }))).rejects.toMatchObject(refused);
    pass(120);
    await expect(client.send(new DeleteServiceCommand({ Id }))).rejects.toMatchObject(refused);
    await deregister(Id, 'task1');
    await expect(client.send(new DeleteServiceCommand({ Id }))).rejects.toMatchObject(refused);
    pass(120);
    await client.send(new DeleteServiceCommand({ Id }));
  });

  test('quotas count what is being registered, and not what is registered again', async () => {
    await start({ quota: { perService: 2, perNamespace: 3 } });
    const [a, b] = [await create('a'), await create('b')];
    await register(a, 'task1');
    await register(a, 'task2');
    const full = { name: 'ResourceLimitExceeded' };
    await expect(register(a, 'task3')).rejects.toMatchObject(full);
    pass(120);
    await register(a, 'task1', '10.0.0.2');
    await register(b, 'task4');
    await expect(register(b, 'task5')).rejects.toMatchObject(full);
    pass(120);
    await deregister(a, 'task1');
    pass(120);
    await register(b, 'task5');
  });

  test('an operation can fail, and then nothing has changed', async () => {
    await start({ failure: (type) => (type === 'REGISTER_INSTANCE' ? 'THROTTLED_REQUEST' : null) });
    const id = await create('train-0');
    const operation = await register(id, 'task1');
    pass(120);
    const { Operation } = await client.send(new GetOperationCommand({ OperationId: operation }));
    expect(Operation).toMatchObject({ Status: 'FAIL', ErrorCode: 'THROTTLED_REQUEST' });
    expect(await instancesOf(id)).toEqual([]);
    await start();
    expect(await instancesOf(id)).toEqual([]);
  });

  test('what makes no sense is refused', async () => {
    await start();
    const id = await create('train-0');
    await expect(register(id, 'x'.repeat(65))).rejects.toMatchObject({ name: 'InvalidInput' });
    await expect(register(id, 'task1', 'nowhere')).rejects.toMatchObject({ name: 'InvalidInput' });
    await expect(
      client.send(new RegisterInstanceCommand({ ServiceId: id, InstanceId: 'task1', Attributes: {} })),
    ).rejects.toMatchObject({ name: 'InvalidInput' });
    await expect(register('srv-none', 'task1')).rejects.toMatchObject({ name: 'ServiceNotFound' });
    await expect(deregister(id, 'task1')).rejects.toMatchObject({ name: 'InstanceNotFound' });
    await expect(statusOf('none')).rejects.toMatchObject({ name: 'OperationNotFound' });
  });

  test('DiscoverInstances finds by name and by attribute', async () => {
    await start();
    const id = await create('train-0');
    await register(id, 'task1', '10.1.1.1');
    pass(120);
    const discover = async (QueryParameters: Record<string, string>) =>
      (
        await client.send(
          new DiscoverInstancesCommand({ NamespaceName: 'muster.internal', ServiceName: 'train-0', QueryParameters }),
        )
      ).Instances?.map(({ InstanceId }) => InstanceId);
    expect(await discover({})).toEqual(['task1']);
    expect(await discover({ AWS_INSTANCE_IPV4: '10.1.1.2' })).toEqual([]);
  });
});

test('what was accepted outlives a crash; a service that was deleted does not come back', async () => {
  await start();
  const [kept, gone] = [await create('train-0'), await create('train-1')];
  await register(kept, 'task1', '10.0.0.1');
  await register(kept, 'task2', '10.0.0.2');
  pass(120);
  await deregister(kept, 'task1');
  await register(kept, 'task3', '10.0.0.3');
  await client.send(new DeleteServiceCommand({ Id: gone }));
  await start(); // the operations were under way
  expect(await instancesOf(kept)).toEqual(['task2', 'task3']);
  await expect(instancesOf(gone)).rejects.toMatchObject({ name: 'ServiceNotFound' });
  await expect(create('train-0')).rejects.toMatchObject({ name: 'ServiceAlreadyExists', ServiceId: kept });
});

test('nothing is on disk where no name is used', async () => {
  await start();
  await client.send(new ListServicesCommand({}));
  expect(readdirSync(root)).toEqual([]);
});

test('limits throttle call by call', async () => {
  await start({ limits: { CreateService: { burst: 2, perSec: 1 } } });
  await create('a');
  await create('b');
  await expect(create('c')).rejects.toMatchObject({ name: 'ThrottlingException' });
  await client.send(new ListServicesCommand({}));
  pass(1_000);
  await create('c');
});
