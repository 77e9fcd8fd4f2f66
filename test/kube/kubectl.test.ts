import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ServerType, serve } from '@hono/node-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { plusMs } from '../../shared/domain/base/time.ts';
import { START, type World, aWorld, manifest } from './a-world.ts';
import { isVerifying } from '../verify/verifying.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;
if (!hasKubectl && !isVerifying)
  console.warn('SKIPPED: there is no kubectl on this machine, so nobody asks the API as kubectl does');

test.runIf(isVerifying)('CI has kubectl', () => {
  expect(hasKubectl).toBe(true);
});

describe.runIf(hasKubectl)('real kubectl', () => {
  const home = mkdtempSync(join(tmpdir(), 'muster-kubectl-'));
  const file = join(home, 'job.json');
  let server: ServerType;
  let url = '';
  let world: World;

  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      const fetch = (request: Request) => world.app.fetch(request);
      server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
        url = `http://127.0.0.1:${port}`;
        resolve();
      });
    });
  });
  afterAll(() => {
    server.close();
    rmSync(home, { recursive: true });
  });
  beforeEach(async () => {
    world = await aWorld({ embedded: true, pollMs: 50 });
    world.clock.sleep = async (ms) => sleep(ms);
    writeFileSync(file, JSON.stringify(manifest('sums')));
  });

  /** Runs kubectl in a separate home; stdout, or stderr if it fails. */
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const env = { HOME: home, KUBECONFIG: join(home, 'none'), PATH: process.env['PATH'] ?? '' };
    try {
      return (
        await promisify(execFile)('kubectl', ['--server', url, ...args], { env, timeout: 600_000 })
      ).stdout.trim();
    } catch (error) {
      return error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    }
  };

  test('create, get, delete', async () => {
    expect(await kubectl('create', '--validate=false', '-f', file)).toBe('job.batch/sums created');
    expect(await kubectl('create', '--validate=false', '-f', file)).toBe(
      `Error from server (AlreadyExists): error when creating "${file}": jobs.batch "sums" already exists`,
    );
    await world.commit('sums', [
      { op: 'claim', index: 0 },
      { op: 'running', index: 0 },
    ]);

    const jobs = JSON.parse(await kubectl('get', 'jobs', '-o', 'json')) as {
      items: { metadata: { name: string }; status: unknown }[];
    };
    expect(jobs.items).toMatchObject([{ metadata: { name: 'sums' }, status: { active: 1, ready: 1 } }]);
    const pods = JSON.parse(await kubectl('get', 'pods', '-o', 'json')) as { items: unknown[] };
    expect(pods.items).toMatchObject([{ metadata: { generateName: 'sums-0-' }, status: { phase: 'Running' } }]);
    expect(await kubectl('get', 'pods', '-l', 'job-name=sums', '-o', 'jsonpath={.items[*].spec.hostname}')).toBe(
      'sums-0',
    );
    expect(await kubectl('get', 'namespace', 'default', '-o', 'name')).toBe('namespace/default');

    expect(await kubectl('delete', 'job', 'sums')).toMatch(/^job.batch "sums" deleted/);
    expect(await kubectl('get', 'job', 'sums')).toBe('Error from server (NotFound): jobs.batch "sums" not found');
  });

  test('what is wrong is printed with its path', async () => {
    writeFileSync(file, JSON.stringify(manifest('sums', { parallelism: -1, backoffLimit: -1 })));
    expect(await kubectl('create', '-f', file)).toBe(
      [
        'The Job "sums" is invalid: ',
        '* spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
        '* spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0',
      ].join('\n'),
    );
    writeFileSync(file, JSON.stringify(manifest('sums', { completionz: 3 })));
    expect(await kubectl('create', '-f', file)).toContain('strict decoding error: unknown field "spec.completionz"');
  });

  test('wait sees a change that comes while it waits', async () => {
    await kubectl('create', '-f', file);
    const waiting = kubectl('wait', '--for=condition=complete', 'job/sums', '--timeout=10s');
    // The change is made once the watch is open, which is when the feed is read.
    const read = world.feed.read.bind(world.feed);
    await new Promise<void>((resolve) => {
      world.feed.read = async (after, limit) => {
        resolve();
        return read(after, limit);
      };
    });
    const verdict = {
      kind: 'complete',
      reason: 'CompletionsReached',
      message: 'Reached expected number of succeeded pods',
      decidedBy: null,
    } as const;
    await world.commit('sums', [], { phase: { kind: 'finished', verdict, since: START, at: plusMs(START, 1000) } });
    expect(await waiting).toBe('job.batch/sums condition met');
  });

  test('get -w and wait pass over heartbeats, and end without a complaint when the watch does', async () => {
    world = await aWorld({ embedded: true, pollMs: 10, heartbeatMs: 20, streamMaxSec: 2 });
    world.clock.sleep = async (ms) => sleep(ms);
    const from = Date.now();
    world.clock.now = () => plusMs(START, Date.now() - from);
    await kubectl('create', '-f', file);
    const watching = kubectl('get', 'jobs', '-w', '--no-headers');
    const quiet = kubectl('wait', '--for=condition=complete', 'job/sums', '--timeout=1s');
    expect(await quiet).toContain('timed out waiting for the condition');
    await world.commit('sums', [{ op: 'claim', index: 0 }]);
    expect((await watching).split('\n').map((line) => line.split(/\s+/)[0])).toEqual(['sums', 'sums']);
  });

  test('logs of a Pod and of a Job', async () => {
    await kubectl('create', '-f', file);
    await world.launch('sums', [{ index: 0, attempt: 1 }]);
    world.print(0, 1, 'main', 'one', 'two', 'three', 'four');
    await world.record('sums', 0, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
    await world.commit('sums', [
      { op: 'claim', index: 0 },
      { op: 'succeeded', index: 0 },
    ]);
    const pod = await kubectl('get', 'pods', '-o', 'name');
    expect(await kubectl('logs', pod)).toBe('one\ntwo\nthree\nfour');
    expect(await kubectl('logs', 'job/sums', '--tail=1')).toBe('four');
    expect(await kubectl('logs', '-f', pod)).toBe('one\ntwo\nthree\nfour');
  });
});
