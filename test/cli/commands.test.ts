import { describe, expect, test } from 'vitest';
import { plusMs } from '../../shared/domain/base/time.ts';
import { START, manifest } from '../kube/a-world.ts';
import { aServer } from './a-server.ts';
import { aHalfDoneServer } from './half-done.ts';

const DONE = {
  kind: 'complete',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
  decidedBy: null,
} as const;
const NO_TERMINAL = { now: () => plusMs(START, 65_000) };

describe('get', () => {
  test('Jobs, in kubectl columns', async () => {
    const { run, file } = await aHalfDoneServer();
    file('queue.json', manifest('queue', { completionMode: 'NonIndexed', completions: undefined, parallelism: 3 }));
    await run('run -f queue.json');
    const { code, out, err } = await run('get', NO_TERMINAL);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatchInlineSnapshot(`
      "NAME    STATUS    COMPLETIONS   DURATION   AGE
      queue   Running   0/1 of 3                 65s
      sums    Running   1/4           65s        65s
      "
    `);
    expect((await run('get jobs sums -A', NO_TERMINAL)).code).toBe(2);
    expect((await run('get jobs -A -o wide', NO_TERMINAL)).out).toMatchInlineSnapshot(`
      "NAMESPACE   NAME    STATUS    COMPLETIONS   DURATION   AGE   CONTAINERS   IMAGES    SELECTOR
      default     queue   Running   0/1 of 3                 65s   main         busybox   batch.kubernetes.io/controller-uid=00000002-0000-4000-8000-000000000000
      default     sums    Running   1/4           65s        65s   main         busybox   batch.kubernetes.io/controller-uid=00000001-0000-4000-8000-000000000000
      "
    `);
  });

  test.each([
    ['Complete', { phase: { kind: 'finished', verdict: DONE, since: START, at: plusMs(START, 30_000) } }, '30s'],
    [
      'Failed',
      {
        phase: {
          kind: 'finished',
          verdict: { kind: 'failed', reason: 'BackoffLimitExceeded', message: 'm', decidedBy: null },
          since: START,
          at: plusMs(START, 30_000),
        },
      },
      '30s',
    ],
    [
      'FailureTarget',
      {
        phase: {
          kind: 'draining',
          verdict: { kind: 'failed', reason: 'BackoffLimitExceeded', message: 'm', decidedBy: null },
          since: START,
        },
      },
      '65s',
    ],
    ['SuccessCriteriaMet', { phase: { kind: 'draining', verdict: DONE, since: START } }, '65s'],
    ['Suspended', { phase: { kind: 'suspended', since: START } }, '65s'],
  ] as const)('status %s', async (word, change, duration) => {
    const { run, world } = await aHalfDoneServer();
    await world.commit('sums', [], change);
    const { out } = await run('get sums', NO_TERMINAL);
    expect(out.split('\n')[1]?.split(/ {2,}/)).toEqual(['sums', word, '1/4', duration, '65s']);
  });

  test('Pods of a Job, with index, attempt and exit code', async () => {
    const { run } = await aHalfDoneServer();
    const { out } = await run('get pods sums', NO_TERMINAL);
    expect(out.replaceAll(/-[a-z0-9]{5} /g, '-***** ')).toMatchInlineSnapshot(`
      "NAME           INDEX   ATTEMPT   STATUS      EXIT   DURATION   AGE
      sums-0-*****   0       1         Completed   0      1s         64s
      sums-1-*****   1       1         Error       3      1s         64s
      sums-1-*****   1       2         Running            64s        64s

      FAILED   EXIT   INDEXES   WHY           LAST LINE OF ITS LOG
      1        3      1         exit code 3
      "
    `);
    const failed = (await run('get pods sums --failed -o wide', NO_TERMINAL)).out.split('\n\n')[0]!.split('\n');
    expect(failed).toHaveLength(2);
    expect(failed[0]).toMatch(/ EXIT +DURATION +AGE +STARTED +WHY +VERDICT +TASK$/);
    expect(failed[1]).toMatch(/^sums-1-.* 1 +1 +Error +3 +1s +64s +2023-11-14T22:13:22Z +<none> +<none> +arn:/);
    expect((await run('get jobs --failed')).code).toBe(2);
    expect((await run('get pods sums -o name')).out.split('\n')).toHaveLength(4);
    expect((await run('get po')).out.split('\n')).toHaveLength(5);
    expect((await run('get pods nope')).err).toBe('Error from server (NotFound): jobs.batch "nope" not found\n');
  });

  test('json, yaml and names are what the server has', async () => {
    const { run, json } = await aHalfDoneServer();
    const stored: unknown = await json('/apis/batch/v1/namespaces/default/jobs/sums');
    expect(JSON.parse((await run('get sums -o json')).out)).toEqual(stored);
    expect(JSON.parse((await run('get jobs -o json')).out)).toEqual({
      apiVersion: 'v1',
      kind: 'List',
      metadata: {},
      items: [stored],
    });
    expect((await run('get job.batch/sums -o yaml')).out).toContain('completedIndexes: "0"');
    expect((await run('get job sums -o name')).out).toBe('job.batch/sums\n');
  });

  test('nothing there is no error, a name that is not there is', async () => {
    const { run, file } = await aServer();
    expect(await run('get')).toEqual({ code: 0, out: '', err: 'No resources found in default namespace.\n' });
    expect(await run('get -A')).toEqual({ code: 0, out: '', err: 'No resources found\n' });
    expect(JSON.parse((await run('get -o json')).out)).toMatchObject({ items: [] });
    file('job.json', manifest('sums'));
    await run('run -f job.json');
    expect(await run('get nope sums -o name')).toEqual({
      code: 1,
      out: 'job.batch/sums\n',
      err: 'Error from server (NotFound): jobs.batch "nope" not found\n',
    });
  });

  test('what a Job waits for, beside it or alone', async () => {
    const { run, file, world } = await aServer();
    file('job.json', manifest('sums', { completions: 1000, parallelism: 900 }));
    await run('run -f job.json');
    Object.assign(world.pace, { perSec: 20, fullPerSec: 20 });
    const waiting = await run('get sums', NO_TERMINAL);
    expect(waiting.out).toMatchInlineSnapshot(`
      "NAME   STATUS    COMPLETIONS   DURATION   AGE
      sums   Running   0/1000                   65s

      WAITING   CAUSE         HOW LONG     WHY
      900       launchRate    about 45 s   launch rate 20/s
      100       parallelism   <unknown>    parallelism 900: the next starts when one ends
      "
    `);
    const alone = await run('get waits sums');
    expect(alone.code).toBe(0);
    expect(waiting.out.endsWith(`\n\n${alone.out}`)).toBe(true);
    expect(JSON.parse((await run('get waits sums -o json')).out)).toMatchObject({
      kind: 'JobWaits',
      summary: '1000 wait: 900 launch rate 20/s, about 45 s; 100 parallelism 900: the next starts when one ends',
    });
    expect((await run('get waits job.batch/sums -o yaml')).out).toContain('kind: JobWaits\n');
    // Lists, and what machines read, are as they were.
    expect((await run('get')).out.trimEnd().split('\n')).toHaveLength(2);
    expect(JSON.parse((await run('get sums -o json')).out)).toMatchObject({ kind: 'Job' });
    expect(await run('get waits')).toMatchObject({ code: 2, out: '' });
    expect(await run('get waits nope')).toMatchObject({ code: 1, out: '' });
  });

  test('nothing is said of a Job that waits for nothing', async () => {
    const { run, world } = await aHalfDoneServer();
    await world.commit('sums', [], { phase: { kind: 'finished', verdict: DONE, since: START, at: START } });
    expect((await run('get sums')).out.trimEnd().split('\n')).toHaveLength(2);
    expect(await run('get waits sums')).toEqual({ code: 0, out: '', err: 'Nothing in job.batch/sums is waiting.\n' });
  });

  test('a server that does not know of waits still shows its Jobs', async () => {
    const { run, file } = await aServer({
      intercept: (request, response) => {
        if (request.url?.endsWith('/waits') !== true) return false;
        response.writeHead(404).end();
        return true;
      },
    });
    file('job.json', manifest('sums'));
    await run('run -f job.json');
    expect(await run('get sums -o name')).toMatchObject({ code: 0, out: 'job.batch/sums\n' });
    expect(await run('get sums')).toMatchObject({ code: 0, err: '' });
  });

  test('a long list comes in pages', async () => {
    const { run, file, world, requests } = await aServer();
    file('job.json', manifest('sums', { completions: 1200, parallelism: 1200 }));
    await run('run -f job.json');
    for (let first = 0; first < 1200; first += 100)
      await world.commit(
        'sums',
        Array.from({ length: 100 }, (_, i) => ({ op: 'claim' as const, index: first + i })),
        { fold: true },
      );
    expect((await run('get pods sums -o name')).out.trim().split('\n')).toHaveLength(1200);
    expect(requests.filter((each) => each.includes('continue='))).toHaveLength(2);
  });
});

