import { type Command, Option } from 'commander';
import { type Done, common, examples, namespaceOption, timeoutOption } from '../shell/command-parts.ts';
import type { JobChange } from '../commands/change.ts';
import { usageFailure } from '../shell/failure.ts';
import { type SelectionFlags, selectionOf, selectsJobs } from '../shell/job-names.ts';
import { AWAITED, type Awaited, awaited, tasksAtOnce, wholeNumber } from '../shell/option-values.ts';
import { OBJECT_FORMS, type ObjectForm } from '../render/object-forms.ts';
import type { Shell } from '../shell/shell.ts';

// Commands for Jobs that exist: watch, wait, change, delete.

const EXAMPLES = {
  watch: examples(
    'muster watch frames',
    'muster watch frames wordcount',
    'muster watch --all                     # of Jobs that wait for one another, one picture',
    'muster watch -l campaign=spring --timeout 1h',
  ),
  wait: examples(
    'muster wait frames                     # until it is over; the exit code is its verdict',
    'muster wait frames --for complete --timeout 10m && upload-result',
    'muster wait --all --for delete',
  ),
  delete: examples(
    'muster delete frames',
    'muster delete frames wordcount -n team',
    'muster delete -l campaign=spring',
  ),
  suspend: examples('muster suspend frames', 'muster suspend --all'),
  resume: examples('muster resume frames'),
  scale: examples('muster scale frames --parallelism 16', 'muster scale frames --parallelism 30 --completions 30'),
} as const;

type WatchOptions = SelectionFlags & {
  readonly timeout?: number;
  readonly namespace?: string;
  readonly output?: ObjectForm;
};

export function addWatch(program: Command, shell: Shell, done: Done): void {
  selectsJobs(program.command('watch'))
    .summary('show a live view of Jobs')
    .description(
      'Shows the progress of Jobs until all are over. Several Jobs have one line each, below those that they wait for.\n' +
        'The exit code is their verdict.',
    )
    .addOption(timeoutOption())
    .addOption(namespaceOption())
    .addOption(new Option('-o, --output <format>', 'print the Job at the end').choices(OBJECT_FORMS))
    .addHelpText('after', EXAMPLES.watch)
    .action(async (jobs: string[], flags: WatchOptions) => {
      const selection = selectionOf(jobs, flags);
      const { watchJobs } = await import('../commands/watch.ts');
      const { timeout = null, output = null } = flags;
      done(await watchJobs(selection, { timeoutMs: timeout, output, ...common(program, flags) }, shell));
    });
}

type WaitOptions = SelectionFlags & { readonly for: Awaited; readonly timeout?: number; readonly namespace?: string };

const WAIT_EXIT_CODES = `
Exit codes:
  0 all reached the state    1 one ended otherwise, or does not exist
  3 one was deleted    124 timed out    130 Ctrl-C
  With --for finished: 0 complete, 1 failed
`;

export function addWait(program: Command, shell: Shell, done: Done): void {
  selectsJobs(program.command('wait'))
    .summary('wait for Jobs, for scripts')
    .description('Waits, without a view, until Jobs reach a state or can no longer reach it.')
    .addOption(
      new Option('--for <state>', "kubectl's condition=complete means the same")
        .choices(AWAITED)
        .argParser(awaited)
        .default('finished'),
    )
    .addOption(timeoutOption())
    .addOption(namespaceOption())
    .addHelpText('after', `${EXAMPLES.wait}${WAIT_EXIT_CODES}`)
    .action(async (jobs: string[], flags: WaitOptions) => {
      const selection = selectionOf(jobs, flags);
      const { waitFor } = await import('../commands/wait.ts');
      const { timeout = null } = flags;
      done(await waitFor(selection, { awaited: flags.for, timeoutMs: timeout, ...common(program, flags) }, shell));
    });
}

type DeleteOptions = SelectionFlags & { readonly namespace?: string; readonly output?: 'name' };

export function addDelete(program: Command, shell: Shell, done: Done): void {
  selectsJobs(program.command('delete'))
    .summary('delete Jobs and stop their tasks')
    .description('Deletes Jobs. They disappear immediately; their tasks are stopped.')
    .addOption(namespaceOption())
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['name']))
    .addHelpText('after', EXAMPLES.delete)
    .action(async (jobs: string[], flags: DeleteOptions) => {
      const selection = selectionOf(jobs, flags);
      const { deleteJobs } = await import('../commands/delete.ts');
      done(await deleteJobs(selection, { namesOnly: flags.output === 'name', ...common(program, flags) }, shell));
    });
}

type ChangeOptions = SelectionFlags & {
  readonly namespace?: string;
  readonly parallelism?: number;
  readonly completions?: number;
};

function addChange(
  program: Command,
  name: string,
  changeOf: (flags: ChangeOptions) => JobChange,
  run: [Shell, Done],
): Command {
  const [shell, done] = run;
  return selectsJobs(program.command(name))
    .addOption(namespaceOption())
    .action(async (jobs: string[], flags: ChangeOptions) => {
      const selection = selectionOf(jobs, flags);
      const change = changeOf(flags);
      const { changeJobs } = await import('../commands/change.ts');
      done(await changeJobs(selection, change, common(program, flags), shell));
    });
}

export function addSuspend(program: Command, shell: Shell, done: Done): void {
  addChange(program, 'suspend', () => ({ spec: { suspend: true }, done: 'suspended' }), [shell, done])
    .summary('stop the tasks of Jobs until they are resumed')
    .description('Suspends Jobs: their tasks are stopped, and successes are kept.')
    .addHelpText('after', EXAMPLES.suspend);
}

export function addResume(program: Command, shell: Shell, done: Done): void {
  addChange(program, 'resume', () => ({ spec: { suspend: false }, done: 'resumed' }), [shell, done])
    .summary('resume suspended Jobs')
    .description('Resumes suspended Jobs.')
    .addHelpText('after', EXAMPLES.resume);
}

export function addScale(program: Command, shell: Shell, done: Done): void {
  addChange(program, 'scale', scaleOf, [shell, done])
    .summary('change how many tasks of Jobs run at once')
    .description(
      'Changes parallelism; for an elastic Job (Indexed, both numbers equal) also completions, which must then be the same.',
    )
    .option('-p, --parallelism <number>', 'the maximum number of tasks that run at once', tasksAtOnce)
    .option('--completions <number>', 'indexes', wholeNumber(0))
    .addHelpText('after', EXAMPLES.scale);
}

function scaleOf({ parallelism, completions }: ChangeOptions): JobChange {
  if (parallelism === undefined && completions === undefined) throw usageFailure('specify --parallelism');
  return {
    spec: {
      ...(parallelism === undefined ? {} : { parallelism }),
      ...(completions === undefined ? {} : { completions }),
    },
    done: 'scaled',
  };
}
