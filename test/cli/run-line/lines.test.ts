import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { type Files, aFolder, commandsOf, itemsOf } from './typed-line.ts';

const RUN = 'run zip --image debian:12-slim';
const files: Files = {
  'runs.csv': 'RATE,NOTE\n0.1,"slow, safe"\n0.5,fast\n',
  'runs.tsv': 'RATE\tNOTE\n0.1\tslow\n',
  'runs.jsonl': '{"RATE":0.1,"NOTE":"slow"}\n{"NOTE":"fast","RATE":0.5}\n',
  'files.txt': 'my file.txt\nKöln.txt\n',
  'gaps.txt': 'a\n\nb\n',
  'one.txt': 'a b c\n',
  'table.txt': 'a,1\nb,2\n',
  'seeds.txt': '1\n2\n',
  noending: 'x\ny\n',
};

describe('items', () => {
  test.each<[string, readonly string[], string?]>([
    [`--items @runs.csv --header -- fit`, ['RATE\tNOTE', '0.1\tslow, safe', '0.5\tfast']],
    [`--items @runs.csv --header --columns R,N -- fit`, ['R\tN', '0.1\tslow, safe', '0.5\tfast']],
    [`--items @runs.tsv --header -- fit`, ['RATE\tNOTE', '0.1\tslow']],
    [`--items @runs.jsonl -- fit`, ['RATE\tNOTE', '0.1\tslow', '0.5\tfast']],
    [`--items @files.txt -- fit`, ['ITEM', 'my file.txt', 'Köln.txt']],
    [`--items @noending --format lines -- fit`, ['ITEM', 'x', 'y']],
    [`--items @one.txt -- fit`, ['ITEM', 'a b c']],
    [`--items @one.txt --format words --columns W -- fit`, ['W', 'a', 'b', 'c']],
    [`--items @- --format words -- fit`, ['ITEM', 'p', 'q'], 'p q\n'],
    [`--items @gaps.txt --skip-empty -- fit`, ['ITEM', 'a', 'b']],
    [`--per-completion-env F=@files.txt -- fit`, ['F', 'my file.txt', 'Köln.txt']],
    [`--per-completion-env F=@one.txt -- fit`, ['F', 'a', 'b', 'c']],
    [`--per-completion-env F=@one.txt --format lines -- fit`, ['F', 'a b c']],
    [`--per-completion-env F=@- --per-completion-env N=" 1  2 " -- fit`, ['F\tN', 'p\t1', 'q r\t2'], 'p\nq r\n'],
    [`--per-completion-env F=@gaps.txt --skip-empty -- fit`, ['F', 'a', 'b']],
    [
      `--matrix seed=1..3,7 --matrix by=2..6..2 -- fit`,
      ['seed\tby', ...['1', '2', '3', '7'].flatMap((seed) => ['2', '4', '6'].map((by) => `${seed}\t${by}`))],
    ],
    [`--matrix node=18,20 --matrix os=a,b -- fit`, ['node\tos', '18\ta', '18\tb', '20\ta', '20\tb']],
    [`--array 3,7,10-20:5%4 -- fit`, ['SLURM_ARRAY_TASK_ID', '3', '7', '10', '15', '20']],
    [`-- fit ::: a 'b c' '$(date)'`, ['ITEM', 'a', 'b c', '$(date)']],
    [`-- fit ::: a b ::: 1 2`, ['ITEM_1\tITEM_2', 'a\t1', 'a\t2', 'b\t1', 'b\t2']],
    [`-- fit ::: a b :::+ 1 2`, ['ITEM_1\tITEM_2', 'a\t1', 'b\t2']],
    [`-- fit ::: a b :::+ 1 2 ::: x y`, ['ITEM_1\tITEM_2\tITEM_3', 'a\t1\tx', 'a\t1\ty', 'b\t2\tx', 'b\t2\ty']],
    [`-- fit :::: files.txt`, ['ITEM', 'my file.txt', 'Köln.txt']],
    [
      `-- fit :::: files.txt seeds.txt`,
      ['ITEM_1\tITEM_2', 'my file.txt\t1', 'my file.txt\t2', 'Köln.txt\t1', 'Köln.txt\t2'],
    ],
    [`-- fit :::: files.txt ::::+ seeds.txt`, ['ITEM_1\tITEM_2', 'my file.txt\t1', 'Köln.txt\t2']],
    [`-- fit :::: -`, ['ITEM', 'p', 'q'], 'p\nq\n'],
    [`--skip-empty -- fit :::: gaps.txt`, ['ITEM', 'a', 'b']],
    [`--columns FILE,SEED -- fit ::: a :::+ 1`, ['FILE\tSEED', 'a\t1']],
    [`--colsep , -- fit :::: table.txt`, ['ITEM_1\tITEM_2', 'a\t1', 'b\t2']],
    [`--colsep '\\t' -- fit ::: "a\tb"`, ['ITEM_1\tITEM_2', 'a\tb']],
    [`--colsep : -- fit ::: a:b ::: c:d`, ['ITEM_1\tITEM_2\tITEM_3\tITEM_4', 'a\tb\tc\td']],
    [`-- fit {#} {} ::: a b`, ['ITEM', 'a', 'b']],
    [`-- sh -c 'fit "$ITEM" $PARALLEL_SEQ' ::: a`, ['ITEM', 'a']],
  ])('%s', async (line, items, stdin = '') => {
    expect(itemsOf((await aFolder(files).job(`${RUN} ${line}`, stdin)).job)).toEqual(items);
  });
});

