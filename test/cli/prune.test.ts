import { describe, expect, test } from 'vitest';
import { endedBefore } from '../../cli/commands/prune.ts';
import { parseAgeMs } from '../../cli/text/duration.ts';
import { type Job, JobSchema } from '../../cli/client/api-objects.ts';
import { plusMs } from '../../shared/domain/base/time.ts';
import { START, manifest } from '../kube/a-world.ts';
import { type AServer, aServer } from './a-server.ts';
import { DAY_MS, endedJob } from './ended-job.ts';

const daysAgo = (days: number) => plusMs(START, -days * DAY_MS);
const NOW = { now: () => START };

/** Complete for 8 days (`old`) and 6 days (`young`), failed for 9 (`bad`), suspended (`paused`), and one of a CronJob's. */
async function someJobs(): Promise<AServer> {
  const server = await aServer();
  await endedJob(server, 'old', daysAgo(8));
  await endedJob(server, 'young', daysAgo(6));
  await endedJob(server, 'bad', daysAgo(9), { failed: true });
  server.file('paused.json', manifest('paused', { suspend: true }));
  await server.run('run -f paused.json');
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: 'cron-uid', controller: true };
  await endedJob(server, 'nightly-1', daysAgo(30), { metadata: { ownerReferences: [owner] } });
  return server;
}

const namesLeft = async (server: AServer): Promise<readonly string[]> =>
  (await server.run('get -A -o name')).out.trim().split('\n').toSorted();

describe('muster prune', () => {
  test('deletes what is Complete or Failed for that long, the oldest first, and says how many', async () => {
    const server = await someJobs();
    expect(await server.run('prune --older-than 7d', NOW)).toEqual({
      code: 0,
      out:
        'job.batch "nightly-1" deleted (ended 30d ago)\n' +
        'job.batch "bad" deleted (ended 9d ago)\n' +
        'job.batch "old" deleted (ended 8d ago)\n' +
        '3 Jobs deleted\n',
      err: '',
    });
    expect(await namesLeft(server)).toEqual(['job.batch/paused', 'job.batch/young']);
    expect(await server.run('prune --older-than 7d', NOW)).toEqual({ code: 0, out: '0 Jobs deleted\n', err: '' });
    expect((await server.run('prune --older-than 0s', NOW)).out).toBe(
      'job.batch "young" deleted (ended 6d ago)\n1 Job deleted\n',
    );
    expect(await namesLeft(server)).toEqual(['job.batch/paused']);
  });

  test('--dry-run deletes nothing', async () => {
    const server = await someJobs();
    const before = await namesLeft(server);
    expect((await server.run('prune --older-than 8d12h --dry-run', NOW)).out).toBe(
      'job.batch "nightly-1" would be deleted (ended 30d ago)\n' +
        'job.batch "bad" would be deleted (ended 9d ago)\n' +
        '2 Jobs would be deleted\n',
    );
    expect(await namesLeft(server)).toEqual(before);
    expect(server.requests.filter((line) => line.startsWith('DELETE'))).toEqual([]);
  });

  test('in its namespace, in another, in all', async () => {
    const server = await someJobs();
    await server.world.post(
      '/api/v1/namespaces',
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
      {
        host: 'localhost',
      },
    );
    expect((await server.run('prune --older-than 7d -n team', NOW)).out).toBe('0 Jobs deleted\n');
    expect((await server.run('prune --older-than 9d -A', NOW)).out).toBe(
      'job.batch "nightly-1" in namespace default deleted (ended 30d ago)\n' +
        'job.batch "bad" in namespace default deleted (ended 9d ago)\n' +
        '2 Jobs deleted\n',
    );
  });

  test('as JSON', async () => {
    const server = await someJobs();
    const uid = await server.world.uidOf('bad');
    const { code, out } = await server.run('prune --older-than 9d -o json', NOW);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      apiVersion: 'muster.run/v1',
      kind: 'Pruning',
      dryRun: false,
      olderThanSeconds: 777_600,
      count: 2,
      jobs: [
        expect.objectContaining({ name: 'nightly-1', outcome: 'deleted' }) as unknown,
        { namespace: 'default', name: 'bad', uid, endedAt: '2023-11-05T22:13:20Z', outcome: 'deleted' },
      ],
    });
  });

  test('a refusal fails and does not stop the others, a finalizer holds its Job, one that is gone is no failure', async () => {
    const answers: Readonly<Record<string, { readonly code: number; readonly reason: string }>> = {
      refused: { code: 500, reason: 'InternalError' },
      taken: { code: 409, reason: 'Conflict' },
      lost: { code: 404, reason: 'NotFound' },
    };
    const server = await aServer({
      intercept({ method, url = '' }, response) {
        const answer = answers[url.slice(url.lastIndexOf('/') + 1)];
        if (method !== 'DELETE' || answer === undefined) return false;
        response.writeHead(answer.code, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ kind: 'Status', message: 'no', ...answer }));
        return true;
      },
    });
    await endedJob(server, 'refused', daysAgo(12));
    await endedJob(server, 'taken', daysAgo(11));
    await endedJob(server, 'lost', daysAgo(10));
    await endedJob(server, 'held', daysAgo(9), { metadata: { finalizers: ['example.org/backup'] } });
    await endedJob(server, 'last', daysAgo(8));
    expect(await server.run('prune --older-than 7d', NOW)).toEqual({
      code: 1,
      out:
        'job.batch "refused" not deleted (ended 12d ago)\n' +
        'job.batch "taken" is gone already (ended 11d ago)\n' +
        'job.batch "lost" is gone already (ended 10d ago)\n' +
        'job.batch "held" is held by its finalizers (ended 9d ago)\n' +
        'job.batch "last" deleted (ended 8d ago)\n' +
        '1 Job deleted\n',
      err: 'Error from server (InternalError): no\n',
    });
    // It is being deleted already.
    expect((await server.run('prune --older-than 7d --dry-run', NOW)).out).not.toContain('held');
  });

  test('deletes the Job that it has seen, and no other of that name', async () => {
    const bodies: string[] = [];
    const server = await aServer({
      intercept(request) {
        if (request.method === 'DELETE') request.on('data', (part: Buffer) => bodies.push(part.toString()));
        return false;
      },
    });
    await endedJob(server, 'old', daysAgo(8));
    const uid = await server.world.uidOf('old');
    await server.run('prune --older-than 7d', NOW);
    expect(bodies.map((body) => JSON.parse(body) as unknown)).toEqual([
      { propagationPolicy: 'Background', preconditions: { uid } },
    ]);
  });

  test.each([
    ['prune', 'give --older-than, such as --older-than 7d'],
    ['prune --older-than 7', 'It must be an age with its unit, such as 7d, 12h, or 90m.'],
    ['prune --older-than week', 'It must be an age with its unit'],
    ['prune --older-than 7d -A -n team', '-A and -n cannot be combined'],
    ['prune --older-than 7d -o name', 'Allowed choices are json, yaml.'],
    ['prune --older-than 7d frames', 'too many arguments'],
  ])('%s is refused', async (line, why) => {
    const server = await aServer();
    const { code, out, err } = await server.run(line);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(why);
    expect(server.requests).toEqual([]);
  });

  test('its help has examples and exit codes', async () => {
    expect((await (await aServer()).run('prune --help')).out).toMatch(/Examples:\n {2}muster prune [\s\S]*Exit codes:/);
  });
});

