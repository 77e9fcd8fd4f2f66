/** Options of GNU parallel that `muster run` does not have, and what to use. */
const INSTEAD: readonly (readonly [options: readonly string[], instead: string])[] = [
  [['-j', '--jobs', '--max-procs'], '-P NUMBER, or --parallelism'],
  [['-a', '--arg-file'], ':::: FILE after the command, or --items @FILE'],
  [['--link', '--xapply'], ':::+ and ::::+ after the command'],
  [['-N', '-X', '-m', '--max-args', '--max-replace-args', '--xargs'], '--batch NUMBER'],
  [['-C'], '--colsep TEXT'],
  [['--wd', '--workdir', '--work-dir'], '--chdir FOLDER'],
  [['-r', '--no-run-if-empty'], '--skip-empty for empty lines, --allow-empty for a list without items'],
  [['-I', '-i', '--replace-str'], "'$NAME' of a column"],
  [
    ['--pipe', '--pipepart', '--pipe-part', '--cat', '--fifo', '--stdin'],
    'a list of file names or ranges: a task has no standard input',
  ],
  [['--bar', '--eta', '--progress'], '--wait'],
  [
    ['-k', '--keep-order', '--tag', '--group', '--line-buffer', '--results', '--files'],
    '`muster logs NAME`, ordered by index',
  ],
  [['--joblog'], '`muster joblog NAME`'],
  [['--halt', '--halt-on-error'], '--max-failed NUMBER: more failed indexes end the Job'],
  [['--resume', '--resume-failed', '--retry-failed'], '`muster rerun NAME`'],
  [
    ['-S', '--sshlogin', '--sshloginfile', '--slf', '--transferfile', '--return', '--cleanup'],
    '--image: the program and its files are in the image',
  ],
  [['-0', '--null', '-d', '--delimiter'], 'a file with an item a line, or --format jsonl if items hold newlines'],
];

/** The same of sbatch, whose options of one letter mostly mean something else in GNU parallel. */
const INSTEAD_OF_SLURMS: typeof INSTEAD = [
  [['-D'], '--chdir FOLDER'],
  [['--export', '--export-file'], '--env NAME, or --env NAME=VALUE'],
  [['-c', '--cpus-per-task'], '--cpu NUMBER'],
  [['--mem', '--mem-per-cpu'], '--memory QUANTITY, such as 4Gi'],
  [['--dependency'], '--after JOBS, or --after-indexes'],
  [['-J', '--job-name'], 'the NAME after `muster run`'],
];

const TABLES = [
  ["GNU parallel's", INSTEAD],
  ["Slurm's", INSTEAD_OF_SLURMS],
] as const;

/** What to use instead of the option that a message names; null: it is neither GNU parallel's nor Slurm's. */
export function insteadOf(message: string): string | null {
  const option = /'(--[^'=]+|-[^-\d'])/.exec(message)?.[1] ?? '';
  for (const [whose, table] of TABLES) {
    const instead = table.find(([options]) => options.includes(option))?.[1];
    if (instead !== undefined) return `Instead of ${whose} ${option} use ${instead}.`;
  }
  return null;
}
