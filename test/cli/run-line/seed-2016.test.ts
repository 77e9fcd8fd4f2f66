import { describe, expect, test } from 'vitest';
import { aFolder, commandsOf, itemsOf } from './typed-line.ts';

// The command lines of the design document of 2016 for indexed Jobs, with `muster run` for `kubectl run`, and its slips mended:
// `'$SR'` needs quotes as `'$F'` has them, -start_col takes $SC, and COLOR comes from colors.txt.

const BLOCK = '/usr/local/bin/process_matrix_block';
const BLOCKS = [
  `${BLOCK} -start_row 0 -end_row 15 -start_col 0 --end_col 15`,
  `${BLOCK} -start_row 16 -end_row 31 -start_col 0 --end_col 15`,
  `${BLOCK} -start_row 0 -end_row 15 -start_col 16 --end_col 31`,
  `${BLOCK} -start_row 16 -end_row 31 -start_col 16 --end_col 31`,
];
const FILES = ['12342.dat', '97283.dat', '38732.dat'];
const PROCESSED = FILES.map((file) => `/usr/local/bin/process_file ${file}`);

const files = {
  'files-to-process.txt': FILES.map((file) => `${file}\n`).join(''),
  'matrix-commandlines.txt': BLOCKS.map((line) => `${line}\n`).join(''),
  'fruits.txt': 'apple banana cherry\n',
  'colors.txt': 'green yellow red\n',
};

describe('a command for each item', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'work list 1: files',
      `run process-files --image=myfileprocessor \\
         --per-completion-env=F="12342.dat 97283.dat 38732.dat" \\
         --restart=OnFailure  \\
         -- \\
         /usr/local/bin/process_file '$F'`,
      PROCESSED,
    ],
    [
      'work list 1 from a file, by the shell',
      `run process-files --image=myfileprocessor --per-completion-env=F="$(cat files-to-process.txt)" -- /usr/local/bin/process_file '$F'`,
      PROCESSED,
    ],
    [
      'work list 1 from a file, by name',
      `run process-files --image=myfileprocessor --per-completion-env=F=@files-to-process.txt -- /usr/local/bin/process_file '$F'`,
      PROCESSED,
    ],
    [
      'work list 2: blocks of a matrix',
      `run process-matrix --image=my/matrix \\
         --per-completion-env=SR="0 16 0 16" \\
         --per-completion-env=ER="15 31 15 31" \\
         --per-completion-env=SC="0 0 16 16" \\
         --per-completion-env=EC="15 15 31 31" \\
         --restart=OnFailure  \\
         -- \\
         /usr/local/bin/process_matrix_block -start_row '$SR' -end_row '$ER' -start_col '$SC' --end_col '$EC'`,
      BLOCKS,
    ],
    [
      'work list 4: frames',
      `run render --image=blender --per-completion-env=F="1 2 3" -- ./blender /vol1/mymodel.blend -o '/vol2/frame_####' -f '$F'`,
      [1, 2, 3].map((frame) => `./blender /vol1/mymodel.blend -o /vol2/frame_#### -f ${frame}`),
    ],
    [
      'work list 5: blocks of frames',
      `run render --image=blender --per-completion-env=START="1 101 201" --per-completion-env=END="100 200 300" -- \\
         ./blender /vol1/mymodel.blend -o '/vol2/frame_####' --frame-start '$START' --frame-end '$END'`,
      ['1 --frame-end 100', '101 --frame-end 200', '201 --frame-end 300'].map(
        (frames) => `./blender /vol1/mymodel.blend -o /vol2/frame_#### --frame-start ${frames}`,
      ),
    ],
  ])('%s', async (_, line, commands) => {
    const { job } = await aFolder(files).job(line.replaceAll(/\s*\\\n\s*/g, ' '));
    expect(commandsOf(job)).toEqual(commands);
    expect(job.spec.template.spec['restartPolicy']).toBe(line.includes('--restart=OnFailure') ? 'OnFailure' : 'Never');
    expect(job.spec.completions).toBe(commands.length);
  });
});

describe('a script, which reads its variables', () => {
  test('work list 2, as whole command lines', async () => {
    const line = `run process-matrix --image=my/matrix --per-completion-env=COMMAND_LINE=@matrix-commandlines.txt --restart=OnFailure -- 'eval "$COMMAND_LINE"'`;
    const { job } = await aFolder(files).job(line);
    expect(itemsOf(job)).toEqual(['COMMAND_LINE', ...BLOCKS]);
    expect(commandsOf(job)).toEqual(BLOCKS.map(() => 'sh -c eval "$COMMAND_LINE"'));
  });

  test('work list 3: commits', async () => {
    const script = 'git checkout $HASH && make clean && make VERSION=$HASH';
    const { job } = await aFolder(files).job(
      `run build --image=git --per-completion-env=HASH="3cab5cb4a fe97ef90b a8b5e34c5" -- sh -c '${script}'`,
    );
    expect(itemsOf(job)).toEqual(['HASH', '3cab5cb4a', 'fe97ef90b', 'a8b5e34c5']);
    expect(commandsOf(job)).toEqual(Array(3).fill(`sh -c ${script}`));
  });

  test.each([
    ['inline', 'FRUIT="apple banana cherry"', 'COLOR="green yellow red"', []],
    ['by the shell', 'FRUIT="$(cat fruits.txt)"', 'COLOR="$(cat colors.txt)"', []],
    ['by name', 'FRUIT=@fruits.txt', 'COLOR=@colors.txt', ['fruits.txt', 'colors.txt']],
  ])('say-fruit, %s', async (_, fruit, color, oneLine) => {
    const line = `run say-fruit --image=busybox --per-completion-env=${fruit} --per-completion-env=${color} -- sh -c 'echo "Have a nice $COLOR $FRUIT" && sleep 5'`;
    const { job, err } = await aFolder(files).job(line);
    expect(itemsOf(job)).toEqual(['FRUIT\tCOLOR', 'apple\tgreen', 'banana\tyellow', 'cherry\tred']);
    expect(commandsOf(job)).toEqual(Array(3).fill('sh -c echo "Have a nice $COLOR $FRUIT" && sleep 5'));
    expect(job.spec['parallelism']).toBe(3);
    expect(err).toBe(
      oneLine
        .map(
          (file) => `Note: ${file} has one line: its 3 words are the items; --format lines makes the line one item\n`,
        )
        .join(''),
    );
  });

  test('say-number', async () => {
    const line = `run say-number --image=busybox --completions=3 --completion-index-var-name=I -- sh -c 'echo "My index is $I" && sleep 5'`;
    const { job } = await aFolder(files).job(line);
    expect(itemsOf(job)).toEqual([]);
    expect(job.spec).toMatchObject({ completionMode: 'Indexed', completions: 3 });
    expect(job.spec.template.spec.containers[0].env).toEqual([
      {
        name: 'I',
        valueFrom: { fieldRef: { fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']" } },
      },
    ]);
    const { job: exec } = await aFolder(files).job(
      `run render --image=b --completions=3 --completion-index-var-name=INDEX -- ./blender /vol1/mymodel.blend -f '$INDEX'`,
    );
    expect(commandsOf(exec)).toEqual([0, 1, 2].map((index) => `./blender /vol1/mymodel.blend -f ${index}`));
  });
});
