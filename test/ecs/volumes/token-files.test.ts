import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ContainerRun } from '../../../local/ecs/driver/driver.ts';
import { FilesDriver } from '../../../local/ecs/driver/files-driver.ts';
import { simulatedDriver } from '../../../local/ecs/driver/simulated-driver.ts';
import { TaskFiles } from '../../../local/ecs/driver/task-files.ts';
import { TokenFiles } from '../../../local/ecs/driver/token-files.ts';
import { VolumeFolders } from '../../../local/ecs/driver/volume-folders.ts';
import { memorySecretCopies } from '../../../local/ecs/secret-copies.ts';
import type { TaskRecord } from '../../../local/ecs/task-record.ts';
import type { Signed } from '../../../local/tokens/task-tokens.ts';
import { aTemporaryFolder } from '../../support/a-temporary-folder.ts';
import { handClock } from '../hand-clock.ts';

const ID = 'a'.repeat(32);
const LIFE_MS = 600_000;

const RUN = {
  task: { id: ID, startedBy: 'job', group: 'muster:0:1:0', overrides: {}, stop: null } as unknown as TaskRecord,
  container: {
    name: 'muster-files',
    image: 'busybox',
    essential: false,
    environment: [
      { name: 'MUSTER_FILES', value: '0 text 0644 v/plain\n1 token 0400 v/in/token' },
      { name: 'MUSTER_FILE_0', value: 'text' },
    ],
    mountPoints: [{ sourceVolume: 'v', containerPath: '/muster/v' }],
  },
} satisfies ContainerRun;

/** What signs numbers its tokens, unless it refuses or is broken. */
function aDriver(dir = aTemporaryFolder('muster-token-files-'), signed = 0) {
  const timers = handClock();
  const ends: unknown[] = [];
  const logged: string[] = [];
  const signer = { signed, refuses: false, isBroken: false };
  const files = new TaskFiles(join(dir, 'tasks'), () => timers.now());
  mkdirSync(files.folder(ID), { recursive: true });
  const volumes = new VolumeFolders(join(dir, 'volumes'));
  const tokens = new TokenFiles({
    tokens: {
      async sign(): Promise<Signed> {
        if (signer.isBroken) throw new Error('no key');
        if (signer.refuses) return { kind: 'refused', why: 'serviceaccounts "x" not found' };
        const token = `token ${(signer.signed += 1)}`;
        const access = { files: { token, namespace: 'team' }, environment: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } };
        return { kind: 'signed', files: new Map([['v/in/token', token]]), access, renewAtMs: timers.now() + LIFE_MS };
      },
    },
    files,
    volumes,
    timers,
    log: (message) => void logged.push(message),
  });
  const reports = {
    started: () => undefined,
    ended: (_: string, __: string, end: unknown) => void ends.push(end),
    interrupted: () => undefined,
  };
  const secrets = { dir, copies: memorySecretCopies() };
  const options = { files, volumes, secrets, tokens, logsDir: join(dir, 'logs'), timers, reports };
  return {
    dir,
    signer,
    tokens,
    timers,
    ends,
    logged,
    driver: new FilesDriver(simulatedDriver({}, timers, reports), options),
    written: (name: string) => readFileSync(join(dir, 'volumes/job_0_1/volumes/v', name), 'utf8'),
    mounted: (name: string) => readFileSync(join(files.folder(ID), 'api-access/serviceaccount', name), 'utf8'),
    /** Lets time pass, and what it has caused come to its end. */
    later: async (ms: number): Promise<void> => {
      timers.advance(ms);
      await settled();
    },
  };
}

const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => void setImmediate(resolve));
};

test('a token is written with the other files of its volume, and again before it ends', async () => {
  const { dir, driver, ends, written, later } = aDriver();
  driver.start(RUN);
  await settled();
  expect(ends).toEqual([expect.objectContaining({ kind: 'exited', exitCode: 0 })]);
  expect([written('plain'), written('in/token')]).toEqual(['text', 'token 1']);
  expect(statSync(join(dir, 'volumes/job_0_1/volumes/v/in/token')).mode & 0o777).toBe(0o400);
  await later(LIFE_MS - 1_000);
  expect(written('in/token')).toBe('token 1');
  await later(31_000);
  expect(written('in/token')).toBe('token 2');
  await later(LIFE_MS + 30_000);
  expect(written('in/token')).toBe('token 3');
});

test('an account that is not there is said, and nothing starts; a signer that fails is no fault of the task', async () => {
  const { driver, ends, signer } = aDriver();
  signer.refuses = true;
  driver.start(RUN);
  await settled();
  signer.refuses = false;
  signer.isBroken = true;
  driver.start(RUN);
  await settled();
  expect(ends).toMatchObject([
    { kind: 'unstartable', reason: 'serviceaccounts "x" not found' },
    { kind: 'lost', reason: 'no token could be signed: no key' },
  ]);
});

test('a task that is stopped while its tokens are signed writes nothing', async () => {
  const { driver, ends } = aDriver();
  driver.start(RUN);
  driver.signal(RUN, 'SIGTERM');
  await settled();
  expect(ends).toMatchObject([{ kind: 'unstartable', reason: 'stopped before it was started' }]);
});

test('what a container calls the API with lies in a folder that all of its users can read, and is renewed', async () => {
  const { tokens, mounted, later } = aDriver();
  const access = await tokens.access(RUN.task);
  expect(access?.environment).toEqual({ KUBERNETES_SERVICE_HOST: '10.0.0.1' });
  expect([mounted('token'), mounted('namespace')]).toEqual(['token 1', 'team']);
  const modes = ['', 'token'].map((name) => statSync(join(access?.folder ?? '', name)).mode & 0o777);
  expect(modes).toEqual([0o755, 0o644]);
  await later(LIFE_MS + 30_000);
  expect(mounted('token')).toBe('token 2');
});

test('tokens of a task of an earlier run are renewed soon after the start', async () => {
  const before = aDriver();
  before.driver.start(RUN);
  await before.tokens.access(RUN.task);
  await settled();
  const { driver, written, mounted, later } = aDriver(before.dir, 10);
  driver.inspect(RUN);
  await later(30_000);
  expect([written('in/token'), mounted('token')]).toEqual(['token 11', 'token 11']);
  await later(LIFE_MS - 30_000);
  expect(written('in/token')).toBe('token 11');
});

test('a renewal that fails is tried again, and one that is refused is the last', async () => {
  const { driver, signer, logged, written, later } = aDriver();
  driver.start(RUN);
  await settled();
  signer.isBroken = true;
  await later(LIFE_MS + 30_000);
  expect(logged).toEqual(['the tokens of a task could not be renewed']);
  signer.isBroken = false;
  await later(30_000);
  expect(written('in/token')).toBe('token 2');
  signer.refuses = true;
  await later(LIFE_MS + 30_000);
  signer.refuses = false;
  await later(LIFE_MS + 60_000);
  expect(signer.signed).toBe(2);
});

test('a task that has ended gets no more tokens', async () => {
  const { driver, signer, later } = aDriver();
  driver.start(RUN);
  await settled();
  driver.over(RUN.task);
  await later(2 * LIFE_MS);
  expect(signer.signed).toBe(1);
});
