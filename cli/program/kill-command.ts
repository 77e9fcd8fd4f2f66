import { type Command, Option } from 'commander';
import { usageFailure } from '../shell/failure.ts';
import { type SelectionFlags, selectionOf, selectsJobs } from '../shell/job-names.ts';
import { duration, moment } from '../shell/option-values.ts';
import type { Shell } from '../shell/shell.ts';
import { type Done, common, examples, namespaceOption } from '../shell/command-parts.ts';

const EXAMPLES = {
  kill: examples(
    'muster kill frames',
    'muster kill frames --after 2h              # unless it is over by then',
    'muster kill -l campaign=spring --at 2026-01-01T06:00:00Z',
  ),
} as const;

type KillOptions = SelectionFlags & {
  readonly at?: number;
  readonly after?: number;
  readonly override?: true;
  readonly namespace?: string;
};

export function addKill(program: Command, shell: Shell, done: Done): void {
  selectsJobs(program.command('kill'))
    .summary('stop Jobs for good, now or at a moment')
    .description(
      'Stops the tasks of Jobs, which have then failed with the reason Killed. What they have done stays to be seen;\n' +
        'muster delete removes it, and muster suspend stops a Job that is to go on later.',
    )
    .addOption(new Option('-t, --at <time>', 'at this moment, if they are not over by then').argParser(moment))
    .addOption(new Option('-p, --after <duration>', 'when this has passed, such as 90m').argParser(duration))
    .option('--override', 'replace a moment that was set before')
    .addOption(namespaceOption())
    .addHelpText('after', EXAMPLES.kill)
    .action(async (jobs: string[], flags: KillOptions) => {
      const { at, after, override = false } = flags;
      if (at !== undefined && after !== undefined) throw usageFailure('--at and --after cannot be combined');
      const selection = selectionOf(jobs, flags);
      const { killJobs } = await import('../commands/kill.ts');
      const atMs = at ?? (after === undefined ? null : shell.now() + after);
      done(await killJobs(selection, { atMs, overrides: override, ...common(program, flags) }, shell));
    });
}
