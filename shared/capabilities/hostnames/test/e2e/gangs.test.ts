import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { Resolver } from 'node:dns/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { findKubectls } from '../../../../../test/kubectl/kubectls.ts';
import { operatorsRuntime } from '../../../../../test/support/test-wiring.ts';
import { type ALocalRuntime, aLocalRuntime } from '../../../../../test/e2e/a-local-runtime.ts';
import {
  EXAMPLES,
  JOBS,
  TEST_MS,
  conditionsOf,
  eventually,
  linesOf,
  reasonOf,
  shellJob,
} from '../../../../../test/e2e/kube-calls.ts';

// Indexes that belong together, as processes that look each other up.

const GANG = 'muster.run/gang';

/** Waits until all run, says how many have started by then, and goes on until all have said so. */
const PROGRAM = `
import { appendFileSync, readFileSync } from 'node:fs';
import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
const { MUSTER_READY_HOSTNAME, MUSTER_DNS, JOB_COMPLETION_INDEX, TEAM } = process.env;
const resolver = new Resolver({ timeout: 2_000, tries: 2 });
resolver.setServers([MUSTER_DNS]);
const count = (file) => { try { return readFileSync(file, 'utf8').split('\\n').length - 1; } catch { return 0; } };
process.on('SIGTERM', () => process.exit(0));
appendFileSync('started', JOB_COMPLETION_INDEX + '\\n');
while (!(await resolver.resolve4(MUSTER_READY_HOSTNAME).catch(() => null))) await sleep(200);
appendFileSync('all', count('started') + '\\n');
while (count('all') < Number(TEAM)) await sleep(200);
`;

const aTeam = (size: number, annotations: object = {}): object => {
  const job = shellJob(
    'team',
    `TEAM=${size} exec node team.mjs`,
    { completionMode: 'Indexed', completions: size, parallelism: size },
    { subdomain: 'workers' },
  );
  return { ...job, metadata: { name: 'team', annotations: { [GANG]: 'all', ...annotations } } };
};

let local: ALocalRuntime;
afterEach(async () => local.close());

const withProgram = async (options: Parameters<typeof aLocalRuntime>[0] = {}): Promise<void> => {
  local = await aLocalRuntime(options);
  writeFileSync(join(local.workspaceDir, 'team.mjs'), PROGRAM);
};

/** No name, no service, no row, no reservation. */
const nothingIsLeft = async (uid: string): Promise<void> => {
  const services = (): readonly string[] =>
    existsSync(join(local.dataDir, 'cloudmap')) ? readdirSync(join(local.dataDir, 'cloudmap')) : [];
  const another = operatorsRuntime(local.runtime);
  let left = '';
  await eventually(
    async () => {
      const { hosts } = another.deps;
      left = JSON.stringify([services(), await hosts.listHosts(asJobUid(uid)), await hosts.reservations()]);
      return left === '[[],[],[]]' ? true : null;
    },
    () => `names are left: ${left}`,
  );
  another.close();
};

test('a gang of 30 starts when 30 run, and no name is left', { timeout: TEST_MS }, async () => {
  await withProgram();
  const uid = await local.kube.create(aTeam(30));
  expect(conditionsOf(await local.kube.ended('team'))).toContain('Complete');
  expect(linesOf(local.workspaceDir, 'all')).toEqual(Array.from({ length: 30 }, () => '30'));
  await nothingIsLeft(uid);
});

test('a gang of which one never runs starts again, then fails and says which', { timeout: TEST_MS }, async () => {
  await withProgram({ quota: { tasks: 29 } });
  const limits = { 'muster.run/gang-timeout-seconds': '12', 'muster.run/gang-restarts': '1' };
  const uid = await local.kube.create(aTeam(30, limits));
  const job = await local.kube.ended('team');
  expect(reasonOf(job)).toBe('GangTimeout');
  expect((await local.kube.ask('GET', `${JOBS}/team`)).text).toMatch(
    /"message":"29 of 30 indexes ran within 12 s; index \d+ did not: [^"]+ \(try 2 of 2\)"/,
  );
  const tries = linesOf(local.workspaceDir, 'started');
  expect(tries.length).toBe(58);
  expect(linesOf(local.workspaceDir, 'all')).toEqual([]);
  await nothingIsLeft(uid);
});

/** KEP-2214, story 2, as it is printed there, but for what no Job can do without: a restartPolicy and an image. */
const KEP = `apiVersion: batch/v1
kind: Job
metadata:
  name: my-job
spec:
  completions: 4
  parallelism: 4
  completionMode: Indexed
  template:
    metadata:
      labels:
        job: my-job
    spec:
      restartPolicy: Never
      subdomain: my-job-svc
      containers:
      - name: task
        image: busybox
        command: ["sh", "-c", "echo $JOB_COMPLETION_INDEX $MUSTER_HOSTNAME"]
---
apiVersion: v1
kind: Service
metadata:
  name: my-job-svc
spec:
  clusterIP: None
  selector:
    job: my-job
`;

const kubectl = findKubectls().at(-1);
/** Rejects if its exit code is not 0. */
const apply = async (file: string): Promise<{ readonly stdout: string }> => {
  const home = join(local.root, 'home');
  mkdirSync(home, { recursive: true });
  const words = ['--kubeconfig', local.runtime.kubeconfig, 'apply', '-f', file];
  return promisify(execFile)(kubectl?.path ?? '', words, { env: { HOME: home, PATH: process.env['PATH'] ?? '' } });
};

test.runIf(kubectl !== undefined)(
  "KEP-2214's Job and its Service are applied, and the Job ends",
  { timeout: TEST_MS },
  async () => {
    local = await aLocalRuntime();
    const file = join(local.root, 'kep.yaml');
    writeFileSync(file, KEP);
    const applied = await apply(file);
    expect(applied.stdout).toBe('job.batch/my-job created\nservice/my-job-svc created\n');
    expect(conditionsOf(await local.kube.ended('my-job'))).toContain('Complete');
  },
);

test.runIf(kubectl !== undefined)(
  'the example is applied, and Pods show their addresses',
  { timeout: TEST_MS },
  async () => {
    local = await aLocalRuntime();
    copyFileSync(join(EXAMPLES, 'leader-workers/primes.mjs'), join(local.workspaceDir, 'primes.mjs'));
    const applied = await apply(join(EXAMPLES, 'leader-workers/gang.yaml'));
    expect(applied.stdout).toBe('service/workers created\njob.batch/leader-workers created\n');
    const resolver = new Resolver({ timeout: 5_000, tries: 3 });
    resolver.setServers([`127.0.0.1:${readFileSync(join(local.dataDir, 'dns-port'), 'utf8').trim()}`]);
    const shown = await eventually(
      async () => {
        const pods = JSON.parse((await local.kube.ask('GET', '/api/v1/namespaces/default/pods')).text) as {
          items: readonly { status: { podIP?: string; podIPs?: readonly { ip: string }[] } }[];
        };
        return pods.items.map(({ status }) => status).find(({ podIP }) => podIP !== undefined) ?? null;
      },
      () => 'no Pod has an address',
    );
    expect(shown.podIPs).toEqual([{ ip: shown.podIP }]);
    expect(conditionsOf(await local.kube.ended('leader-workers'))).toContain('Complete');
    // A message of its own (syncHosts or closeHosts) removes the name, and may come after the Job's end.
    const isGone = () =>
      resolver.resolve4('leader-workers-ready.workers.default.muster.internal').then(
        () => null,
        ({ code }: NodeJS.ErrnoException) => (code === 'ENOTFOUND' ? true : null),
      );
    await eventually(isGone, () => 'the name that says that all run is left');
  },
);
