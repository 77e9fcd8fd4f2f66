import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../cli/program/program.ts';
import { START, manifest } from '../kube/a-world.ts';
import { aServer } from './a-server.ts';
import { endJob } from './ended-job.ts';
import { heldRequests } from './outcomes/held-requests.ts';
import { aHalfDoneServer } from './half-done.ts';

describe('logs', () => {
  async function printing() {
    const server = await aHalfDoneServer();
    const { world } = server;
    world.print(0, 1, 'main', 'zero a', 'zero b');
    world.print(1, 1, 'main', 'one a');
    world.print(1, 2, 'main', 'one again');
    return server;
  }

  test.each([
    ['logs sums --index 0', 'zero a\nzero b\n', 'one index'],
    ['logs sums --index 0 --tail 1', 'zero b\n', 'its end'],
    ['logs job.batch/sums --index 1', 'one again\n', 'the latest attempt'],
    ['logs sums --index 1 --attempt 1', 'one a\n', 'an earlier one'],
    ['logs sums', '[0] zero a\n[0] zero b\n[1] one again\n', 'all indexes'],
    ['logs sums --index 0-1 --tail 1', '[0] zero b\n[1] one again\n', 'several'],
    ['logs sums --attempt 1', '[0] zero a\n[0] zero b\n[1] one a\n', 'first attempts'],
  ])('%s', async (line, expected) => {
    const { run } = await printing();
    expect(await run(line)).toEqual({ code: 0, out: expected, err: '' });
  });

  test.each([
    ['logs nope', 1, 'Error from server (NotFound): jobs.batch "nope" not found\n'],
    ['logs sums --index 3', 1, 'error: Job sums has no attempt of index 3 yet\n'],
    ['logs sums --index 0 --attempt 4', 1, 'error: Job sums has no attempt 4 of index 0 yet\n'],
    ['logs sums --index 4', 2, /^error: index 4: 0 to 3 exist\n$/],
    ['logs sums --index 0,2-99', 2, /^error: index 99: 0 to 3 exist\n$/],
    ['logs sums --index two', 2, 'error: --index "two": cannot convert string to integer for index: "two"\n'],
    ['logs sums --index 2-1', 2, 'error: --index "2-1": non-increasing order, previous: 2, current: 1\n'],
    [
      'logs sums --index 0 -c nope',
      1,
      /^Error from server \(BadRequest\): container nope is not valid for pod sums-0-/,
    ],
  ])('%s', async (line, exitCode, expected) => {
    const { run } = await printing();
    const { code, err } = await run(line);
    expect(code).toBe(exitCode);
    expect(err).toMatch(expected);
  });

  test('of an attempt that was stopped, whose Pod is gone', async () => {
    const { world, run, file } = await printing();
    file('cut.json', manifest('cut'));
    await run('run -f cut.json');
    const ending = { cause: 'Stopped', exitCode: null, container: null, reason: '' } as const;
    await world.record('cut', 1, 1, ending, { as: 'released', why: { kind: 'jobSuspended' }, gone: true });
    await world.commit('cut', [
      { op: 'claim', index: 1 },
      { op: 'released', index: 1 },
    ]);
    for (const line of ['logs cut', 'logs cut --index 1', 'logs cut --index 1 --attempt 1', 'logs cut --index 1 -f'])
      expect(await run(line)).toEqual({ code: 0, out: 'one a\n', err: '' });
  });

  test('an index without an attempt says why', async () => {
    const { run, file, world } = await aServer();
    file(
      'job.json',
      manifest(
        'sums',
        { backoffLimitPerIndex: 1 },
        { metadata: { name: 'sums', annotations: { 'muster.run/indexes': '0-2' } } },
      ),
    );
    await run('run -f job.json');
    await world.commit('sums', [{ op: 'exclude', index: 1, attempt: 0 }]);
    expect((await run('logs sums --index 1')).err).toBe('error: Job sums has no attempt of index 1: cancelled\n');
    expect((await run('logs sums --index 3')).err).toBe(
      'error: Job sums has no attempt of index 3: excluded from this Job\n',
    );
    expect((await run('logs sums --index 0-3')).err).toBe(
      'error: Job sums has no attempt of indexes 0-3: 1 cancelled, 3 excluded from this Job, 0,2 not started yet\n',
    );
    await endJob(world, 'sums', START);
    expect((await run('logs sums --index 0')).err).toBe(
      'error: Job sums has no attempt of index 0: not started before the Job ended\n',
    );
  });

  test('a NonIndexed Job has no indexes', async () => {
    const { run, file, world } = await aServer();
    file('job.json', manifest('queue', { completionMode: 'NonIndexed', completions: 2 }));
    await run('run -f job.json');
    expect(await run('logs queue --index 0')).toMatchObject({
      code: 2,
      err: 'error: Job queue is NonIndexed: its Pods have no index\n',
    });
    await world.commit('queue', [{ op: 'claim', index: 0 }]);
    await world.launch('queue', [{ index: 0, attempt: 1 }]);
    await world.commit('queue', [{ op: 'running', index: 0 }]);
    world.print(0, 1, 'main', 'hello');
    expect(await run('logs queue')).toEqual({ code: 0, out: 'hello\n', err: '' });
  });

  test('what has not started is said; beside others it does not stop them', async () => {
    const { run, world } = await printing();
    await world.commit('sums', [{ op: 'claim', index: 2 }]);
    expect(await run('logs sums --index 2')).toMatchObject({
      code: 1,
      err: expect.stringContaining('is waiting to start') as string,
    });
    const all = await run('logs sums --tail 1');
    expect(all).toMatchObject({
      code: 1,
      out: '[0] zero b\n[1] one again\n',
      err: expect.stringContaining('is waiting to start') as string,
    });
  });

  describe('failed', () => {
    const EXITED = { cause: 'Error', exitCode: 1, container: 'main', reason: '' } as const;
    const NOT_FOUND = {
      cause: 'Error',
      exitCode: 128,
      container: 'main',
      reason: 'CannotStartContainerError: python: command not found; looked in PATH /bin',
    } as const;

    /** Index 0 failed and then succeeded, 1 failed twice, 2 runs, 3 never started. */
    async function failing() {
      const server = await aServer();
      const { world } = server;
      server.file('job.json', manifest('sums', { parallelism: 4 }));
      await server.run('run -f job.json');
      const started = async (index: number, attempt: number) => {
        await world.commit('sums', [{ op: 'claim', index, attempt }], { startTime: START });
        await world.launch('sums', [{ index, attempt }]);
        await world.commit('sums', [{ op: 'running', index, attempt }]);
      };
      const fail = async (index: number, attempt: number) => {
        await started(index, attempt);
        world.print(index, attempt, 'main', `${index}/${attempt} failed`);
        await world.record('sums', index, attempt, EXITED);
        await world.commit('sums', [{ op: 'failed', index, attempt, notBefore: null }]);
      };
      await fail(0, 1);
      await started(0, 2);
      await world.record('sums', 0, 2, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
      await world.commit('sums', [{ op: 'succeeded', index: 0, attempt: 2 }]);
      await fail(1, 1);
      await fail(1, 2);
      await started(2, 1);
      await started(3, 1);
      await world.record('sums', 3, 1, NOT_FOUND, { why: { kind: 'exited', exitCode: 128 }, startedAt: null });
      await world.commit('sums', [{ op: 'failed', index: 3, notBefore: null }]);
      return server;
    }
    const WHY = 'StartError: python: command not found; looked in PATH /bin';

    test('of each index that has not succeeded the last attempt that failed', async () => {
      expect(await (await failing()).run('logs sums --failed')).toEqual({
        code: 1,
        out: '[1] 1/2 failed\n',
        err: `index 3, attempt 1 never started: ${WHY}\n`,
      });
    });

    test('what never started is said, with why, and is no success', async () => {
      const { run } = await failing();
      const told = { code: 1, out: '', err: `index 3, attempt 1 never started: ${WHY}\n` };
      expect(await run('logs sums --index 3')).toEqual(told);
      expect(await run('logs sums --index 3 -f')).toEqual(told);
    });

    test('also those whose Pods are gone, each with its index and item', async () => {
      const server = await aServer();
      const { world, run, file } = server;
      const list = ['FILE', 'a', 'b', 'c', 'd'].join('\n');
      const metadata = { name: 'sums', annotations: { 'muster.run/items': list } };
      file('job.json', manifest('sums', { parallelism: 4 }, { metadata }));
      await run('run -f job.json');
      const alone: string[] = [];
      for (const index of [0, 2]) {
        await world.commit('sums', [{ op: 'claim', index }], { startTime: START });
        await world.launch('sums', [{ index, attempt: 1 }]);
        await world.commit('sums', [{ op: 'running', index }]);
        world.print(index, 1, 'main', `${index} failed`);
        await world.record('sums', index, 1, EXITED, { gone: true });
        await world.commit('sums', [{ op: 'failed', index, notBefore: null, gone: true }]);
        alone.push((await run('logs sums --failed')).out);
      }
      expect(alone[0]).toBe('[0 a] 0 failed\n');
      expect((await server.json('/api/v1/namespaces/default/pods')) as object).toMatchObject({ items: [] });
      expect(await run('logs sums --failed')).toEqual({ code: 0, out: '[0 a] 0 failed\n[2 c] 2 failed\n', err: '' });
      expect(await run('logs sums')).toEqual({ code: 0, out: '[0 a] 0 failed\n[2 c] 2 failed\n', err: '' });
      expect(await run('logs sums --index 2')).toEqual({ code: 0, out: '2 failed\n', err: '' });
      expect(await run('logs sums --failed --index 2')).toEqual({ code: 0, out: '2 failed\n', err: '' });
      expect(await run('logs sums --index 1-2')).toEqual({
        code: 1,
        out: '2 failed\n',
        err: 'error: Job sums has no attempt of index 1 yet\n',
      });
      const { out, err } = await run('get pods sums --failed');
      expect(err).toBe('');
      const rows = out.split('\n').map((line) => line.split(/ {2,}/).slice(1, 6));
      expect(rows.slice(0, 3)).toEqual([
        ['INDEX', 'ITEM', 'ATTEMPT', 'STATUS', 'EXIT'],
        ['0', 'a', '1', 'Error', '1'],
        ['2', 'c', '1', 'Error', '1'],
      ]);
      expect(JSON.parse((await run('get pods sums --failed -o json')).out)).toMatchObject({ items: [] });
    });

    test('none', async () => {
      const { run } = await printing();
      expect(await run('logs sums --failed --index 0')).toEqual({
        code: 1,
        out: '',
        err: 'error: Job sums has no failed attempt of index 0\n',
      });
      expect((await run('logs sums --failed --attempt 1')).code).toBe(2);
    });

    test('many that never started for one reason are one line', async () => {
      const server = await aServer();
      const { world } = server;
      server.file('job.json', manifest('sums', { completions: 60, parallelism: 60 }));
      await server.run('run -f job.json');
      const all = Array.from({ length: 60 }, (_, index) => index);
      await world.commit(
        'sums',
        all.map((index) => ({ op: 'claim' as const, index })),
        { startTime: START },
      );
      for (const index of all) await world.record('sums', index, 1, NOT_FOUND, { startedAt: null });
      await world.commit(
        'sums',
        all.map((index) => ({ op: 'failed' as const, index, notBefore: null })),
      );
      expect(await server.run('logs sums')).toEqual({
        code: 1,
        out: '',
        err: `60 indexes (0-59) never started: ${WHY}\n`,
      });
    });
  });

  test('a log is printed byte for byte, alone and as a result; of several, each begins on a line of its own', async () => {
    const odd = Buffer.concat([
      Buffer.from('a\n\n  b\r\n\0'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from(`${'é'.repeat(200_000)}\nc`),
    ]);
    const server = await aServer({
      intercept: ({ url = '' }, response) => {
        if (!url.includes('/log?') && !url.endsWith('/log')) return false;
        response.writeHead(200, { 'content-type': 'text/plain' });
        // Not at a character's or a line's end.
        for (let from = 0; from < odd.length; from += 65_537) response.write(odd.subarray(from, from + 65_537));
        response.end();
        return true;
      },
    });
    const { world, file, run, dir } = server;
    file('job.json', manifest('sums', { parallelism: 4 }));
    await run('run -f job.json');
    for (const index of [0, 1]) {
      await world.commit('sums', [{ op: 'claim', index }], { startTime: START });
      await world.launch('sums', [{ index, attempt: 1 }]);
      await world.commit('sums', [{ op: 'running', index }]);
      await world.record('sums', index, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
      await world.commit('sums', [{ op: 'succeeded', index }]);
    }
    const alone = server.shell();
    expect(await runCommandLine(['logs', 'sums', '--index', '0'], alone.shell)).toBe(0);
    expect(alone.outBytes().equals(odd)).toBe(true);
    expect((await run('logs sums --results out')).code).toBe(0);
    expect(readFileSync(join(dir, 'out/000001/stdout')).equals(odd)).toBe(true);
    const both = server.shell();
    await runCommandLine(['logs', 'sums'], both.shell);
    const lines = odd.toString('latin1').split('\n');
    const named = (index: number): string => lines.map((line) => `[${index}] ${line}`).join('\n');
    expect(both.outBytes().toString('latin1')).toBe(`${named(0)}\n${named(1)}\n`);
  });

  test('many logs are read eight at a time, and printed in order', async () => {
    const held = heldRequests();
    const server = await aServer({
      intercept: ({ url = '' }, response) => {
        if (!url.includes('/log?') && !url.endsWith('/log')) return false;
        const index = /sums-(\d+)-/.exec(url)?.[1];
        response.writeHead(200, { 'content-type': 'text/plain' });
        held.hold(() => response.end(`of ${index}\n`));
        return true;
      },
    });
    const { world } = server;
    server.file('job.json', manifest('sums', { completions: 40, parallelism: 40 }));
    await server.run('run -f job.json');
    await world.commit(
      'sums',
      Array.from({ length: 40 }, (_, index) => ({ op: 'claim' as const, index })),
    );
    const ended = server.run('logs sums');
    await held.releaseAt(8);
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(out.split('\n').slice(0, -1)).toEqual(
      Array.from({ length: 40 }, (_, index) => `[${String(index).padStart(2)}] of ${index}`),
    );
  });

  test('following goes on over what the server cuts, with every line once', async () => {
    const server = await aServer({
      streamMaxSec: 3,
      steps: [
        (world) => world.print(1, 1, 'main', 'one b', 'one c'),
        () => undefined,
        () => undefined,
        (world) => world.print(1, 1, 'main', 'one d'),
        async (world) => {
          world.print(1, 1, 'main', 'one e');
          await world.record('sums', 1, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
          await world.commit('sums', [{ op: 'succeeded', index: 1 }]);
        },
      ],
    });
    const { run, file, world, requests } = server;
    file('job.json', manifest('sums'));
    await run('run -f job.json');
    await world.commit('sums', [{ op: 'claim', index: 1 }]);
    await world.launch('sums', [{ index: 1, attempt: 1 }]);
    await world.commit('sums', [{ op: 'running', index: 1 }]);
    world.print(1, 1, 'main', 'one a');
    expect(await run('logs sums --index 1 -f')).toEqual({
      code: 0,
      out: 'one a\none b\none c\none d\none e\n',
      err: '',
    });
    const asked = requests.filter((each) => each.includes('/log?'));
    expect(asked.length).toBeGreaterThan(1);
    expect(asked[1]).toContain('sinceTime=');
  });

  test('too many are not followed at once', async () => {
    const { run, file, world } = await aServer();
    file('job.json', manifest('sums', { completions: 40, parallelism: 40 }));
    await run('run -f job.json');
    await world.commit(
      'sums',
      Array.from({ length: 40 }, (_, index) => ({ op: 'claim' as const, index })),
    );
    expect(await run('logs sums -f')).toMatchObject({
      code: 2,
      err: expect.stringContaining('at most 32 logs, and this is 40') as string,
    });
  });

  test('Ctrl-C ends a follow', async () => {
    const { shell, file, world } = await aServer();
    file('job.json', manifest('sums'));
    const hand = shell();
    await runCommandLine(['run', '-f', 'job.json'], hand.shell);
    await world.commit('sums', [{ op: 'claim', index: 1 }]);
    await world.launch('sums', [{ index: 1, attempt: 1 }]);
    await world.commit('sums', [{ op: 'running', index: 1 }]);
    world.print(1, 1, 'main', 'hello');
    const following = runCommandLine(['logs', 'sums', '-f'], hand.shell);
    await expect.poll(() => hand.out()).toContain('hello\n');
    expect(hand.interrupt()).toBe(true);
    expect(await following).toBe(130);
    expect(hand.listeners()).toBe(0);
  });
});
