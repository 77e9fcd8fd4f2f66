import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { runCommandLine } from '../../cli/program/program.ts';
import { aShell } from '../cli/a-shell.ts';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS } from './kube-calls.ts';

// `muster run NAME … -- COMMAND` on the embedded runtime: each task gets its item.

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
  const put = (name: string, text: string) => writeFileSync(join(local.workspaceDir, name), text);
  put('fruits.txt', 'apple banana cherry\n');
  put('colors.txt', 'green yellow red\n');
  put('list.csv', 'FILE,NOTE\nmy file.txt,"a, ""b"""\nKöln.txt,$(id) `id`\n');
  put('commands.txt', 'echo one  two\necho "three  four"\n');
}, PATIENCE_MS);
afterAll(async () => local.close());

/** Runs a command line in the workspace. */
async function muster(words: readonly string[]) {
  const shell = aShell({ cwd: local.workspaceDir, now: Date.now });
  const code = await runCommandLine(['--kubeconfig', local.runtime.kubeconfig, ...words], shell.shell);
  return { code, out: shell.out(), err: shell.err() };
}

/** What each index prints, when all have succeeded. */
async function printedBy(name: string, words: readonly string[]): Promise<readonly string[]> {
  const ran = await muster(['run', name, '--image', 'busybox', '--wait', ...words]);
  if (ran.code !== 0) throw new Error(ran.out + ran.err);
  const completions = Number(/ (\d+)\/\1 succeeded/.exec(ran.out)?.[1] ?? 0);
  const logs = Array.from({ length: completions }, async (_, index) => muster(['logs', name, '--index', `${index}`]));
  return (await Promise.all(logs)).map(({ out }) => out.trimEnd());
}

const FRUITS = ['Have a nice green apple', 'Have a nice yellow banana', 'Have a nice red cherry'];
const SAY_FRUIT = ['--', 'sh', '-c', 'echo "Have a nice $COLOR $FRUIT"'];

describe.concurrent('each index gets its item', { timeout: TEST_MS }, () => {
  test.for<[string, readonly string[], readonly string[]]>([
    [
      'say-fruit',
      ['--per-completion-env=FRUIT=apple banana cherry', '--per-completion-env=COLOR=green yellow red', ...SAY_FRUIT],
      FRUITS,
    ],
    [
      'say-fruit-of-files',
      ['--per-completion-env=FRUIT=@fruits.txt', '--per-completion-env=COLOR=@colors.txt', ...SAY_FRUIT],
      FRUITS,
    ],
    [
      'say-number',
      ['--completions=3', '--completion-index-var-name=I', '--', 'sh', '-c', 'echo "My index is $I"'],
      ['My index is 0', 'My index is 1', 'My index is 2'],
    ],
    [
      'process-files',
      ['--per-completion-env=F=12342.dat 97283.dat', '--restart=OnFailure', '--', 'echo', 'process_file', '$F'],
      ['process_file 12342.dat', 'process_file 97283.dat'],
    ],
    [
      'process-matrix',
      ['--per-completion-env=COMMAND_LINE=@commands.txt', '--', 'eval "$COMMAND_LINE"'],
      ['one two', 'three  four'],
    ],
    [
      'csv',
      ['--items', '@list.csv', '--header', '--', 'printf', '<%s>', '$FILE', '$NOTE', '$MUSTER_RESULT_NAME'],
      ['<my file.txt><a, "b"><000000-my-file.txt-a-b>', '<Köln.txt><$(id) `id`><000001-Köln.txt-id-id>'],
    ],
    [
      'array',
      ['--array', '7,9', '--', 'sh', '-c', 'echo $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT'],
      ['7 of 2', '9 of 2'],
    ],
    ['parallel', ['--', 'echo', '{#}:', '{1}', '{2}', ':::', 'a b', 'c', ':::', '1'], ['1: a b 1', '2: c 1']],
    [
      'shards',
      ['--completions', '2', '--', 'echo', '$JOB_COMPLETION_INDEX', 'of', '$MUSTER_COMPLETIONS'],
      ['0 of 2', '1 of 2'],
    ],
    ['batch', ['--array', '1-5', '--batch', '3', '--', 'printf', '<%s>', '$MUSTER_ITEM'], ['<1\n2\n3>', '<4\n5>']],
  ])('%s', async ([name, words, printed], { expect }) => {
    expect(await printedBy(name, words)).toEqual(printed);
  });

  test('the number of an item is no part of it', async ({ expect }) => {
    const ran = await muster([
      'run',
      'numbered',
      '--image=i',
      '--wait',
      '--',
      'echo',
      '{#}',
      '{}',
      ':::',
      'x.txt',
      'y.txt',
    ]);
    expect(ran.code).toBe(0);
    expect((await muster(['logs', 'numbered', '--item', 'y.txt'])).out).toBe('2 y.txt\n');
    expect((await muster(['get', 'pods', 'numbered'])).out).not.toMatch(/\.txt 1/);
  });

  test('--failed-of runs only what has not succeeded', async ({ expect }) => {
    const list = ['--image', 'i', '--wait', '--retries', '0', '--per-completion-env', 'F=a b c'];
    expect((await muster(['run', 'half', ...list, '--', 'sh', '-c', 'test "$F" != b'])).code).toBe(1);
    const again = await muster(['run', 'rest', ...list, '--failed-of', 'half', '--', 'echo', 'mended', '$F']);
    expect(again).toMatchObject({ code: 0, err: '' });
    expect((await muster(['logs', 'rest', '--index', '1'])).out).toBe('mended b\n');
    const { out } = await muster(['get', 'pods', 'rest', '-o', 'name']);
    expect(out).toMatch(/^pod\/rest-1-\w+\n$/);
  });

  test('items are shown beside indexes, and choose them', async ({ expect }) => {
    const rows = ['FRUIT,COLOR', 'apple,green', 'banana pie,yellow', '"cherry, the tree",red'];
    writeFileSync(join(local.workspaceDir, 'fruit.csv'), rows.join('\n'));
    const list = ['--image', 'i', '--wait', '--retries', '0', '--items', '@fruit.csv', '--header'];
    const ran = await muster(['run', 'shown', ...list, '--', 'sh', '-c', 'echo "$COLOR"; test "$COLOR" != yellow']);
    expect(ran.code).toBe(1);
    expect((await muster(['logs', 'shown'])).out).toBe(
      '[0 apple green         ] green\n[1 banana pie yellow   ] yellow\n[2 cherry, the tree red] red\n',
    );
    expect((await muster(['logs', 'shown', '--item', 'apple green'])).out).toBe('green\n');
    const nobody = await muster(['logs', 'shown', '--item', 'plum']);
    expect(nobody).toMatchObject({ code: 1, err: 'error: the list of Job shown has no item "plum"\n' });
    const dry = await muster(['rerun', 'shown', '--item', 'banana pie\tyellow', '--dry-run']);
    expect(dry.out).toContain('1 of 3 indexes of job.batch/shown would run again, 2 inherited\n1\n');
  });

  test('--rm leaves nothing', async ({ expect }) => {
    const { code, out } = await muster(['run', 'gone', '--image', 'i', '--wait', '--rm', '--', 'true']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('job.batch "gone" deleted\n') as string });
    expect((await muster(['get', 'gone'])).code).toBe(1);
  });
});
