import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { JobSchema } from '../../cli/client/api-objects.ts';
import { type FollowOptions, followJob } from '../../cli/follow/follow-job.ts';
import { runCommandLine } from '../../cli/program/program.ts';
import { reachAgain } from '../../cli/client/reach.ts';
import type { JobProgress } from '../../cli/render/progress.ts';
import { plusMs } from '../../shared/domain/base/time.ts';
import type { Status } from '../../shared/domain/scoreboard/status.ts';
import { START, type World, manifest } from '../kube/a-world.ts';
import { type AServer, type Interception, type ServerWish, aServer } from './a-server.ts';

type Steps = readonly ((world: World) => Promise<void> | void)[];

const nothing = (): void => undefined;
const phaseAt = (sec: number, kind: 'complete' | 'failed'): Pick<Status, 'phase'> => ({
  phase: {
    kind: 'finished',
    verdict:
      kind === 'complete'
        ? { kind, reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods', decidedBy: null }
        : {
            kind,
            reason: 'BackoffLimitExceeded',
            message: 'Job has reached the specified backoff limit',
            decidedBy: null,
          },
    since: plusMs(START, sec * 1000),
    at: plusMs(START, sec * 1000),
  },
});

const claim = (...indexes: readonly number[]) => indexes.map((index) => ({ op: 'claim' as const, index }));
const running = (...indexes: readonly number[]) => indexes.map((index) => ({ op: 'running' as const, index }));
const succeeded = (...indexes: readonly number[]) => indexes.map((index) => ({ op: 'succeeded' as const, index }));

/** Four indexes, two at a time, one step a look. */
const TO_THE_END: Steps = [
  async (world) => world.commit('sums', claim(0, 1), { startTime: START }),
  async (world) => world.commit('sums', running(0, 1)),
  async (world) => world.commit('sums', [...succeeded(0), ...claim(2)]),
  async (world) => world.commit('sums', [...succeeded(1), ...running(2), ...claim(3)]),
  async (world) => world.commit('sums', [...running(3), ...succeeded(2)]),
  async (world) => world.commit('sums', succeeded(3), phaseAt(12, 'complete')),
];

const WAIT = 'run -f job.json --wait';

async function waiting(wish: ServerWish = {}, line = WAIT) {
  const server = await aServer(wish);
  server.file('job.json', manifest('sums'));
  return { ...server, waited: await server.run(line) };
}

describe('run --wait', () => {
  test('complete: exit 0, and the last words say so', async () => {
    const { waited } = await waiting({ steps: TO_THE_END });
    expect(waited).toMatchObject({ code: 0, err: '' });
    const lines = waited.out.trimEnd().split('\n');
    expect(lines[0]).toBe('job.batch/sums created');
    expect(lines.at(-1)).toBe('job.batch/sums complete: 4/4 succeeded in 12s');
    expect(lines.at(-2)).toBe('sums complete 12s: 4/4 succeeded');
    expect(waited.out).not.toContain('\u001B');
  });

  test('failed: exit 1, with the reason and where to look', async () => {
    const steps: Steps = [
      async (world) => world.commit('sums', claim(0, 1), { startTime: START }),
      async (world) =>
        world.commit('sums', [{ op: 'failed', index: 0, notBefore: null }], { failed: 1, ...phaseAt(5, 'failed') }),
    ];
    const { waited } = await waiting({ steps });
    expect(waited.code).toBe(1);
    expect(waited.out.trimEnd().split('\n').slice(-3)).toEqual([
      'job.batch/sums failed: BackoffLimitExceeded: Job has reached the specified backoff limit (0/4 succeeded, 1 attempt failed in 5s)',
      expect.stringMatching(/^Its limit: spec\.backoffLimit counts/),
      'See why: muster failures sums, muster doctor sums',
    ]);
  });

  test('failed: each cause below it, with the end of a log', async () => {
    const steps: Steps = [
      async (world) => {
        await world.commit('sums', [...claim(0, 1), ...running(0, 1)], { startTime: START });
        await world.launch('sums', [{ index: 0, attempt: 1 }]);
      },
      async (world) => {
        world.print(0, 1, 'main', 'Traceback', 'KeyError: 7');
        await world.record('sums', 0, 1, { cause: 'Error', exitCode: 1, container: 'main', reason: '' });
        const failed = { op: 'failed' as const, index: 0, notBefore: null };
        await world.commit('sums', [failed], { failed: 1, ...phaseAt(5, 'failed') });
      },
    ];
    const { waited } = await waiting({ steps });
    expect(waited.out.trimEnd().split('\n').slice(-6)).toEqual([
      'job.batch/sums failed: BackoffLimitExceeded: Job has reached the specified backoff limit (0/4 succeeded, 1 attempt failed in 5s)',
      '  exit code 1: index 0',
      '    Traceback',
      '    KeyError: 7',
      expect.stringMatching(/^Its limit: spec\.backoffLimit counts/),
      'See why: muster failures sums, muster logs sums --index 0 --attempt 1',
    ]);
  });

  test('complete with fewer than all: the success policy is named', async () => {
    const { phase } = phaseAt(5, 'complete');
    const met = { reason: 'SuccessPolicy', message: 'Matched rules at index 0' } as const;
    const verdict = { kind: 'complete', decidedBy: 0, ...met } as const;
    const steps: Steps = [
      async (world) => world.commit('sums', [...claim(0), ...running(0)], { startTime: START }),
      async (world) =>
        world.commit('sums', succeeded(0), {
          phase: { ...phase, verdict } as Extract<Status['phase'], { kind: 'finished' }>,
        }),
    ];
    const { waited } = await waiting({ steps });
    expect(waited.out).toMatch(/\nsums complete 5s: 1\/4 succeeded, 3 not run\n/);
    expect(waited.out).toMatch(/\njob.batch\/sums complete: 1\/4 succeeded, success policy met in 5s\n$/);
  });

  test.each([
    ['deleted', async (world: World) => void (await fetchDelete(world))],
    [
      'deleted, and another one has its name',
      async (world: World) => {
        await fetchDelete(world);
        await world.post('/apis/batch/v1/namespaces/default/jobs', manifest('sums'), LOOPBACK);
      },
    ],
  ])('%s meanwhile: exit 3', async (_, step) => {
    const { waited } = await waiting({ steps: [nothing, step] });
    expect(waited.code).toBe(3);
    expect(waited.out).toMatch(/\njob\.batch\/sums was deleted\n$/);
  });

  test('timed out: exit 124, and the Job goes on', async () => {
    const { waited, run } = await waiting({}, `${WAIT} --timeout 100ms`);
    expect(waited.code).toBe(124);
    expect(waited.out).toContain(
      'job.batch/sums is not over after 0s. It continues. Watch it with: muster watch sums\n',
    );
    expect((await run('get -o name')).out).toBe('job.batch/sums\n');
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s: exit %i, the Job goes on, and nobody listens any more', async (signal, exitCode) => {
    const server = await aServer();
    server.file('job.json', manifest('sums'));
    const hand = server.shell();
    const over = runCommandLine(WAIT.split(' '), hand.shell);
    await expect.poll(() => hand.out()).toContain('sums waiting');
    hand.interrupt(signal);
    expect(await over).toBe(exitCode);
    expect(hand.out()).toContain('It continues. Watch it with: muster watch sums\n');
    expect(hand.listeners()).toBe(0);
    expect((await server.run('get -o name')).out).toBe('job.batch/sums\n');
  });

  test('--output json: the Job alone on standard output, the rest on the other', async () => {
    const { waited, json } = await waiting({ steps: TO_THE_END }, `${WAIT} -o json`);
    // Its last publication may come after the Job was read: the version may still rise, nothing else changes.
    const withoutVersion = (text: string): string => text.replace(/"resourceVersion": ?"\d+",?/, '');
    const now = JSON.stringify(await json('/apis/batch/v1/namespaces/default/jobs/sums'), null, 2);
    expect(withoutVersion(waited.out)).toBe(`${withoutVersion(now)}\n`);
    expect(waited.err).toContain('job.batch/sums complete: 4/4 succeeded in 12s\n');
    expect(waited.code).toBe(0);
  });
});

/** Follows the Job sums without a command line: looks again at once, and notes every progress. */
async function following(server: AServer, wish: Partial<FollowOptions> = {}) {
  const { shell } = server.shell();
  const reconnect = async () => reachAgain(null, shell);
  const client = await reconnect();
  const object = await client.get('/apis/batch/v1/namespaces/default/jobs/sums');
  const { uid } = JobSchema.parse(object).metadata;
  const shown: string[] = [];
  const progress: JobProgress[] = [];
  const onProgress = (each: JobProgress): void => {
    progress.push(each);
    const text = `${each.phase} ${letters(each)}${each.lost === null ? '' : ' lost'}`;
    if (shown.at(-1) !== text) shown.push(text);
  };
  const stop = new AbortController();
  const options = { client, reconnect, onProgress, now: () => 0, lookAgainMs: 1, signal: stop.signal, ...wish };
  const ending = followJob({ namespace: 'default', name: 'sums', uid }, options);
  return { ending, shown, progress, stop };
}

const letters = ({ board }: JobProgress): string =>
  board === null ? '' : [...board].map((code) => '.srx!FS'.charAt(code)).join('');

async function withSums(wish: ServerWish = {}, spec: object = {}) {
  const server = await aServer(wish);
  server.file('job.json', manifest('sums', spec));
  await server.run('run -f job.json');
  server.requests.splice(0);
  return server;
}

describe('following', () => {
  test('shows each index as it goes, attempts and all', async () => {
    const server = await withSums();
    const { world } = server;
    const { ending, shown } = await following(server);
    const then = async (expected: string) => expect.poll(() => shown.at(-1)).toBe(expected);
    await then('waiting ....');
    await world.commit('sums', claim(0, 1), { startTime: START });
    await then('running ss..');
    await world.commit('sums', running(0, 1));
    await then('running rr..');
    await world.commit('sums', succeeded(0));
    await then('running Sr..');
    await world.record('sums', 1, 1, { cause: 'Error', exitCode: 1, container: 'main', reason: '' });
    await world.commit('sums', [{ op: 'failed', index: 1, notBefore: null }], { failed: 1 });
    await then('running S!..');
    await world.commit('sums', [{ op: 'claim', index: 1, attempt: 2 }]);
    await then('running Ss..');
    await world.commit('sums', [{ op: 'running', index: 1, attempt: 2 }]);
    await then('running Sr..');
    await world.commit('sums', [{ op: 'succeeded', index: 1, attempt: 2 }]);
    await then('running SS..');
    await world.commit('sums', claim(2), { phase: { kind: 'suspended', since: START } });
    await then('suspended SSx.');
    await world.commit('sums', [{ op: 'released', index: 2 }]);
    await then('suspended SS..');
    await world.commit('sums', [], phaseAt(3, 'complete'));
    expect((await ending).kind).toBe('complete');
    expect(shown.at(-1)).toBe('complete SS..');
  });

  test('at the end of a failed Job nothing is at work, and what has failed is shown', async () => {
    const steps: Steps = [
      async (world) => world.commit('sums', [...claim(0, 1), ...running(0, 1)], { startTime: START }),
      async (world) => {
        await world.record('sums', 1, 1, { cause: 'Error', exitCode: 1, container: 'main', reason: '' });
        await world.commit('sums', [...succeeded(0), { op: 'failed', index: 1, notBefore: null }], {
          failed: 1,
          ...phaseAt(3, 'failed'),
        });
      },
    ];
    const { ending, shown } = await following(await withSums({ steps }));
    expect(await ending).toMatchObject({ kind: 'failed', job: { metadata: { name: 'sums' } } });
    expect(shown.at(-1)).toBe('failed SF..');
  });

  test('a large Job is followed without its Pods, a NonIndexed one has no indexes', async () => {
    for (const spec of [
      { completions: 2001, parallelism: 1 },
      { completionMode: 'NonIndexed', completions: 3 },
    ]) {
      const server = await withSums(
        { steps: [async (world) => world.commit('sums', [], phaseAt(1, 'complete'))] },
        spec,
      );
      const { ending, progress } = await following(server);
      expect((await ending).kind).toBe('complete');
      expect(progress.at(-1)?.board?.length ?? null).toBe('completionMode' in spec ? null : 2001);
      expect(server.requests.filter((each) => each.includes('/pods'))).toEqual([]);
    }
  });

  test('why it waits is asked while something does, and forgotten when nothing does', async () => {
    const server = await withSums({}, { parallelism: 4 });
    const { world } = server;
    Object.assign(world.pace, { perSec: 2, fullPerSec: 2 });
    const { ending, progress } = await following(server, { askAgainMs: 2 });
    const text = () => progress.at(-1)?.waits?.text ?? null;
    await expect.poll(text).toBe('4 wait: launch rate 2/s, about 2 s');
    await world.commit('sums', [...claim(0, 1, 2, 3), ...running(0, 1, 2, 3)], { startTime: START });
    await expect.poll(() => progress.at(-1)?.counts.running).toBe(4);
    const asked = (): number => server.requests.filter((each) => each.endsWith('/progress')).length;
    const soFar = asked();
    expect(soFar).toBeGreaterThan(0);
    for (let i = 0; i < 20; i++) await server.run('get -o name'); // longer than several times askAgainMs
    expect(asked() - soFar).toBeLessThan(2); // one may have been on its way
    expect(text()).toBeNull();
    await world.commit('sums', succeeded(0, 1, 2, 3), phaseAt(3, 'complete'));
    expect((await ending).kind).toBe('complete');
  });

  test('whatever is shown is of one moment: counts and grid agree, and no more is at work than may be', async () => {
    const wave = (from: number) => [
      { op: 'succeeded' as const, index: from },
      ...(from + 2 < 40 ? [...claim(from + 2), ...running(from + 2)] : []),
    ];
    const steps: Steps = [
      async (world) => world.commit('sums', [...claim(0, 1), ...running(0, 1)], { startTime: START }),
      ...Array.from(
        { length: 40 },
        (_, index) => async (world: World) =>
          world.commit('sums', wave(index), index === 39 ? phaseAt(9, 'complete') : {}),
      ),
    ];
    const server = await withSums({ steps }, { completions: 40 });
    const { ending, progress } = await following(server);
    expect((await ending).kind).toBe('complete');
    expect(progress.length).toBeGreaterThan(5);
    for (const each of progress) {
      const drawn = letters(each);
      const count = (letter: string): number => drawn.split(letter).length - 1;
      const { succeeded, running: runs, starting, waiting: waits } = each.counts;
      expect([count('S'), count('r'), count('s'), count('.')]).toEqual([succeeded, runs, starting, waits]);
      expect(runs + starting).toBeLessThanOrEqual(2);
    }
  });

  test('the first failure is shown with the end of its log while the Job goes on', async () => {
    const server = await withSums();
    const { world } = server;
    const { ending, progress } = await following(server, { askAgainMs: 2 });
    await world.commit('sums', [...claim(0, 1), ...running(0, 1)], { startTime: START });
    await world.launch('sums', [{ index: 1, attempt: 1 }]);
    world.print(1, 1, 'main', 'Traceback', 'KeyError: 7');
    const reason = 'Essential container in task exited';
    await world.record('sums', 1, 1, { cause: 'Error', exitCode: 1, container: 'main', reason });
    await world.commit('sums', [{ op: 'failed', index: 1, notBefore: plusMs(START, 60_000) }], { failed: 1 });
    await expect
      .poll(() => progress.at(-1)?.failure)
      .toEqual({ text: 'index 1, attempt 1 failed: exit code 1', log: ['Traceback', 'KeyError: 7'] });
    await world.commit('sums', [], phaseAt(3, 'failed'));
    expect((await ending).kind).toBe('failed');
    expect(progress.at(-1)?.failure).toBeNull(); // the verdict says it
  });

  test('a server that cannot say why is followed all the same', async () => {
    const intercept: Interception = ({ url }, response) => {
      if (url?.endsWith('/progress') !== true) return false;
      response.writeHead(404).end();
      return true;
    };
    const server = await withSums({ intercept });
    const { ending, progress } = await following(server, { askAgainMs: 1 });
    await expect.poll(() => server.requests.some((each) => each.endsWith('/progress'))).toBe(true);
    await server.world.commit('sums', [], phaseAt(3, 'complete'));
    expect((await ending).kind).toBe('complete');
    expect(progress.every(({ waits }) => waits === null)).toBe(true);
  });

  test('one watch serves a Job to its end', async () => {
    const server = await withSums({ steps: TO_THE_END });
    expect((await (await following(server)).ending).kind).toBe('complete');
    expect(watchesOf(server.requests, '/jobs')).toBe(1);
  });

  test('a watch that the server ends is taken up, and the end is not missed', async () => {
    const server = await withSums({
      steps: [...Array<typeof nothing>(20).fill(nothing), ...TO_THE_END],
      streamMaxSec: 4,
    });
    expect((await (await following(server)).ending).kind).toBe('complete');
    expect(watchesOf(server.requests, '/jobs')).toBeGreaterThan(2);
  });

  const onWatch =
    (answer: (response: ServerResponse) => void): Interception =>
    ({ url = '' }, response) => {
      if (!url.includes('watch=true')) return false;
      answer(response);
      return true;
    };
  const status = (code: number) => JSON.stringify({ kind: 'Status', code, reason: 'No', message: 'no watches' });

  test.each<[string, Interception]>([
    ['forbids watching', onWatch((response) => response.writeHead(403).end(status(403)))],
    ['has no watches', onWatch((response) => response.writeHead(501).end('not implemented'))],
    [
      'says that what was to come has expired',
      onWatch((response) => response.end(`{"type":"ERROR","object":${status(410)}}\n`)),
    ],
    ['ends watches at once', onWatch((response) => response.end())],
    [
      'breaks watches off',
      onWatch((response) => {
        response.write('{"type":', () => response.destroy());
      }),
    ],
  ])('a server that %s is asked again and again instead', async (_, intercept) => {
    let theme = 0;
    const server: AServer = await withSums({
      intercept(request, response) {
        // No watch waits in this world: a step is taken at each look.
        if (request.url?.endsWith('/jobs/sums') === true) void TO_THE_END[theme++ - 2]?.(server.world);
        return intercept(request, response);
      },
    });
    const { ending, shown } = await following(server);
    expect((await ending).kind).toBe('complete');
    expect(shown.at(-1)).toBe('complete SSSS');
  });

  test('another Job of the same name is not taken for it, where no watch tells', async () => {
    const server = await withSums({ intercept: onWatch((response) => response.writeHead(403).end(status(403))) });
    const { ending, progress } = await following(server);
    await expect.poll(() => progress.length).toBeGreaterThan(0);
    await server.run('delete sums');
    await server.run('run -f job.json');
    expect(await ending).toEqual({ kind: 'deleted' });
  });

  test('a server that is started again at another address is found again', async () => {
    const server = await withSums();
    const { ending, shown } = await following(server);
    await expect.poll(() => watchesOf(server.requests, '/jobs')).toBe(1);
    await server.close();
    await expect.poll(() => shown.at(-1)).toBe('waiting .... lost');
    await server.world.commit('sums', [], phaseAt(9, 'complete'));
    await server.openAgain();
    expect((await ending).kind).toBe('complete');
    expect(shown.at(-1)).toBe('complete ....');
  });

  test('a server that stays away is given up', async () => {
    const server = await withSums();
    let nowMs = 0;
    const { ending } = await following(server, { giveUpMs: 100, now: () => (nowMs += 10) });
    await expect.poll(() => watchesOf(server.requests, '/jobs')).toBe(1);
    await server.close();
    expect(await ending).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('connection refused') as string,
    });
  });

  test('a server that refuses to tell is not asked twice', async () => {
    const server = await withSums({
      intercept({ url = '', method }, response) {
        if (method !== 'GET' || !url.endsWith('/jobs/sums') || asked++ < 1) return false;
        response.writeHead(403).end(status(403));
        return true;
      },
    });
    let asked = 0;
    const { ending } = await following(server);
    await expect(ending).rejects.toThrow('Error from server (No): no watches');
  });

  test('aborting ends it, with its watches', async () => {
    const server = await withSums();
    const { ending, stop } = await following(server);
    await expect.poll(() => watchesOf(server.requests, '/jobs')).toBe(1);
    stop.abort();
    expect(await ending).toEqual({ kind: 'aborted' });
  });
});

const LOOPBACK = { host: '127.0.0.1' };
const fetchDelete = async (world: World) =>
  world.app.request('/apis/batch/v1/namespaces/default/jobs/sums', { method: 'DELETE', headers: LOOPBACK });

const watchesOf = (requests: readonly string[], kind: string): number =>
  requests.filter((each) => each.includes(`${kind}?`) && each.includes('watch=true')).length;
