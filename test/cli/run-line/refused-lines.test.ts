import { describe, expect, test } from 'vitest';
import { aFolder } from './typed-line.ts';

const files = {
  'a.txt': 'one\ntwo\n',
  'b.txt': 'one\ntwo\nthree\n',
  'gaps.txt': 'a\n\nb\n\n',
  'quote.csv': 'A,B\n1,"2\n',
  'rows.csv': 'A,B\n1,2\n1,2,3\n',
  'some.csv': 'F,image\n1,a\n2,\n',
  'twice.csv': 'A,A\n1,2\n',
  'latin.txt': Uint8Array.from([0x61, 0x0a, 0xe4, 0x0a]),
  'nul.txt': 'a\nb\0\n',
  'long.txt': `${'x'.repeat(6_145)}\n`,
  'table.txt': 'a,1\nb\n',
  'empty.txt': '',
};

describe('a line is refused whole, and creates nothing', () => {
  test.each<[string, string]>([
    // the form
    ['run zip -- ls', '--image is required (an embedded Muster does not pull it: there, any name will do)'],
    ['run -f job.yaml --after fetch', "--after is for `muster run NAME`; in a file the Job's own fields say it"],
    ['run zip --image i --after fetch: -- ls', '--after "" is no condition of job "fetch"'],
    ['run zip --image i --after Fetch -- ls', '--after "Fetch" is no name of a job'],
    ['run zip --image i --after a,b,a:failed -- ls', '--after names job "a" twice: must be once at most'],
    ['run zip --image i --after a,zip:finished -- ls', '--after: job zip cannot wait for itself'],
    ['run zip --image i --after-indexes a/0 -- ls', '--after-indexes "0" is no number of indexes of job "a"'],
    ['run zip --image i --after-indexes zip/2 -- ls', '--after-indexes: job zip cannot wait for itself'],
    ['run zip --image i ls', 'write -- before the command: -- ls'],
    ['run --image i -- zip ls', 'the NAME of the Job comes before --'],
    ['run zip -f job.yaml', '-f FILE or a NAME ("zip"), not both'],
    ['run -f job.yaml --image i', "--image is for `muster run NAME`; in a file the Job's own fields say it"],
    ['run -f job.yaml -P 3', "--parallelism is for `muster run NAME`; in a file the Job's own fields say it"],
    ['run zip --image i --rm -- ls', '--rm needs --wait'],
    ['run zip --image i --dry-run=client --wait -- ls', '--dry-run creates nothing that --wait could wait for'],
    ['run zip --image i --restart Always -- ls', 'A Job ends: its tasks restart OnFailure or Never.'],
    [
      'run zip --image i -P 50% -- ls',
      'It is a number of tasks, not a share: they do not run on the CPUs of this machine.',
    ],
    ['run zip --image i --restart never -- ls', 'It must be OnFailure or Never.'],
    [
      'run zip --image i --restart OnFailure --retries 2 -- ls',
      '--retries counts failed Pods, and --restart OnFailure starts them again: leave one of them out',
    ],
    ['run zip --image i --env =A -- ls', 'It must be NAME=VALUE, or NAME for its value in this shell.'],
    ["run zip --image i --chdir '' -- ls", 'It must be a folder.'],
    ['run zip --image i --env A -- ls', 'A is not set in this shell; specify a value: A=VALUE.'],
    ['run zip --image i --dry-run=server -- ls', 'Allowed choices are client.'],
    // variables
    ['run zip --image i --env A=1 --env A=2 -- ls', 'the variable A is said twice: --env, and --env'],
    [
      'run zip --image i --matrix A=1,2 --env A=2 -- ls',
      'the variable A is said twice: a column of the list, and --env',
    ],
    [
      'run zip --image i --matrix A=1,2 --completion-index-var-name A -- ls',
      'the variable A is said twice: a column of the list, and --completion-index-var-name',
    ],
    [
      'run zip --image i --completion-index-var-name MUSTER_I -- ls',
      '--completion-index-var-name: the variable "MUSTER_I" needs another name: MUSTER_… is reserved for Muster',
    ],
    // --per-completion-env
    ['run zip --image i --per-completion-env F -- ls', '--per-completion-env F: write NAME=VALUES'],
    [
      'run zip --image i --per-completion-env FRUIT="a b c" --per-completion-env COLOR="x y" -- ls',
      '--per-completion-env: all need the same number of values: FRUIT has 3 values, COLOR 2',
    ],
    [
      'run zip --image i --per-completion-env F=a --per-completion-env F=b -- ls',
      '--per-completion-env: the column "F" occurs twice',
    ],
    [
      'run zip --image i --per-completion-env MUSTER_X=a -- ls',
      '--per-completion-env: the column "MUSTER_X" needs another name: MUSTER_… is reserved for Muster',
    ],
    [
      'run zip --image i --per-completion-env JOB_COMPLETION_INDEX=a -- ls',
      '--per-completion-env: the column "JOB_COMPLETION_INDEX" needs another name: every task has this variable anyway',
    ],
    [
      'run zip --image i --per-completion-env F= -- ls',
      'the list has no items (--per-completion-env F=); with --allow-empty that is fine',
    ],
    ['run zip --image i --per-completion-env F=@none.txt -- ls', 'none.txt does not exist'],
    ['run zip --image i --per-completion-env F=@. -- ls', '. cannot be read: EISDIR'],
    ['run zip --image i --per-completion-env F=@gaps.txt -- ls', 'gaps.txt:2: is empty\ngaps.txt:4: is empty'],
    ['run zip --image i --per-completion-env F=@latin.txt -- ls', 'latin.txt:2: is not valid UTF-8'],
    ['run zip --image i --per-completion-env F=@nul.txt -- ls', 'nul.txt:2:2: contains NUL'],
    [
      'run zip --image i --per-completion-env F=@long.txt -- ls',
      'long.txt:1: item 1 (index 0) has 6145 bytes; the limit is 6144',
    ],
    [
      'run zip --image i --per-completion-env F=@a.txt --format csv -- ls',
      '--per-completion-env F: --format csv is for --items; a column is lines or words',
    ],
    [
      'run zip --image i --per-completion-env A=@- --per-completion-env B=@- -- ls',
      'standard input can be read only once',
    ],
    ['run zip --image i --items @- --format lines -- ls :::: -', 'standard input can be read only once'],
    // --items
    ['run zip --image i --items a.txt -- ls', '--items a.txt: write @FILE, or @- for standard input'],
    ['run zip --image i --items @- -- ls', '--items @-: say what it is: --format lines, words, csv, tsv, or jsonl'],
    ['run zip --image i --items @quote.csv --header -- ls', 'quote.csv:2:3: this quote is never closed'],
    [
      'run zip --image i --items @rows.csv --header -- ls',
      'rows.csv:3: item 2 (index 1) has 3 values; the list has 2 columns',
    ],
    [
      'run zip --image i --items @rows.csv -- ls',
      'rows.csv:1: has 2 values: name the columns, or say that the first line is a header',
    ],
    ['run zip --image i --items @twice.csv --header -- ls', 'twice.csv:1: the column "A" occurs twice'],
    [
      'run zip --image i --items @empty.txt -- ls',
      'the list has no items (--items @empty.txt); with --allow-empty that is fine',
    ],
    [
      'run zip --image i --items @empty.txt --format csv --header --allow-empty -- ls',
      'empty.txt:1: there is no header',
    ],
    ['run zip --image i --items @gaps.txt --allow-empty -- ls', 'gaps.txt:2: is empty\ngaps.txt:4: is empty'],
    ['run zip --image i --matrix os= -- ls', 'the list has no items (--matrix os=)'],
    [`run zip --image i --array '' -- ls`, 'the list has no items (--array "")'],
    [
      'run zip --image i --per-completion-env F=@empty.txt --per-completion-env G=a --allow-empty -- ls',
      '--per-completion-env: all need the same number of values: F has 0 values, G 1',
    ],
    ['run zip --image i --items @a.txt --matrix A=1 -- ls', 'two lists at once: --items and --matrix'],
    ['run zip --image i --array 1-3 -- ls {} ::: a', 'two lists at once: --array and :::'],
    // --matrix, --array
    [
      'run zip --image i --matrix os=-3..3 -- ls',
      '--matrix os=-3..3: -3..3 counts up from 0 or more; write other numbers out, as in -1,0,1',
    ],
    [
      'run zip --image i --matrix os=9..1..-2 -- ls',
      '--matrix os=9..1..-2: 9..1..-2 counts up from 0 or more; write other numbers out, as in -1,0,1',
    ],
    ['run zip --image i --matrix os=9..1 -- ls', '--matrix os=9..1: "9-1:1" runs backwards'],
    [
      'run zip --image i --matrix os=1..2000000 -- ls',
      '--matrix os=1..2000000: 2000000 items are more than the limit of 1000000',
    ],
    ['run zip --image i --matrix os -- ls', '--matrix os: write NAME=VALUES'],
    ['run zip --image i --matrix os=a,,b -- ls', '--matrix os=a,,b: os has an empty value'],
    ['run zip --image i --matrix os=a --matrix os=b -- ls', '--matrix: the column "os" occurs twice'],
    ['run zip --image i --matrix a-b=1 -- ls', '--matrix: the column "a-b" must be a variable\'s name'],
    ['run zip --image i --array 3,x -- ls', '--array: "x" is not a part of a range: write 3, 10-20, or 10-20:2'],
    ['run zip --image i --array 3,1-4 -- ls', '--array 3,1-4: 3 occurs twice'],
    ['run zip --image i --array 1-9%0 -- ls', '--array 1-9%0: after % comes how many run at once, such as %4'],
    ['run zip --image i --array 1-9%4 -P 5 -- ls', '--parallelism 5 and --array 1-9%4 say two numbers'],
    [
      'run zip --image i --array 1-9 --env SLURM_ARRAY_TASK_MAX=3 -- ls',
      'the variable SLURM_ARRAY_TASK_MAX is said twice',
    ],
    // what goes with lists
    ['run zip --image i --array 1-3 --completions 5 -- ls', '--completions 5: the list has 3 items; leave it out'],
    [
      'run zip --image i --array 1-5 --batch 2 --completions 5 -- ls',
      '--completions 5: the list has 5 items in batches of 2, which are 3; leave it out',
    ],
    [
      "run zip --image i --matrix P=ls,pwd -- '$P' -l",
      'every index runs the same program: let a shell choose it, sh -c \'"$P" …\'',
    ],
    ['run zip --image i --matrix A=1,2 --batch 1 -- ls', 'It must be a whole number from 2 to 1000.'],
    ['run zip --image i --batch 2 -- ls', '--batch needs a list'],
    ['run zip --image i --resources-from-items -- ls', '--resources-from-items needs a list'],
    [
      'run zip --image i --matrix CPU=1,2 --resources-from-items -- ls',
      '--resources-from-items: the list has none of the columns cpu, memory, ephemeral-storage',
    ],
    [
      'run zip --image i --matrix cpu=1,2x --resources-from-items -- ls',
      '--resources-from-items: item 2, column cpu: "2x": write a quantity such as 500m or 2, or leave it empty',
    ],
    ['run zip --image i --image-from-items -- ls', '--image-from-items needs a list'],
    ['run zip --image i --array 1-3 --image-from-items -- ls', '--image-from-items: the list has no column image'],
    [
      'run zip --image i --matrix image=a,b --image-from-items --batch 2 -- ls',
      '--batch and --image-from-items: an index runs in one image, and each item says its own',
    ],
    [
      'run zip --image i --matrix image="a,b c" --image-from-items -- ls',
      '--image-from-items: item 2, column image: "b c": write an image such as debian:12-slim, or leave it empty',
    ],
    [
      `run zip --matrix image=${Array.from({ length: 21 }, (_, i) => `i${i}`).join(',')} --image-from-items -- ls`,
      '--image-from-items: the list has 21 images; a Job may have 20',
    ],
    ['run zip --items @some.csv --header --image-from-items -- ls', '--image is required: item 2 says none'],
    ['run zip --image i --array 1-3 --header -- ls', '--header is for --items'],
    ['run zip --image i --array 1-3 --columns A -- ls', '--columns is for --items and :::'],
    ['run zip --image i --array 1-3 --format csv -- ls', '--format is for --items and --per-completion-env NAME=@FILE'],
    ['run zip --image i --array 1-3 --skip-empty -- ls', '--skip-empty is for lists in files'],
    ['run zip --image i --completions 3 --allow-empty -- ls', '--allow-empty is for a list'],
    [
      'run zip --image i --array 1-3 --colsep , -- ls',
      '--colsep is for ::: and ::::; for --items say --format csv or tsv',
    ],
  ])('%s', async (line, expected) => {
    const { code, out, err } = await aFolder(files).type(line);
    expect(err).toContain(expected);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

describe('what GNU parallel has and we do not is refused, and told', () => {
  const INSTEAD = 'is not replaced here: use a script, sh -c';
  test.each<[string, string]>([
    ['-- ls {.} ::: a', `{.} ${INSTEAD} '… "\${ITEM%.*}" …'`],
    ['-- ls {/} ::: a', `{/} ${INSTEAD} '… "\${ITEM##*/}" …'`],
    ['-- ls {//} ::: a', `{//} ${INSTEAD} '… "$(dirname "$ITEM")" …'`],
    ['-- ls {/.} ::: a', `{/.} ${INSTEAD} '… f=\${ITEM##*/}; … "\${f%.*}" …'`],
    ['-- ls {2/} ::: a ::: b', `{2/} ${INSTEAD} '… "\${ITEM_2##*/}" …'`],
    ['-- ls {%} ::: a', '{%} is not replaced here: tasks have no slots; {#} is the number of the item'],
    ["-- ls '{= s/a/b/ =}' ::: a", '{= s/a/b/ =} is not replaced here: no Perl is run; use a script'],
    ['-- ls {-1} ::: a ::: b', '{-1} is not replaced here: write {2}'],
    ['-- ls {3} ::: a ::: b', '{3}: there are 2 columns'],
    ['-- ls x{} ::: a ::: b', '{} within a word stands for one value, and there are 2: write {1}, {2}, …'],
    ["-- sh -c 'ls {}' ::: a", '{} is not replaced in a script: write "$ITEM", which the shell reads safely'],
    ["-- 'gzip {1}' ::: a ::: b", '{1} is not replaced in a script: write "$ITEM_1" "$ITEM_2"'],
    ['--columns PARALLEL_SEQ -- echo {#} ::: a', 'PARALLEL_SEQ is said twice: a column of the list, and the number'],
    ['-- {#} {} ::: a', 'every index runs the same program'],
    ["-- sh -c 'echo {#} $ITEM' ::: a", '{#} is not replaced in a script: write "$PARALLEL_SEQ"'],
    [
      "-- echo 'item {}' ::: a",
      '"item {}" has blanks, so it may be a program, and nothing is replaced in it: write $(ITEM) for the value',
    ],
    ['-- sh -c ls ::: a', 'the script does not use the items, and none is appended to it: write "$ITEM" in it'],
    ['-- ::: a b', '::: needs a command before it; sh -c \'eval "$ITEM"\' runs items as commands'],
    ['-- {} -l ::: ls pwd', 'every index runs the same program: let a shell choose it, sh -c \'"$ITEM" …\''],
    ['-- ls :::', 'the list has no items (:::); with --allow-empty that is fine'],
    ['-- ls {} ::: a :::: empty.txt', 'the list has no items (::: :::: empty.txt)'],
    ['--allow-empty -- ls ::: a :::+', ':::+ has 0 values, and the source before it has 1'],
    ['--allow-empty -- ls ::::', ':::: needs a file after it'],
    ['-- ls ::::', ':::: needs a file after it'],
    ['-- ls :::+ a', ':::+: there is no source before it to go along with'],
    ['-- ls ::: a b :::+ 1', ':::+ has 1 value, and the source before it has 2'],
    ['-- ls :::: a.txt ::::+ b.txt', '::::+ b.txt has 3 values, and the source before it has 2'],
    ['-- ls :::: gaps.txt', 'gaps.txt:2: is empty\ngaps.txt:4: is empty'],
    ['--columns A -- ls ::: a ::: b', '--columns has 1 name, and there are 2 columns'],
    ['--columns MUSTER_A -- ls ::: a', 'the column "MUSTER_A" needs another name'],
    ["--colsep '\\s+' -- ls ::: 'a b'", '--colsep \\s+: it is taken as it is, not as a regular expression'],
    ['--colsep , -- ls :::: table.txt', ':::: table.txt: value 2 has 1 column, and value 1 has 2'],
    ['-j 8 -- ls ::: a', "Instead of GNU parallel's -j use -P NUMBER, or --parallelism."],
    ['-j8 -- ls ::: a', "Instead of GNU parallel's -j use -P NUMBER, or --parallelism."],
    ['--wd x -- ls ::: a', "Instead of GNU parallel's --wd use --chdir FOLDER."],
    ['-D x -- ls ::: a', "Instead of Slurm's -D use --chdir FOLDER."],
    ['--mem=4G -- ls ::: a', "Instead of Slurm's --mem use --memory QUANTITY, such as 4Gi."],
    ['--pipe -- ls ::: a', "Instead of GNU parallel's --pipe use a list of file names or ranges"],
    ['--joblog=x -- ls ::: a', "Instead of GNU parallel's --joblog use `muster joblog NAME`."],
    ['--resume-failed -- ls ::: a', "Instead of GNU parallel's --resume-failed use `muster rerun NAME`."],
  ])('%s', async (line, expected) => {
    const { code, out, err } = await aFolder(files).type(`run zip --image i ${line}`);
    expect(err).toContain(expected);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  test('a product that is too large is not built', async () => {
    const many = Array.from({ length: 101 }, (_, i) => i).join(' ');
    const { err } = await aFolder({}).type(`run zip --image i -- ls ::: ${many} ::: ${many} ::: ${many}`);
    expect(err).toBe('error: 1030301 items are more than the limit of 1000000\n');
  });
});
