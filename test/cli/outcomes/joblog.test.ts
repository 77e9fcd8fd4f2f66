import { expect, test } from 'vitest';
import type { EndedAttempt, Job } from '../../../cli/client/api-objects.ts';
import { JOBLOG_TEXT, joblogRow } from '../../../cli/render/joblog.ts';
import { aMixedServer } from './a-mixed-job.ts';

const ATTEMPT: EndedAttempt = {
  index: 7,
  attempt: 2,
  pod: 'sums-7-abcde',
  fate: 'succeeded',
  tries: 3,
  node: 'fargate-1',
  vcpu: 0.5,
  createdAt: 1_000,
  startedAt: 2_000,
  stoppedAt: 12_345,
  exitCode: 0,
  container: 'main',
  reason: 'Completed',
  cause: 'Completed',
  verdict: 'succeeded: exit code 0',
  outcome: 'succeeded',
  why: { kind: 'exited', exitCode: 0 },
  stoppedWithJob: false,
};
const JOB = {
  spec: {
    template: { spec: { containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c'], args: ['a b'] }] } },
  },
} as unknown as Job;

test.each<[string, Partial<EndedAttempt>, object]>([
  [
    'as it is',
    {},
    { Seq: 8, Index: 7, Host: 'fargate-1', Starttime: '2.000', JobRuntime: '10.345', Exitval: 0, Signal: 0 },
  ],
  ['what it cost', {}, { Attempts: 3, VcpuSeconds: '5.173' }],
  ['its command', {}, { Command: "sh -c 'a b'" }],
  ['its command as its task saw it', { words: ['wc', '-c', 'my file'] }, { Command: "wc -c 'my file'" }],
  ['exit code 3', { exitCode: 3 }, { Exitval: 3, Signal: 0 }],
  ['killed', { exitCode: 137 }, { Exitval: 137, Signal: 9 }],
  ['a code that names no signal', { exitCode: 255 }, { Exitval: 255, Signal: 0 }],
  ['nothing has exited', { exitCode: null, startedAt: null }, { Exitval: -1, JobRuntime: '0.000', Starttime: '1.000' }],
  ['an end that nobody saw', { stoppedAt: null, exitCode: null }, { JobRuntime: '0.000', VcpuSeconds: '0.000' }],
  ['without an index', { index: undefined }, { Seq: 5, Index: null }],
  ['with an item', { item: 'a\tb' }, { Item: 'a\tb' }],
])('a row: %s', (_, change, expected) => {
  expect(joblogRow(JOB, { ...ATTEMPT, ...change }, 4)).toMatchObject(expected);
});

const ODD = joblogRow(JOB, { ...ATTEMPT, item: 'a\t"b",\\\nc' }, 0);

test('a field of a table never ends it', () => {
  expect(JOBLOG_TEXT.tsv.row(ODD, 0).split('\t')[10]).toBe('a\\t"b",\\\\\\nc');
  expect(JOBLOG_TEXT.csv.row(ODD, 0)).toContain(',"a\t""b"",\\\nc",');
  expect(JSON.parse(`[${JOBLOG_TEXT.json.row(ODD, 0)}]`)).toMatchObject([{ Item: 'a\t"b",\\\nc', JobRuntime: 10.345 }]);
});

test('muster joblog: the last ended attempt of each index', async () => {
  const { run } = await aMixedServer();
  const { code, out, err } = await run('joblog sums');
  expect([code, err]).toEqual([0, '']);
  const [head, ...rows] = out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(head?.slice(0, 9)).toEqual([
    'Seq',
    'Host',
    'Starttime',
    'JobRuntime',
    'Send',
    'Receive',
    'Exitval',
    'Signal',
    'Command',
  ]);
  expect(rows.map((row) => [row[0], row[6], row[8], row[11]])).toEqual([
    ['1', '0', 'true', '2'],
    ['2', '2', 'true', '2'],
    ['3', '3', 'true', '2'],
    ['5', '0', 'true', '1'],
  ]);
});

test('muster joblog --attempts --format json: all that have ended', async () => {
  const { run } = await aMixedServer();
  const { out } = await run('joblog job/sums --attempts --format json');
  const rows = JSON.parse(out) as { Index: number; Exitval: number; Signal: number; VcpuSeconds: number }[];
  expect(rows.map(({ Index, Exitval }) => [Index, Exitval])).toEqual([
    [0, 1],
    [0, 0],
    [1, 137],
    [1, 2],
    [2, 3],
    [4, 0],
  ]);
  expect(rows[2]).toMatchObject({ Signal: 9, VcpuSeconds: 0.25 });
});

test.each(['tsv', 'csv', 'json'])('of a Job that has ended nothing, %s is a table without rows', async (form) => {
  const server = await aMixedServer();
  server.file('new.json', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'new' },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command: ['true'] }] } },
    },
  });
  await server.run('run -f new.json');
  const { out } = await server.run(`joblog new --format ${form}`);
  expect(out).toBe(form === 'json' ? '[]\n' : JOBLOG_TEXT[form === 'csv' ? 'csv' : 'tsv'].head);
});

test.each([
  ['joblog nope', 1, /jobs\.batch "nope" not found/],
  ['joblog', 2, /missing required argument 'job'/],
  ['joblog sums --format xml', 2, /Allowed choices are tsv, csv, json/],
])('%s', async (line, exitCode, message) => {
  const { run } = await aMixedServer();
  const { code, err } = await run(line);
  expect(code).toBe(exitCode);
  expect(err).toMatch(message);
});

const WORDS = ['convert', '$(FILE)', '--nth=$(JOB_COMPLETION_INDEX)', '--as', '$(NAME)', '$$(FILE)', '$(UNKNOWN)'];
const CONTAINER = { name: 'main', image: 'busybox', command: WORDS, env: [{ name: 'NAME', value: '$(FILE).png' }] };
const TEMPLATE = { spec: { restartPolicy: 'Never', containers: [CONTAINER] } };
const expanded = (index: number, file: string): string =>
  `convert ${file} --nth=${index} --as ${file}.png '$(FILE)' '$(UNKNOWN)'`;

test('the command of each row is the one that its task was started with', async () => {
  const annotations = { 'muster.run/items': 'FILE\na.txt\nmy file.txt\nc.txt\nd.txt\ne.txt' };
  const server = await aMixedServer({}, {}, { annotations }, TEMPLATE);
  const { out } = await server.run('joblog sums --format json');
  const rows = JSON.parse(out) as { Index: number; Command: string }[];
  expect(rows.map(({ Index, Command }) => [Index, Command])).toEqual([
    [0, expanded(0, 'a.txt')],
    [1, "convert 'my file.txt' --nth=1 --as 'my file.txt.png' '$(FILE)' '$(UNKNOWN)'"],
    [2, expanded(2, 'c.txt')],
    [4, expanded(4, 'e.txt')],
  ]);
  const plain = (await server.json('/muster/v1/namespaces/default/jobs/sums/attempts')) as { items: object[] };
  expect(plain.items.some((item) => 'words' in item)).toBe(false);
});
