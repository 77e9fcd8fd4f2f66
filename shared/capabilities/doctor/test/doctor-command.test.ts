import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { plusMs } from '../../../domain/base/time.ts';
import { withDeadLetterEvents } from '../../../domain/events/dead-letter-events.ts';
import { START, manifest } from '../../../../test/kube/a-world.ts';
import { aServer } from '../../../../test/cli/a-server.ts';
import { DAY_MS, endedJob } from '../../../../test/cli/ended-job.ts';
import { aHalfDoneServer } from '../../../../test/cli/half-done.ts';

const LATER = { now: () => plusMs(START, 65_000) };

/** Tells the Job of two messages that were set aside. */
async function setAside({ world }: Awaited<ReturnType<typeof aServer>>, name: string): Promise<void> {
  const status = (await world.jobs.readStatus(await world.uidOf(name)))!;
  const { events } = withDeadLetterEvents(status, [{ queue: 'facts', reason: 'Error: boom', count: 2 }], START)!;
  await world.commit(name, [], { events });
}

describe('doctor', () => {
  test('a Job: what has failed, what holds it open, and what is out of step, with what to do', async () => {
    const server = await aHalfDoneServer();
    await setAside(server, 'sums');
    await server.world.commit('sums', [], { alarms: [plusMs(START, -600_000)] });
    const { code, out, err } = await server.run('doctor job.batch/sums', LATER);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatchInlineSnapshot(`
      "job/default/sums
        error    AlarmOverdue  it was due to be checked by 2023-11-14T22:03:20Z, and was not (11m)
                               Check the log of the function sweep (alarm sweepErrors), and the dead letters of the wake queue: \`muster doctor\` lists them.
        warning  PodsFailed    exit code 3: index 1 (62s)
                               It printed nothing.
        warning  DeadLetters   A message of the facts queue was moved to the dead-letter queue: Error: boom (2 times) (65s)
                               Its tasks were looked up, so nothing is lost. \`muster doctor\` without a Job lists the dead letters.
        info     Active        active attempts: 1 running (64s)
        info     Waiting       1 waits: being launched
        info     Waiting       1 waits: parallelism 2: the next starts when one ends
                               Raise spec.parallelism if more may run at once.
      "
    `);
  });

  test('after a restore: as of when each open Job is, and what runs again', async () => {
    const server = await aHalfDoneServer();
    const { code, out, err } = await server.run('doctor --after-restore', LATER);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatchInlineSnapshot(`
      "job/default/sums
        warning  RunsAgain    index 1: active then, and ECS does not know how the task ended: it runs again (65s)
                              Suspend the Job if its program must not run twice, and see what these indexes have left behind.
        warning  MayRunAgain  2 indexes (2,3): not started then; whichever has started since runs again, unless ECS still knows its task (65s)
                              The same. ECS knows a task for an hour after its end.
        info     Rewound      its rows are as of 2023-11-14T22:13:20Z: 1 of 4 had succeeded by then, and are not run again (65s)
      "
    `);
    const one = await server.run('doctor sums --after-restore', LATER);
    expect([one.code, one.err]).toEqual([2, expect.stringContaining('leave the Job out')]);
    expect(server.requests.filter((line) => line.includes('afterRestore'))).toEqual([
      'GET /muster/v1/namespaces/default/jobs/diagnosis?afterRestore=true',
    ]);
  });

  test('where nothing is wrong it says so, and a warning is no failure', async () => {
    const server = await aHalfDoneServer();
    server.file('other.json', manifest('other', { suspend: true }));
    await server.run('run -f other.json');
    await setAside(server, 'other');
    expect((await server.run('doctor other', LATER)).code).toBe(0);
    const empty = await aServer();
    expect(await empty.run('doctor', LATER)).toEqual({ code: 0, out: 'healthy\n', err: '' });
    expect(empty.requests.filter((line) => line.includes('diagnosis'))).toEqual([
      'GET /muster/v1/diagnosis',
      'GET /muster/v1/namespaces/default/jobs/diagnosis',
    ]);
  });

  test('where Jobs are kept on this machine: its size, the oldest Job, and what can be pruned', async () => {
    const sizes = { bytes: 61_400_000, logsBytes: 40_000_000, tasksBytes: 9_000_000 };
    const jobsFile = { usedBytes: 340_000, fileBytes: 12_400_000 };
    const server = await aServer({ dataFolder: { path: '/home/ada/.muster', ...sizes, jobs: jobsFile } });
    const head =
      'data folder /home/ada/.muster: 61 MB: Jobs 12 MB (340 kB in use), logs 40 MB, records of tasks 9.0 MB\n';
    expect(await server.run('doctor', LATER)).toEqual({ code: 0, out: `healthy\n\n${head}`, err: '' });
    await endedJob(server, 'young', plusMs(START, -7 * DAY_MS + 1));
    await endedJob(server, 'old', plusMs(START, -7 * DAY_MS));
    const { out } = await server.run('doctor', LATER);
    expect(out).toBe(
      `healthy\n\n${head}2 Jobs, the oldest: default/old (65s)\n` +
        '1 Job ended 7d ago or earlier; to delete them: `muster prune --older-than 7d`\n',
    );
    expect((await server.run('doctor -n elsewhere', LATER)).out).toContain('`muster prune --older-than 7d -A`');
    expect((await server.run('doctor', { ...LATER, env: { npm_lifecycle_event: 'npx' } })).out).toContain(
      '`npx muster p',
    );
    expect(JSON.parse((await server.run('doctor -o json', LATER)).out)).toMatchObject({
      dataFolder: {
        path: '/home/ada/.muster',
        ...sizes,
        jobsFile,
        jobs: 2,
        more: false,
        oldestJob: { namespace: 'default', name: 'old', createdAt: '2023-11-14T22:13:20Z' },
        prunable: { olderThanSeconds: 604_800, jobs: 1, namespaces: ['default'] },
      },
    });
    expect((await server.run('doctor old', LATER)).out).not.toContain('data folder');
    expect(JSON.parse((await (await aServer()).run('doctor -o json', LATER)).out)).not.toHaveProperty('dataFolder');
  });

  test('all Jobs: of the namespace, of another, of all; page by page', async () => {
    const server = await aServer();
    for (let nth = 0; nth < 51; nth++) {
      const name = `job-${String(nth).padStart(2, '0')}`;
      server.file('job.json', manifest(name, { suspend: true }));
      await server.run('run -f job.json');
    }
    await setAside(server, 'job-00');
    await setAside(server, 'job-50');
    const kinds = async (line: string) =>
      (JSON.parse((await server.run(line, LATER)).out) as { findings: { kind: string; subject: string }[] }).findings
        .filter(({ kind }) => kind === 'DeadLetters')
        .map(({ subject }) => subject);
    const both = ['job/default/job-00', 'job/default/job-50'];
    expect(await kinds('doctor -o json')).toEqual(both);
    expect(await kinds('doctor -A -o json')).toEqual(both);
    expect(await kinds('doctor -n elsewhere -o json')).toEqual([]);
    expect(server.requests.filter((line) => line.includes('continue='))).toEqual([
      'GET /muster/v1/namespaces/default/jobs/diagnosis?continue=default/job-49',
      'GET /muster/v1/jobs/diagnosis?continue=default/job-49',
    ]);
  });

  test('as JSON or YAML, with whether it is well', async () => {
    const server = await aHalfDoneServer();
    const { code, out } = await server.run('doctor -o json', LATER);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      apiVersion: 'muster.run/v1',
      kind: 'Diagnosis',
      asOf: expect.any(String) as string,
      healthy: true,
      findings: expect.arrayContaining([expect.objectContaining({ kind: 'Active', severity: 'info' })]) as unknown,
      deadLetters: [],
    });
    expect(parse((await server.run('doctor -o yaml', LATER)).out)).toEqual(JSON.parse(out));
    expect(JSON.parse((await server.run('doctor sums -o json', LATER)).out)).not.toHaveProperty('deadLetters');
  });

  test('a Job that there is not, and command lines that make no sense', async () => {
    const server = await aServer();
    expect(await server.run('doctor nobody')).toEqual({
      code: 1,
      out: '',
      err: 'Error from server (NotFound): jobs.batch "nobody" not found\n',
    });
    expect(await server.run('doctor sums -A')).toMatchObject({ code: 2, out: '' });
    expect(await server.run('doctor -A -n team')).toMatchObject({ code: 2, out: '' });
    expect(await server.run('doctor -o xml')).toMatchObject({ code: 2, out: '' });
    expect((await server.run('doctor --help')).out).toMatch(/Examples:\n {2}muster doctor frames[\s\S]*Exit codes:/);
  });

  test('what a server says commands no terminal, and one without these answers is said to be too old', async () => {
    const evil = { severity: 'error', kind: 'X', subject: 'a\u001b[2J', what: 'b\nc', since: null, remedy: '\u0007' };
    const answer = (text: string) =>
      aServer({
        intercept: (request, response) => {
          if (request.url?.includes('/muster/v1') !== true) return false;
          response.writeHead(text === '' ? 404 : 200, { 'content-type': 'application/json' });
          const missing = {
            kind: 'Status',
            code: 404,
            reason: 'NotFound',
            message: 'the server could not find the requested resource',
          };
          response.end(text === '' ? JSON.stringify(missing) : text);
          return true;
        },
      });
    const server = await answer(JSON.stringify({ kind: 'Diagnosis', asOf: 'x', findings: [evil] }));
    const { code, out } = await server.run('doctor sums', LATER);
    expect(code).toBe(1);
    expect(out.split('\n').map((line) => line.trim())).toEqual(['a [2J', 'error  X  b c', '', '']);
    const old = await answer('');
    expect((await old.run('doctor')).err).toMatch(/runs a version without this check/);
  });
});
