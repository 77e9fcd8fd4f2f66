import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../cli/program/program.ts';
import { plusMs } from '../../shared/domain/base/time.ts';
import type { Status } from '../../shared/domain/scoreboard/status.ts';
import { START, type World, manifest } from '../kube/a-world.ts';
import { type AServer, type ServerWish, aServer } from './a-server.ts';

// Jobs are created again, watched, waited for and changed.

const over = (kind: 'complete' | 'failed', sec = 5): Pick<Status, 'phase'> => ({
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
const end = (name: string, kind: 'complete' | 'failed') => async (world: World) => {
  await world.commit(name, [], { startTime: START, ...over(kind) });
};

/** A server with Jobs of these names. */
async function aServerWith(names: readonly string[], wish: ServerWish = {}): Promise<AServer> {
  const server = await aServer(wish);
  for (const name of names) {
    server.file(`${name}.json`, manifest(name, {}, { metadata: { name, labels: { of: name } } }));
    await server.run(`run -f ${name}.json`);
  }
  return server;
}

const uidOf = async ({ run }: AServer, name: string): Promise<unknown> => {
  const job = JSON.parse((await run(`get ${name} -o json`)).out) as { metadata: { uid: string } };
  return job.metadata.uid;
};

describe('run --replace', () => {
  test('deletes the Job of the same name that is over, then creates the new one', async () => {
    const server = await aServerWith(['sums']);
    const { run, world } = server;
    await end('sums', 'failed')(world);
    const before = await uidOf(server, 'sums');
    expect((await run('run -f sums.json')).err).toBe(
      'Error from server (AlreadyExists): jobs.batch "sums" already exists\n' +
        'It is over (failed): `muster run --replace` deletes it first.\n',
    );
    expect(await run('run -f sums.json --replace')).toEqual({ code: 0, out: 'job.batch/sums replaced\n', err: '' });
    expect(await uidOf(server, 'sums')).not.toBe(before);
  });

  test('creates one where there is none', async () => {
    const { run, file } = await aServer();
    file('sums.json', manifest('sums'));
    expect((await run('run -f sums.json --replace')).out).toBe('job.batch/sums created\n');
  });

  test('refuses one that is not over, unless --force says otherwise', async () => {
    const server = await aServerWith(['sums']);
    const before = await uidOf(server, 'sums');
    expect(await server.run('run -f sums.json --replace')).toMatchObject({
      code: 1,
      err: expect.stringContaining('shows it; --force stops and deletes it first.\n') as string,
    });
    expect(await uidOf(server, 'sums')).toBe(before);
    expect((await server.run('run -f sums.json --replace --force')).out).toBe('job.batch/sums replaced\n');
    expect(await uidOf(server, 'sums')).not.toBe(before);
  });

  test('deletes nothing for a manifest that is refused', async () => {
    const server = await aServerWith(['sums']);
    const before = await uidOf(server, 'sums');
    server.file('sums.json', manifest('sums', { completions: -1 }));
    expect((await server.run('run -f sums.json --replace --force')).err).toContain('spec.completions');
    expect(await uidOf(server, 'sums')).toBe(before);
  });
});

describe('several Jobs', () => {
  const documents = (...names: readonly string[]): string =>
    names.map((name) => JSON.stringify(manifest(name))).join('\n---\n');

  test('in one file are created one by one; one that is refused does not save the others', async () => {
    const { run } = await aServerWith(['b']);
    expect(await run('run -f - -o name', { stdin: documents('a', 'b', 'c') })).toMatchObject({
      code: 1,
      out: 'job.batch/a\njob.batch/c\n',
      err: expect.stringContaining('jobs.batch "b" already exists') as string,
    });
  });

  test('in a List, as kubectl get prints it', async () => {
    const { run } = await aServer();
    const list = { apiVersion: 'v1', kind: 'List', items: [manifest('a'), manifest('b', { completoins: 1 })] };
    const { code, out, err } = await run('run -f -', { stdin: JSON.stringify(list, null, 2) });
    expect({ code, out }).toEqual({ code: 1, out: 'job.batch/a created\n' });
    expect(err).toMatch(/line \d+: unknown field "spec\.completoins", did you mean "completions"\?\n$/);
  });

  test('are waited for together; the exit code is the worst verdict', async () => {
    const steps = [end('a', 'complete'), end('b', 'failed')];
    const { run } = await aServer({ steps });
    const { code, out } = await run('run -f - --wait', { stdin: documents('a', 'b') });
    expect(code).toBe(1);
    expect(out).toContain('job.batch/a complete: ');
    expect(out).toContain('job.batch/b failed: BackoffLimitExceeded: ');
  });
});

describe('unknown fields', () => {
  test.each([
    ['completoins: 3', '"spec.completoins", did you mean "completions"?'],
    ['Parallelism: 3', '"spec.Parallelism", did you mean "parallelism"?'],
    ['zebra: 3', '"spec.zebra"'],
    ['restartPolicy: Never', '"spec.restartPolicy"'],
  ])('spec.%s', async (field, expected) => {
    const { run } = await aServer();
    const stdin = `# a comment\n---\nkind: Job\napiVersion: batch/v1\nmetadata: {name: a}\nspec:\n  ${field}\n  template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}\n`;
    expect((await run('run -f -', { stdin })).err).toBe(
      `Error from server (BadRequest): line 7: unknown field ${expected}\n`,
    );
  });

  test('a field that is nested too deep is reported with its right place, each once', async () => {
    const { run } = await aServer();
    const stdin =
      'kind: Job\napiVersion: batch/v1\nmetadata: {name: a}\nspec:\n  template:\n    backoffLimit: 3\n    spec:\n' +
      '      restartPolicy: Never\n      containers:\n        - name: a\n          image: b\n          comand: [c]\n';
    expect((await run('run -f -', { stdin })).err.split('\n').toSorted()).toEqual([
      '',
      '* line 12: unknown field "spec.template.spec.containers[0].comand", did you mean "command"?',
      '* line 6: unknown field "spec.template.backoffLimit"; it belongs in "spec"',
      'Error from server (BadRequest):',
    ]);
  });
});

describe('watch', () => {
  test('shows a Job until it is over; the exit code is its verdict', async () => {
    const { run } = await aServerWith(['sums'], { steps: [end('sums', 'failed')] });
    const { code, out } = await run('watch sums');
    expect(code).toBe(1);
    expect(out).toMatch(/^sums waiting: .+\n/);
    expect(out).toContain('job.batch/sums failed: BackoffLimitExceeded: ');
  });

  test('several on a terminal: a line each, verdicts below', async () => {
    const server = await aServerWith(['a', 'b'], { steps: [end('a', 'complete'), end('b', 'complete')] });
    const hand = server.shell({ terminal: { columns: 80, rows: 24 } });
    expect(await runCommandLine(['watch', '--all'], hand.shell)).toBe(0);
    expect(stripVTControlCharacters(hand.out())).toMatch(/a {2}complete {2}5s .+\n.*b {2}complete {2}5s /);
    // Both may end at one moment: who is first is not said.
    const verdicts = stripVTControlCharacters(hand.out()).trimEnd().split('\n').slice(-2);
    const heads = verdicts.map((line) => line.split(':')[0]);
    expect(heads).toHaveLength(2);
    expect(heads).toEqual(expect.arrayContaining(['job.batch/a complete', 'job.batch/b complete']));
    expect(hand.listeners()).toBe(0);
  });

  test('a Job that is not there', async () => {
    const { run } = await aServer();
    expect(await run('watch nope')).toMatchObject({ code: 1, err: expect.stringContaining('not found') as string });
    expect(await run('watch --all')).toMatchObject({ code: 1, err: 'No resources found in default namespace.\n' });
  });
});

describe('wait', () => {
  test.each([
    ['finished', 'complete', 0, 'job.batch/sums complete\n', ''],
    [
      'finished',
      'failed',
      1,
      '',
      'job.batch/sums failed: BackoffLimitExceeded: Job has reached the specified backoff limit\n',
    ],
    ['condition=Complete', 'complete', 0, 'job.batch/sums complete\n', ''],
    [
      'complete',
      'failed',
      1,
      '',
      'job.batch/sums failed: BackoffLimitExceeded: Job has reached the specified backoff limit\n',
    ],
    [
      'failed',
      'failed',
      0,
      'job.batch/sums failed: BackoffLimitExceeded: Job has reached the specified backoff limit\n',
      '',
    ],
    ['failed', 'complete', 1, '', 'job.batch/sums is complete: it can no longer fail\n'],
  ] as const)('--for %s of a Job that is %s: exit %i', async (awaited, kind, code, out, err) => {
    const { run, requests } = await aServerWith(['sums'], { steps: [end('sums', kind)] });
    expect(await run(`wait sums --for ${awaited}`)).toEqual({ code, out, err });
    // It costs no more than it must.
    expect(requests.filter((each) => each.includes('/pods') || each.includes('/waits'))).toEqual([]);
  });

  test('--for delete: when it is gone, or if it never was', async () => {
    const { run, requests } = await aServerWith(['sums']);
    const waiting = run('wait sums nope --for delete');
    const theme = () => requests.filter((each) => each.startsWith('GET') && each.includes('/jobs/sums'));
    await expect.poll(() => theme().length).toBeGreaterThan(2);
    await run('delete sums');
    expect(await waiting).toEqual({ code: 0, out: 'job.batch/nope deleted\njob.batch/sums deleted\n', err: '' });
  });

  test('deleted meanwhile: exit 3; timed out: exit 124; Ctrl-C: exit 130', async () => {
    const server = await aServerWith(['sums', 'other', 'third']);
    expect(await server.run('wait sums --timeout 100ms')).toEqual({
      code: 124,
      out: '',
      err: 'job.batch/sums: timed out after 0s\n',
    });
    const hand = server.shell();
    const interrupted = runCommandLine(['wait', 'sums', 'other'], hand.shell);
    await expect.poll(() => hand.interrupt()).toBe(true);
    expect(await interrupted).toBe(130);
    expect(hand.listeners()).toBe(0);
    // A Job of its own: a watch of a command before may arrive late.
    const waiting = server.run('wait third');
    await expect.poll(() => server.requests.some((each) => each.includes('metadata.name=third'))).toBe(true);
    await server.run('delete third');
    expect(await waiting).toEqual({ code: 3, out: '', err: 'job.batch/third was deleted\n' });
  });
});

describe('suspend, resume, scale', () => {
  test('change the spec, and say where nothing changes', async () => {
    const { run } = await aServerWith(['sums']);
    expect((await run('suspend sums')).out).toBe('job.batch/sums suspended\n');
    expect((await run('suspend sums')).out).toBe('job.batch/sums was suspended already\n');
    expect(JSON.parse((await run('get sums -o json')).out)).toMatchObject({ spec: { suspend: true } });
    expect((await run('resume job.batch/sums')).out).toBe('job.batch/sums resumed\n');
    expect((await run('scale sums --parallelism 3')).out).toBe('job.batch/sums scaled\n');
    expect(JSON.parse((await run('get sums -o json')).out)).toMatchObject({ spec: { suspend: false, parallelism: 3 } });
  });

  test('what is over, missing or cannot be changed is reported, and does not save the others', async () => {
    const { run, world } = await aServerWith(['a', 'b']);
    await end('a', 'complete')(world);
    expect(await run('suspend a nope b')).toEqual({
      code: 1,
      out: 'job.batch/b suspended\n',
      err: 'error: job.batch/a is over (complete); it can no longer be suspended\nError from server (NotFound): jobs.batch "nope" not found\n',
    });
    expect(await run('scale b --completions 9')).toMatchObject({
      code: 1,
      err: expect.stringContaining('spec.completions') as string,
    });
  });
});

describe('labels and all', () => {
  test('select the Jobs of get and delete', async () => {
    const { run } = await aServerWith(['a', 'b', 'c']);
    expect((await run('get -l of!=b -o name')).out).toBe('job.batch/a\njob.batch/c\n');
    expect((await run('delete -l of=a -o name')).out).toBe('job.batch/a\n');
    expect((await run('delete --all')).out).toBe('job.batch "b" deleted\njob.batch "c" deleted\n');
    expect(await run('delete --all')).toMatchObject({ code: 1, err: 'No resources found in default namespace.\n' });
  });
});

describe('version', () => {
  test('of this program and of the server', async () => {
    const { run, url } = await aServer();
    const { out } = await run('version');
    expect(out).toMatch(
      /^client {2}(\d+\.\d+\.\d+)\nserver {2}\1 at http:\/\/127\.0\.0\.1:\d+ \(Kubernetes v1\.\d+\.\d+.*\)\n$/,
    );
    expect(JSON.parse((await run('version -o json')).out)).toMatchObject({ server: { url } });
    expect((await run('version --client')).out).toMatch(/^client {2}\d+\.\d+\.\d+\n$/);
  });

  test('without a server: says so, and that is no failure', async () => {
    const { run, close } = await aServer();
    await close();
    expect(await run('version')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^client/) as string,
      err: expect.stringContaining('cannot be reached') as string,
    });
  });
});