const job = (conditions: object[], metadata: object = {}): Job =>
  JobSchema.parse({
    metadata: { name: 'a', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    spec: { template: { spec: { containers: [] } } },
    status: { conditions },
  });
const NOON = Date.parse('2026-01-08T12:00:00Z');
const condition = (type: string, lastTransitionTime?: string, status = 'True') => ({
  type,
  status,
  lastTransitionTime,
});

describe('what is prunable', () => {
  test.each<[string, Job, boolean]>([
    ['ended exactly that long ago', job([condition('Complete', '2026-01-01T12:00:00Z')]), true],
    ['ended a second later', job([condition('Complete', '2026-01-01T12:00:01Z')]), false],
    ['failed', job([condition('Failed', '2026-01-01T12:00:00Z')]), true],
    ['is about to fail', job([condition('FailureTarget', '2026-01-01T12:00:00Z')]), false],
    ['is suspended', job([condition('Suspended', '2026-01-01T12:00:00Z')]), false],
    ['has no condition', job([]), false],
    ['is not Complete', job([condition('Complete', '2026-01-01T12:00:00Z', 'False')]), false],
    ['says no time', job([condition('Complete')]), false],
    [
      'is being deleted',
      job([condition('Complete', '2026-01-01T12:00:00Z')], { deletionTimestamp: '2026-01-02T00:00:00Z' }),
      false,
    ],
  ])('one that %s', (_, each, expected) => {
    expect(endedBefore([each], 7 * DAY_MS, NOON)).toHaveLength(expected ? 1 : 0);
  });
});

test.each([
  ['7d', 7 * DAY_MS],
  ['1d12h', 1.5 * DAY_MS],
  ['90m', 5_400_000],
  ['0s', 0],
  ['400d', 400 * DAY_MS],
  ['7', null],
  ['1d7', null],
  ['', null],
  ['d', null],
  ['-1d', null],
  ['1.5d', null],
  ['1h2d', null],
])('the age %j', (text, ms) => {
  expect(parseAgeMs(text)).toBe(ms);
});
