import { Resolver } from 'node:dns/promises';
import { copyFileSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { operatorsRuntime } from '../../../../../test/support/test-wiring.ts';
import { type ALocalRuntime, aLocalRuntime, someFolders } from '../../../../../test/e2e/a-local-runtime.ts';
import { killNow, startRuntime } from '../../../../../test/e2e/a-runtime-process.ts';
import {
  EXAMPLES,
  type Kube,
  TEST_MS,
  conditionsOf,
  eventually,
  exampleJob,
  indexOf,
  indexed,
  kubeAt,
  linesOf,
  shellJob,
} from '../../../../../test/e2e/kube-calls.ts';
import { canLook } from '../../../../../test/e2e/processes-left.ts';

// Tasks that find one another by name: from the manifest to the DNS server, and back to nothing when the Job is over.

const SUM = 'there are 5761455 primes below 100000000';
const nameOf = (index: number, job = 'leader-workers') => `${job}-${index}.workers.default.muster.internal`;

/**
 * The example's Job, in which worker 2 answers for one range in its first attempt and then rests for longer than any test:
 * whenever it is killed, the leader has not had all of it.
 */
function jobWithALazyWorker(): object {
  const manifest = z
    .looseObject({
      spec: z.looseObject({
        template: z.looseObject({ spec: z.looseObject({ containers: z.tuple([z.looseObject({})]) }) }),
      }),
    })
    .parse(exampleJob('leader-workers'));
  const script = '[ "$JOB_COMPLETION_INDEX/$MUSTER_ATTEMPT" != 2/1 ] || export REST_MS=100000000; exec node primes.mjs';
  manifest.spec.template.spec.containers[0]['command'] = ['sh', '-c', script];
  return manifest;
}

/** The logs of all attempts of an index, one after the other. */
async function logOf(kube: Kube, index: number): Promise<string> {
  const pods = (await kube.pods('leader-workers')).filter((pod) => indexOf(pod) === index);
  const texts = await Promise.all(
    pods.map(async ({ metadata }) => {
      const { status, text } = await kube.ask('GET', `/api/v1/namespaces/default/pods/${metadata.name}/log`);
      return status === 200 ? text : ''; // it has not started yet
    }),
  );
  return texts.join('');
}

/** What an index's attempts have matched so far, once there are as many as `count`. */
const seen = async (kube: Kube, index: number, pattern: RegExp, count = 1): Promise<readonly string[]> => {
  let log = '';
  return eventually(
    async () => {
      log = await logOf(kube, index);
      const found = [...log.matchAll(pattern)].map(([, group = '']) => group);
      return found.length >= count ? found : null;
    },
    () => `index ${index} has said ${JSON.stringify(log)}`,
  );
};
const processesOf = (kube: Kube, index: number, count: number) => seen(kube, index, /is process (\d+) at/g, count);
/** Where the leader has found a worker. */
const addressesOf = (kube: Kube, index: number, count: number) =>
  seen(kube, 0, new RegExp(`${nameOf(index).replaceAll('.', '\\.')} answers from (\\S+)`, 'g'), count);

/** Asks the runtime's DNS server. */
const resolverOf = (dataDir: string): Resolver => {
  const resolver = new Resolver({ timeout: 5_000, tries: 3 });
  resolver.setServers([`127.0.0.1:${readFileSync(join(dataDir, 'dns-port'), 'utf8').trim()}`]);
  return resolver;
};

/** Cloud Map's files: one a service. */
const servicesIn = (dataDir: string): readonly string[] =>
  existsSync(join(dataDir, 'cloudmap')) ? readdirSync(join(dataDir, 'cloudmap')) : [];

const noServiceIsLeft = async (dataDir: string): Promise<void> => {
  await eventually(
    () => (servicesIn(dataDir).length === 0 ? true : null),
    () => `services are left: ${servicesIn(dataDir).join(' ')}`,
  );
};

/** No service of Cloud Map, no row of a host, no reservation. */
const nothingIsLeft = async ({ dataDir, runtime }: ALocalRuntime, uid: string): Promise<void> => {
  await noServiceIsLeft(dataDir);
  const another = operatorsRuntime(runtime);
  let left = '';
  await eventually(
    async () => {
      left = JSON.stringify([
        await another.deps.hosts.listHosts(asJobUid(uid)),
        await another.deps.hosts.reservations(),
      ]);
      return left === '[[],[]]' ? true : null;
    },
    () => `rows and reservations are left: ${left}`,
  );
  another.close();
};

describe('in this process', () => {
  let local: ALocalRuntime;
  beforeEach(async () => {
    local = await aLocalRuntime();
    copyFileSync(join(EXAMPLES, 'leader-workers/primes.mjs'), join(local.workspaceDir, 'primes.mjs'));
  });
  afterEach(async () => local.close());

  test('the example counts right; then neither name nor service is left', { timeout: TEST_MS }, async () => {
    const { kube, dataDir } = local;
    const uid = await kube.create(exampleJob('leader-workers'));
    expect(conditionsOf(await kube.ended('leader-workers'))).toContain('Complete');
    const log = await logOf(kube, 0);
    expect(log).toContain(SUM);
    const addresses = [...log.matchAll(/answers from (\S+)/g)].map(([, address]) => address);
    expect(new Set(addresses).size).toBe(4);
    await nothingIsLeft(local, uid);
    const resolver = resolverOf(dataDir);
    for (let index = 0; index < 5; index++)
      await expect(resolver.resolve4(nameOf(index))).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test('a worker that is killed comes back under its name with another address, and the sum is right', {
    timeout: 2 * TEST_MS,
  }, async () => {
    const { kube, dataDir } = local;
    const uid = await kube.create(jobWithALazyWorker());
    await seen(kube, 2, /primes in (\d+)/g);
    const [pid] = await processesOf(kube, 2, 1);
    const [address] = await addressesOf(kube, 2, 1);
    expect(await resolverOf(dataDir).resolve4(nameOf(2))).toEqual([address]);
    process.kill(Number(pid), 'SIGKILL');
    const [before, after] = await addressesOf(kube, 2, 2);
    expect(before).toBe(address);
    expect(after).not.toBe(address);
    expect(conditionsOf(await kube.ended('leader-workers'))).toContain('Complete');
    expect(await logOf(kube, 0)).toContain(SUM);
    await nothingIsLeft(local, uid);
  });

  test('a Job that is deleted while it runs leaves no name', { timeout: TEST_MS }, async () => {
    const { kube, dataDir } = local;
    const uid = await kube.create(jobWithALazyWorker());
    await addressesOf(kube, 2, 1);
    expect(servicesIn(dataDir)).toHaveLength(5);
    await kube.remove('leader-workers');
    await nothingIsLeft(local, uid);
    // and so another Job of the name can have its names
    await kube.create(exampleJob('leader-workers'));
    expect(conditionsOf(await kube.ended('leader-workers'))).toContain('Complete');
  });

  test('a Job without a subdomain has addresses and no names', { timeout: TEST_MS }, async () => {
    const { kube, dataDir, workspaceDir } = local;
    const script = 'echo "$MUSTER_ADDRESS $MUSTER_DNS $MUSTER_HOSTNAME$MUSTER_HOSTS_PATTERN." >> told';
    await kube.create(shellJob('plain', script, indexed(3, 3)));
    expect(conditionsOf(await kube.ended('plain'))).toContain('Complete');
    const told = linesOf(workspaceDir, 'told').map((line) => line.split(' '));
    expect(told.map(([, dns, names]) => [dns, names])).toEqual(
      Array(3).fill([resolverOf(dataDir).getServers()[0], '.']),
    );
    expect(new Set(told.map(([address]) => address)).size).toBe(process.platform === 'linux' ? 3 : 1);
    expect(existsSync(join(dataDir, 'cloudmap'))).toBe(false);
  });
});

test.runIf(canLook)(
  'tasks that outlive the runtime find names as before, also one that came after',
  { timeout: 3 * TEST_MS },
  async () => {
    const folders = someFolders();
    copyFileSync(join(EXAMPLES, 'leader-workers/primes.mjs'), join(folders.workspaceDir, 'primes.mjs'));
    let runtime = startRuntime(folders);
    try {
      let kube = kubeAt(await runtime.ready());
      await kube.create(jobWithALazyWorker());
      await seen(kube, 2, /primes in (\d+)/g);
      const [pid] = await processesOf(kube, 2, 1);
      killNow(runtime.child.pid);
      await runtime.ended;
      process.kill(Number(pid), 'SIGKILL'); // nobody sees it end
      runtime = startRuntime(folders);
      kube = kubeAt(await runtime.ready());
      const [before, after] = await addressesOf(kube, 2, 2);
      expect(after).not.toBe(before);
      expect(conditionsOf(await kube.ended('leader-workers'))).toContain('Complete');
      expect(await logOf(kube, 0)).toContain(SUM);
      await noServiceIsLeft(folders.dataDir);
    } finally {
      runtime.child.kill('SIGTERM');
      await runtime.ended;
      folders.remove();
    }
  },
);
