import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../cli/program/program.ts';
import { aShell } from '../../cli/a-shell.ts';
import { type ALocalRuntime, aLocalRuntime } from '../a-local-runtime.ts';
import { TEST_MS, indexed, shellJob } from '../kube-calls.ts';

// 40 indexes of which 7 fail, in two ways, with real processes: failures, joblog, results, and the logs agree.

const INDEXES = 40;
const MISSING = [3, 8, 9, 10, 31];
const BROKEN = [17, 22];
const TASK = `i=$JOB_COMPLETION_INDEX
echo "begin $i of ${INDEXES}"
seq 1 20000
case $i in
3|8|9|10|31) echo "cannot open /tmp/part.$$/$i.bin at 0x7f$i: no such file" >&2; exit 1;;
17|22) echo "bad checksum after $i.5 s" >&2; exit 3;;
esac
echo "end $i"`;

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
  const containers = [
    { name: 'main', image: 'busybox', command: ['sh', '-c', TASK], terminationMessagePolicy: 'FallbackToLogsOnError' },
  ];
  const spec = { ...indexed(INDEXES, 20), backoffLimitPerIndex: 1 };
  await local.kube.create(shellJob('sums', '', spec, { containers }));
  await local.kube.ended('sums');
}, TEST_MS);
afterAll(async () => local.close());

const args = (line: string): readonly string[] => [
  '--kubeconfig',
  join(local.dataDir, 'kubeconfig'),
  ...line.split(' '),
];
async function muster(line: string): Promise<{ code: number; out: string; err: string }> {
  const hand = aShell({ cwd: local.root });
  const code = await runCommandLine(args(line), hand.shell);
  return { code, out: hand.out(), err: hand.err() };
}

describe('a Job of which 7 indexes fail', () => {
  test('failures: two groups', { timeout: TEST_MS }, async () => {
    const { code, out } = await muster('failures sums -o json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      failed: 7,
      triedAgain: 0,
      groups: [
        {
          exitCode: 1,
          count: 5,
          indexes: '3,8-10,31',
          lastLine: 'cannot open /tmp/<temp>/<n>.bin at <hex>: no such file',
          rerun: 'muster rerun sums --indexes 3,8-10,31',
        },
        { exitCode: 3, count: 2, indexes: '17,22', lastLine: 'bad checksum after <n> s' },
      ],
    });
    expect((await muster('failures sums')).out).toMatch(
      /^7 of 40 indexes of job\.batch\/sums have failed, in 2 ways\n/,
    );
  });

  test('joblog and results agree with the logs, also when they were interrupted', { timeout: TEST_MS }, async () => {
    const folder = join(local.root, 'out');
    const hand = aShell({ cwd: local.root });
    const over = runCommandLine(args('logs sums --results out'), hand.shell);
    while (!someResult(folder)) await sleep(1);
    hand.interrupt();
    expect(await over).toBe(130);
    const { out, code } = await muster('logs sums --results out');
    expect([code, out]).toEqual([0, expect.stringMatching(/: \d+ fetched, [1-9]\d* unchanged\n$/)]);

    const rows = new Map(
      (await muster('joblog sums')).out
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split('\t'))
        .map((cells) => [Number(cells[9]), cells] as const),
    );
    expect([...rows.keys()]).toEqual(Array.from({ length: INDEXES }, (_, i) => i));
    expect(readFileSync(join(folder, 'joblog.tsv'), 'utf8')).toBe((await muster('joblog sums')).out);
    for (const index of rows.keys()) {
      const file = (name: string): string => readFileSync(join(folder, String(index).padStart(6, '0'), name), 'utf8');
      const exit = MISSING.includes(index) ? 1 : BROKEN.includes(index) ? 3 : 0;
      expect([index, file('exit'), file('attempt'), rows.get(index)?.[6]]).toEqual([
        index,
        `${exit}\n`,
        exit === 0 ? '1\n' : '2\n',
        String(exit),
      ]);
      expect(file('stdout')).toBe((await muster(`logs sums --index ${index}`)).out);
      expect(file('stdout').split('\n')).toHaveLength(20_003);
    }
  });

  test('the end of a log is the message of its container', { timeout: TEST_MS }, async () => {
    const listed = (await local.kube.pods('sums')).filter(({ metadata }) => metadata.name.startsWith('sums-17-'));
    expect(listed).toHaveLength(2);
    const { text } = await local.kube.ask('GET', `/api/v1/namespaces/default/pods/${listed[1]?.metadata.name}`);
    const pod: unknown = JSON.parse(text);
    expect(pod).toMatchObject({
      status: {
        containerStatuses: [
          {
            state: {
              terminated: {
                exitCode: 3,
                message: expect.stringMatching(/20000\nbad checksum after 17\.5 s\n$/) as unknown,
              },
            },
          },
        ],
      },
    });
  });
});

/** One index is complete. */
const someResult = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => existsSync(join(folder, name, 'attempt')));
