import { describe, expect, test } from 'vitest';
import { START } from '../../kube/a-world.ts';
import { aMixedServer, attempt, exited } from './a-mixed-job.ts';

describe('muster failures', () => {
  test('what failed for good and what is tried again, each with an example and the way to run it again', async () => {
    const { run } = await aMixedServer();
    const { code, out, err } = await run('failures sums');
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(`1 of 5 indexes of job.batch/sums has failed, in 1 way
1 failed and is tried again

1 index (1): exit code 2
  last line: end of <n>/<n> after <n> s
  index 1, attempt 2, ends with (all: muster logs sums --index 1 --attempt 2):
    begin 1/2
    end of 1/2 after 1.5 s
  again: muster rerun sums --indexes 1

1 index (2): exit code 3, tried again
  last line: end of <n>/<n> after <n> s
  index 2, attempt 1, ends with (all: muster logs sums --index 2 --attempt 1):
    begin 2/1
    end of 2/1 after 2.5 s
`);
  });

  test('in several ways: all of them again is one command, in the namespace that was asked for', async () => {
    const server = await aMixedServer({}, { completions: 9 });
    for (const index of [5, 6]) {
      server.world.print(index, 1, 'main', `KeyError: ${index}`);
      await attempt(server, index, 1, exited(1), 'failedForGood');
    }
    const { out } = await server.run('failures sums -n default --lines 0', { env: { npm_lifecycle_event: 'npx' } });
    expect(out).toContain('3 of 9 indexes of job.batch/sums have failed, in 2 ways\n');
    expect(out).toContain(`2 indexes (5,6): exit code 1
  last line: KeyError: <n>
  again: npx muster rerun sums -n default --indexes 5,6
`);
    expect(out).toContain('\nAll that failed, again: npx muster rerun sums -n default --failed\n');
  });

  test('what printed nothing, and what never started', async () => {
    const server = await aMixedServer({}, { completions: 9 });
    await attempt(server, 5, 1, exited(4), 'failedForGood');
    server.world.print(5, 1, 'main', '', ' ');
    const missing = { ...exited(128), reason: 'CannotStartContainerError: python: command not found' };
    await server.world.commit('sums', [{ op: 'claim', index: 6 }]);
    await server.world.record('sums', 6, 1, missing, {
      as: 'failedForGood',
      why: { kind: 'exited', exitCode: 128 },
      startedAt: null,
    });
    await server.world.commit('sums', [{ op: 'failedForGood', index: 6 }]);
    const { out } = await server.run('failures sums');
    expect(out).toContain('1 index (5): exit code 4\n  printed nothing\n  again: ');
    expect(out).toContain('1 index (6): StartError: python: command not found\n  again: ');
    expect(out).not.toContain('grouped by'); // all logs that there are were read
  });

  test('what its exit does not say alone has its verdict, too', async () => {
    const server = await aMixedServer({}, { completions: 9 });
    const ends = [
      [5, { kind: 'outOfMemory' }],
      [6, { kind: 'policyRule', rule: 0, action: 'FailIndex', what: 'exit code 137' }],
    ] as const;
    const oom = { ...exited(137), cause: 'OOMKilled', reason: 'OutOfMemoryError: killed' } as const;
    for (const [index, why] of ends) {
      await attempt(server, index, 1, null);
      await server.world.record('sums', index, 1, oom, { as: 'failedForGood', why });
      await server.world.commit('sums', [{ op: 'failedForGood', index }]);
    }
    const { out } = await server.run('failures sums');
    const cause = 'OOMKilled: OutOfMemoryError: killed';
    expect(out).toContain(`1 index (5): ${cause}\n  printed nothing\n`);
    expect(out).toContain(
      `1 index (6): ${cause}\n  failedForGood: podFailurePolicy rule 0 (FailIndex): exit code 137\n  printed nothing\n`,
    );
  });

  test('for programs', async () => {
    const { run } = await aMixedServer();
    const { out } = await run('failures job.batch/sums -o json --lines 1');
    expect(JSON.parse(out)).toMatchObject({
      kind: 'FailureReport',
      metadata: { name: 'sums' },
      failed: 1,
      triedAgain: 1,
      logs: { read: 2, of: 2 },
      groups: [
        {
          verdict: 'failedForGood: exit code 2',
          exitCode: 2,
          lastLine: 'end of <n>/<n> after <n> s',
          count: 1,
          indexes: '1',
          logsRead: 1,
          example: { index: 1, attempt: 2, log: ['end of 1/2 after 1.5 s'] },
          rerun: 'muster rerun sums --indexes 1',
        },
      ],
      groupsTriedAgain: [{ exitCode: 3, indexes: '2', rerun: null }],
    });
  });

  test('none: it says so, and that is no failure of the command', async () => {
    const server = await aMixedServer();
    server.file('new.json', { ...JOB, metadata: { name: 'new' } });
    await server.run('run -f new.json');
    expect(await server.run('failures new')).toEqual({
      code: 0,
      out: 'No index of job.batch/new has failed.\n',
      err: '',
    });
  });

  test('5,000 failures take 200 logs, and the report says so', async () => {
    const server = await aMixedServer({}, { completions: 5_000, parallelism: 5_000 });
    const indexes = Array.from({ length: 4_990 }, (_, i) => i + 10);
    await server.world.commit(
      'sums',
      indexes.map((index) => ({ op: 'claim', index })),
      { startTime: START },
    );
    for (const index of indexes) {
      server.world.print(index, 1, 'main', `no space left on disk ${index}`);
      await server.world.record('sums', index, 1, exited(7), {
        as: 'failedForGood',
        why: { kind: 'exited', exitCode: 7 },
      });
    }
    await server.world.commit(
      'sums',
      indexes.map((index) => ({ op: 'failedForGood', index })),
    );
    const before = server.requests.filter((line) => line.includes('/log')).length;
    const { out } = await server.run('failures sums');
    expect(server.requests.filter((line) => line.includes('/log')).length - before).toBe(200);
    expect(out).toMatch(/^4991 of 5000 indexes of job\.batch\/sums have failed, in 2 ways\n/);
    expect(out).toContain('grouped by the last line of 200 of 4992 logs');
    expect(out).toContain(
      '4990 indexes (10-4999): exit code 7\n  last line: no space left on disk <n> (in all 198 that were read)\n',
    );
  });

  test('progress is shown on a terminal, and leaves nothing behind', async () => {
    const server = await aMixedServer();
    const { out, err } = await server.run('failures sums', { errTerminal: { columns: 80, rows: 24 } });
    expect(err).toContain('2 failures found');
    expect(err.endsWith('\u001B[?7h\u001B[?25h')).toBe(true); // the cursor is back
    expect(err.slice(err.lastIndexOf('\u001B[?2026h'))).not.toMatch(/found|read/); // and the bar is gone
    expect(out).toMatch(/^1 of 5/);
  });

  test.each([
    ['failures nope', 1, /jobs\.batch "nope" not found/],
    ['failures', 2, /missing required argument 'job'/],
    ['failures sums --lines x', 2, /whole number/],
  ])('%s', async (line, exitCode, message) => {
    const { run } = await aMixedServer();
    const { code, err } = await run(line);
    expect(code).toBe(exitCode);
    expect(err).toMatch(message);
  });
});

const JOB = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command: ['true'] }] } } },
};
