import { createServer } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DescribeTasksCommand, RunTaskCommand } from '@aws-sdk/client-ecs';
import { afterEach, expect, test } from 'vitest';
import { addressAt, addressesFrom, openAddresses } from '../../local/ecs/driver/addresses.ts';
import { networkVariables, type TaskNetwork } from '../../local/ecs/driver/task-network.ts';
import {
  container,
  eventOf,
  eventually,
  makeFolders,
  register,
  startServer,
  type TaskServer,
  withEnv,
} from './task-server.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Every task writes what it was given, then holds until `stop` is set. */
const SCRIPT = 'env | grep "^MUSTER_" > "told.$NAME"; if [ -n "$HOLD" ]; then exec sleep 600; fi';

async function aServer(
  network: TaskNetwork,
  folders = aFolder(),
): Promise<TaskServer & { told(name: string): Promise<Told> }> {
  const server = await startServer({ kind: 'process', ...folders, network });
  return {
    ...server,
    told: async (name) =>
      eventually(() => {
        try {
          const text = readFileSync(join(folders.workspaceDir, `told.${name}`), 'utf8');
          if (!text.includes('MUSTER_WORKSPACE')) return null;
          return Object.fromEntries(
            text
              .trimEnd()
              .split('\n')
              .map((line) => line.split('=')),
          ) as Told;
        } catch {
          return null;
        }
      }),
  };
}
type Told = Readonly<Record<string, string>>;

const aFolder = () => {
  const folders = makeFolders();
  closers.push(() => folders.remove());
  return { dataDir: folders.dataDir, workspaceDir: folders.workspaceDir };
};

const run = async (server: TaskServer, taskDefinition: string, env: Record<string, string>) => {
  const { tasks } = await server.client.send(
    new RunTaskCommand({ cluster: 'default', taskDefinition, startedBy: 'some-job', overrides: withEnv(env) }),
  );
  return tasks![0]!.taskArn!;
};

const addressIn = (details: readonly { name?: string | undefined; value?: string | undefined }[] | undefined) =>
  details?.find(({ name }) => name === 'privateIPv4Address')?.value;

test('a process has an address of its own, ECS shows it, and the address can be bound', async () => {
  const server = await aServer({ addresses: addressesFrom(7_000), dns: '127.0.0.1:20053' });
  closers.push(() => server.close());
  const definition = await register(server, 'told', [container('main', { command: ['sh', '-c', SCRIPT] })]);
  const arns = [
    await run(server, definition, { NAME: 'a', HOLD: '1' }),
    await run(server, definition, { NAME: 'b', HOLD: '1' }),
  ];
  const [a, b] = [await server.told('a'), await server.told('b')];
  expect([a['MUSTER_ADDRESS'], b['MUSTER_ADDRESS']]).toEqual([addressAt(127, 7_000), addressAt(127, 7_001)]);
  expect(a).toMatchObject({ MUSTER_DNS: '127.0.0.1:20053' });
  expect(a).not.toHaveProperty('MUSTER_PORT');
  const running = await eventOf(server, arns[0], 'RUNNING');
  expect(addressIn(running.attachments[0]?.details)).toBe(a['MUSTER_ADDRESS']);
  const { tasks } = await server.client.send(new DescribeTasksCommand({ tasks: [arns[1]!] }));
  expect(addressIn(tasks![0]!.attachments![0]!.details)).toBe(b['MUSTER_ADDRESS']);
  expect(tasks![0]!.containers![0]!.networkInterfaces![0]!.privateIpv4Address).toBe(b['MUSTER_ADDRESS']);
});

test('the address of a task that runs on is not given away after a restart', async () => {
  const folders = aFolder();
  const first = await aServer({ addresses: addressesFrom(0), dns: null }, folders);
  closers.push(() => first.close());
  const definition = await register(first, 'told', [container('main', { command: ['sh', '-c', SCRIPT] })]);
  await run(first, definition, { NAME: 'old', HOLD: '1' });
  const old = await first.told('old');
  // the second one finds what a killed runtime would have left, and would begin with the same address
  const second = await aServer({ addresses: addressesFrom(0), dns: null }, folders);
  closers.push(() => second.close());
  await run(second, definition, { NAME: 'new' });
  const young = await second.told('new');
  expect([old['MUSTER_ADDRESS'], young['MUSTER_ADDRESS']]).toEqual([addressAt(127, 0), addressAt(127, 1)]);
});

test('where tasks share an address, an index has a port: the same in every attempt, in a row with its peers', async () => {
  const server = await aServer({ addresses: null, dns: null });
  closers.push(() => server.close());
  const definition = await register(server, 'told', [container('main', { command: ['sh', '-c', SCRIPT] })]);
  const told = async (NAME: string, JOB_COMPLETION_INDEX: string) => {
    await run(server, definition, { NAME, JOB_COMPLETION_INDEX });
    return server.told(NAME);
  };
  const [zero, three, again] = [await told('zero', '0'), await told('three', '3'), await told('again', '3')];
  expect(three['MUSTER_ADDRESS']).toBe('127.0.0.1');
  expect(Number(three['MUSTER_PORT']) - Number(zero['MUSTER_PORT'])).toBe(3);
  expect(again['MUSTER_PORT']).toBe(three['MUSTER_PORT']);
});

test('ports are ports, and only those of indexes', () => {
  const at = (index: string | undefined) =>
    Object.fromEntries(
      networkVariables({ privateIp: '127.0.0.1', startedBy: 'job' }, index, { addresses: null, dns: null }),
    );
  expect(at(undefined)).not.toHaveProperty('MUSTER_PORT');
  expect(Number(at('1999')['MUSTER_PORT'])).toBeLessThan(65_536);
  expect(at('99999')).not.toHaveProperty('MUSTER_PORT');
});

test('addresses go round, leave out what is in use, and are neither 127.0.x.y nor ends of networks', () => {
  const count = 254 * 256 * 254;
  const addresses = addressesFrom(count - 1);
  addresses.keep('127.1.0.1');
  expect([addresses.take(), addresses.take(), addresses.take()]).toEqual(['127.254.255.254', '127.1.0.2', '127.1.0.3']);
  for (let n = 0; n < count; n += 997) {
    const [first, second, third, fourth] = addressAt(127, n).split('.').map(Number);
    expect(first).toBe(127);
    expect(second).toBeGreaterThanOrEqual(1);
    expect(second).toBeLessThanOrEqual(254);
    expect(third).toBeLessThanOrEqual(255);
    expect(fourth).toBeGreaterThanOrEqual(1);
    expect(fourth).toBeLessThanOrEqual(254);
  }
});

test.runIf(process.platform === 'linux')('on Linux a task can listen on its address', async () => {
  const ip = (await openAddresses())!.take();
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, ip, resolve));
  expect(server.address()).toMatchObject({ address: ip });
  await new Promise((resolve) => server.close(resolve));
});