describe('commands', () => {
  const env = `${RUN} --per-completion-env F="a b"`;
  test.each<[string, readonly string[]]>([
    [`${env} -- zip '$F'`, ['zip a', 'zip b']],
    [`${env} -- zip --in='\${F}' '$FF' '$G'`, ['zip --in=a $FF $G', 'zip --in=b $FF $G']],
    [`${env} -- zip '$(F)'`, ['zip a', 'zip b']],
    [`${env} -- zip '$$F'`, ['zip $F', 'zip $F']],
    [`${env} -- zip '$JOB_COMPLETION_INDEX'`, ['zip 0', 'zip 1']],
    [`${env} --env MODE=x -- zip '$MODE' '$F'`, ['zip x a', 'zip x b']],
    [`${env} -- sh -c 'zip "$F"'`, ['sh -c zip "$F"', 'sh -c zip "$F"']],
    [`${env} -- /bin/bash -euo pipefail -c 'zip "$F"'`, Array(2).fill('/bin/bash -euo pipefail -c zip "$F"')],
    [`${env} -- env X=1 sh -ec 'zip "$F"'`, ['env X=1 sh -ec zip "$F"', 'env X=1 sh -ec zip "$F"']],
    [`${env} -- 'zip "$F"'`, ['sh -c zip "$F"', 'sh -c zip "$F"']],
    [`${env} -- bash run.sh -c '$F'`, ['bash run.sh -c a', 'bash run.sh -c b']],
    [`${env} -- awk '{print $F}' '$F'`, ['awk {print $F} a', 'awk {print $F} b']],
    [`${env} -- echo 'for $(F)'`, ['echo for a', 'echo for b']],
    [`${env} -- ./run.sh '$F'`, ['./run.sh a', './run.sh b']],
    [`${env} -- awk '{print "$$F"}'`, Array(2).fill('awk {print "$F"}')],
    [`${RUN} -- zip -k {} ::: a 'b c'`, ['zip -k a', 'zip -k b c']],
    [`${RUN} -- zip ::: a b`, ['zip a', 'zip b']],
    [`${RUN} -- zip '$ITEM' -9 ::: a b`, ['zip a -9', 'zip b -9']],
    [`${RUN} -- zip {}.gz ::: a`, ['zip a.gz']],
    [`${RUN} -- zip {2}-{1} ::: a ::: 1 2`, ['zip 1-a', 'zip 2-a']],
    [`${RUN} -- zip {} ::: a ::: 1 2`, ['zip a 1', 'zip a 2']],
    [`${RUN} -- zip {#}:{} ::: a b`, ['zip 1:a', 'zip 2:b']],
    [`${RUN} -- zip '$PARALLEL_SEQ' '$ITEM' ::: a b`, ['zip 1 a', 'zip 2 b']],
    [`${RUN} --batch 2 -- zip {#} ::: a b c`, ['zip 1', 'zip 2']],
    [`${RUN} --columns FILE -- zip {FILE} {other} ::: a`, ['zip a {other}']],
    [`${RUN} -- awk '{print $1}' {} ::: a`, ['awk {print $1} a']],
    [`${RUN} -- zip '{"a": 1}' {} ::: a`, ['zip {"a": 1} a']],
    [`${RUN} -- sh -c 'zip "$ITEM" "\${1}"' x ::: a`, ['sh -c zip "$ITEM" "${1}" x']],
    [`${RUN} --array 5,9 -- zip '$SLURM_ARRAY_TASK_ID' '$(SLURM_ARRAY_TASK_COUNT)'`, ['zip 5 2', 'zip 9 2']],
    [`${RUN} --array 5,9 -- zip '$SLURM_ARRAY_TASK_MAX'`, ['zip 9', 'zip 9']],
    [`${RUN} --completions 2 -- zip '$JOB_COMPLETION_INDEX'`, ['zip 0', 'zip 1']],
    [`${RUN} --completions 1 -- zip '$MUSTER_COMPLETIONS'`, ['zip $(MUSTER_COMPLETIONS)']],
    [`${RUN} -- zip -q -- x`, ['zip -q -- x']],
  ])('%s', async (line, commands) => {
    expect(commandsOf((await aFolder(files).job(line)).job)).toEqual(commands);
  });

  test('without one, the image has its own', async () => {
    const { type } = aFolder({});
    const { out } = await type(`${RUN} --dry-run=client -o json`);
    expect(JSON.parse(out)).toEqual({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'zip' },
      spec: {
        completionMode: 'Indexed',
        completions: 1,
        parallelism: 1,
        template: { spec: { restartPolicy: 'OnFailure', containers: [{ name: 'main', image: 'debian:12-slim' }] } },
      },
    });
  });
});