describe('run', () => {
  const YAML = `apiVersion: batch/v1
kind: Job
metadata: {name: frames}
spec:
  completionMode: Indexed
  completions: 2
  template: {spec: {restartPolicy: Never, containers: [{name: a, image: b, command: ["true"]}]}}
`;

  test.each([
    ['job.yaml', YAML],
    ['job.json', JSON.stringify(manifest('frames'))],
    ['begun.yaml', `---\n${YAML}`],
    ['ended.yaml', `# a comment\n---\n${YAML}\n---\n`],
  ])('creates a Job from %s', async (name, text) => {
    const { run, file } = await aServer();
    file(name, text);
    expect(await run(`run -f ${name}`)).toEqual({ code: 0, out: 'job.batch/frames created\n', err: '' });
    expect((await run('get -o name')).out).toBe('job.batch/frames\n');
  });

  test('from standard input; as JSON if that is asked for', async () => {
    const { run } = await aServer();
    expect((await run('run -f -', { stdin: YAML })).out).toBe('job.batch/frames created\n');
    const { out, err } = await run('run -f - -o json', { stdin: YAML.replace('frames', 'other') });
    expect(JSON.parse(out)).toMatchObject({ kind: 'Job', metadata: { name: 'other' } });
    expect(err).toBe('');
  });

  test.each([
    [
      'two kinds',
      `${YAML}---\n${YAML.replace('Job', 'DaemonSet')}`,
      2,
      /^error: line 10: a DaemonSet; run takes Namespaces, (?:\w+, )*Services(?:, \w+)* and Jobs\n$/,
    ],
    ['nothing', ' \n', 2, 'error: standard input is empty\n'],
    ['no YAML', 'a: [', 2, /^error: standard input cannot be read: yaml parse error: /],
    [
      'a key twice',
      '{"kind": "Job", "kind": "Job"}',
      2,
      /^error: standard input cannot be read: duplicate field "kind"/,
    ],
    ['too much', 'a'.repeat(300_000), 2, 'error: standard input is larger than the limit of a manifest (256 KiB)\n'],
    ['brackets without end', '['.repeat(20_000), 2, /^error: standard input cannot be read: .*nested deeper/],
    [
      'another kind',
      '{"apiVersion": "batch/v1", "kind": "DaemonSet", "metadata": {"name": "a"}}',
      1,
      /^Error from server \(BadRequest\): /,
    ],
  ])('refuses %s', async (_, stdin, exitCode, expected) => {
    const { run, json } = await aServer();
    const { code, err, out } = await run('run -f -', { stdin });
    expect({ code, out }).toEqual({ code: exitCode, out: '' });
    expect(err).toMatch(expected);
    expect(await json('/apis/batch/v1/jobs')).toMatchObject({ items: [] });
  });

  test('what is invalid is reported field by field', async () => {
    const { run, file } = await aServer();
    file('one.json', manifest('frames', { completions: -1 }));
    file('two.json', manifest('frames', { completions: -1, parallelism: -1 }));
    file('unknown.json', manifest('frames', { completoins: 3 }));
    expect((await run('run -f one.json')).err).toBe(
      'The Job "frames" is invalid: spec.completions: Invalid value: -1: must be greater than or equal to 0\n',
    );
    expect((await run('run -f two.json')).err.split('\n').sort()).toEqual([
      '',
      '* spec.completions: Invalid value: -1: must be greater than or equal to 0',
      '* spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
      'The Job "frames" is invalid:',
    ]);
    expect(await run('run -f unknown.json')).toMatchObject({
      code: 1,
      err: 'Error from server (BadRequest): line 1: unknown field "spec.completoins", did you mean "completions"?\n',
    });
  });

  test('a name that is taken, a namespace that is not there or not the one that was asked for', async () => {
    const { run, file } = await aServer();
    file('job.json', manifest('frames'));
    file('team.json', manifest('frames', {}, { metadata: { name: 'frames', namespace: 'team' } }));
    await run('run -f job.json');
    expect(await run('run -f job.json')).toMatchObject({
      code: 1,
      err:
        'Error from server (AlreadyExists): jobs.batch "frames" already exists\n' +
        'It is not over (0/4 succeeded): `muster watch frames` shows it; `muster run --replace --force` stops and deletes it first.\n',
    });
    expect(await run('run -f job.json -n team')).toMatchObject({
      code: 1,
      err: 'Error from server (NotFound): namespaces "team" not found\n',
    });
    expect(await run('run -f team.json')).toMatchObject({
      code: 1,
      err: 'Error from server (NotFound): namespaces "team" not found\n',
    });
    expect(await run('run -f team.json -n default')).toMatchObject({
      code: 2,
      err: 'error: the manifest is for namespace "team", not "default"\n',
    });
  });
});

describe('delete', () => {
  test('each that is there is gone; one that is missing does not save the others', async () => {
    const { run, file } = await aServer();
    for (const name of ['a', 'b', 'c']) {
      file('job.json', manifest(name));
      await run('run -f job.json');
    }
    expect(await run('delete job.batch/a nope b')).toEqual({
      code: 1,
      out: 'job.batch "a" deleted\njob.batch "b" deleted\n',
      err: 'Error from server (NotFound): jobs.batch "nope" not found\n',
    });
    expect((await run('get -o name')).out).toBe('job.batch/c\n');
  });
});