describe('the Job', () => {
  test.each<[string, object]>([
    ['--completions 40', { completions: 40, parallelism: 10 }],
    ['--completions 40 -P 20', { completions: 40, parallelism: 20 }],
    ['--completions 0', { completions: 0, parallelism: 1 }],
    ['--retries 2', { backoffLimitPerIndex: 2, template: { spec: { restartPolicy: 'Never' } } }],
    ['--restart Never', { template: { spec: { restartPolicy: 'Never' } } }],
    ['--array 1-9%4', { completions: 9, parallelism: 4 }],
    ['--array 1-9%4 -P 4', { completions: 9, parallelism: 4 }],
    ['--array 1-50 --batch 20', { completions: 3 }],
    ['--array 1-50 --completions 50', { completions: 50 }],
    ['--spot', { template: { spec: { nodeSelector: { 'muster.run/capacity': 'spot' } } } }],
    ['--chdir /srv/photos', { template: { spec: { containers: [{ workingDir: '/srv/photos' }] } } }],
    ['--chdir ..', { template: { spec: { containers: [{ workingDir: tmpdir() }] } } }],
    ['--service-account zip', { template: { spec: { serviceAccountName: 'zip' } } }],
    [
      '--cpu 500m --memory 1Gi',
      { template: { spec: { containers: [{ resources: { requests: { cpu: '500m', memory: '1Gi' } } }] } } },
    ],
    [
      "--env A=b --env 'C=d = e'",
      {
        template: {
          spec: {
            containers: [
              {
                env: [
                  { name: 'A', value: 'b' },
                  { name: 'C', value: 'd = e' },
                ],
              },
            ],
          },
        },
      },
    ],
  ])('%s', async (flags, spec) => {
    expect((await aFolder(files).job(`${RUN} ${flags} -- zip`)).job.spec).toMatchObject(spec);
  });

  test('annotations', async () => {
    const line = `${RUN} --matrix cpu=1,2 --batch 2 --resources-from-items --failed-of before -- zip`;
    expect((await aFolder(files).job(line)).job.metadata.annotations).toEqual({
      'muster.run/items': 'cpu\n1\n2\n',
      'muster.run/batch': '2',
      'muster.run/resources-from-items': 'true',
      'muster.run/rerun-of': 'before',
    });
  });

  test('an image for each item, and the first of them for the template', async () => {
    const line = `run zip --matrix image=a:1,b:1 --image-from-items`;
    expect((await aFolder(files).job(`${line} -- zip`)).job).toMatchObject({
      metadata: { annotations: { 'muster.run/items': 'image\na:1\nb:1\n', 'muster.run/image-from-items': 'true' } },
      spec: { template: { spec: { containers: [{ image: 'a:1' }] } } },
    });
    const { job } = await aFolder(files).job(`${line} --image c:1 -- zip`);
    expect(job.spec).toMatchObject({ template: { spec: { containers: [{ image: 'c:1' }] } } });
  });

  test('its manifest is printed as it is asked for', async () => {
    const { type } = aFolder({});
    const dry = `${RUN} --dry-run=client`;
    expect((await type(`${dry} -- zip`)).out).toBe('job.batch/zip created (dry run)\n');
    expect((await type(`${dry} -o name -- zip`)).out).toBe('job.batch/zip\n');
    expect((await type(`${dry} -o yaml -n team -- zip`)).out).toMatch(
      /^apiVersion: batch\/v1\nkind: Job\nmetadata:\n  name: zip\n  namespace: team\nspec:\n/,
    );
  });
});

describe('notes', () => {
  const QUOTE = '(in single quotes, or your shell replaces it): tasks find F in their environment only';
  const BLANKS = 'has blanks, so it may be a program, and is left as it is: $(NAME) is replaced in it, $NAME is not';
  test.each<[string, string]>([
    [`--array 1-3 -- zip`, ''],
    [`--matrix seed=1-3 -- zip '$seed'`, 'Note: seed has one value, 1-3; for the numbers from 1 to 3, write 1..3\n'],
    [`--per-completion-env F="a b a a" -- zip '$F'`, 'Note: 2 of 4 items equal an earlier one\n'],
    [`--per-completion-env F="a b" -- zip $F`, `Note: no argument is '$F' ${QUOTE}\n`],
    [`--items @files.txt --columns F -- zip "$F"`, `Note: no argument is '$F' ${QUOTE}\n`],
    [`--items @files.txt --columns F -- zip`, ''],
    [`--items @files.txt -- zip {}`, "Note: {} is replaced only with ::: or :::: after the command: write '$ITEM'\n"],
    [`--per-completion-env F="a b" -- sh -c 'zip "$F"'`, ''],
    [`--per-completion-env F="a b" -- awk '{print $F}' '$F'`, `Note: "{print $F}" ${BLANKS}\n`],
    [`-- echo 'index $JOB_COMPLETION_INDEX'`, `Note: "index $JOB_COMPLETION_INDEX" ${BLANKS}\n`],
    [`-- awk '{print $1}'`, ''],
    [
      `-- zip ::: a b --wait`,
      'Note: --wait is an item here, because of the ::: before; options of muster run come before --\n',
    ],
    [
      `-- zip ::: a -P 4 --rm`,
      'Note: -P and 1 more are items here, because of the ::: before; options of muster run come before --\n',
    ],
    [`-- zip ::: -1 - --`, ''],
    [
      `--per-completion-env F="a b" -- sh -c 'zip $(F)'`,
      'Note: $(F) makes the value a part of the script, whatever is in it: the shell reads "$F"\n',
    ],
  ])('%s', async (line, err) => {
    expect((await aFolder(files).job(`${RUN} ${line}`)).err).toBe(err);
  });
});

test('the Jobs that it waits for are annotations, as the server reads them', async () => {
  const { job } = aFolder({});
  const line = await job(`${RUN} --after prepare,fetch:finished,old:complete --after-indexes map/2,sizes/1 -- ls`);
  expect(line.job.metadata.annotations).toEqual({
    'muster.run/after': 'prepare, fetch:finished, old',
    'muster.run/after-indexes': 'map/2, sizes',
  });
  expect((await job(`${RUN} -- ls`)).job.metadata.annotations).toEqual({});
});
