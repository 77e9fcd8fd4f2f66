import { type Command, Option } from 'commander';
import { usageFailure } from '../shell/failure.ts';
import { type SelectionFlags, jobConfigName, selectionOf, selectsJobs } from '../shell/job-names.ts';
import { duration, moment } from '../shell/option-values.ts';
import type { Shell } from '../shell/shell.ts';
import { type Done, common, examples, namespaceOption } from '../shell/command-parts.ts';

// Commands for Jobs that are killed, and for JobConfigs.

const EXAMPLES = {
  kill: examples(
    'muster kill frames',
    'muster kill frames --after 2h              # unless it is over by then',
    'muster kill -l campaign=spring --at 2026-01-01T06:00:00Z',
  ),
  enable: examples('muster enable nightly'),
  disable: examples('muster disable nightly report -n team'),
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
      const { killJobs } = await import('../configs/kill.ts');
      const atMs = at ?? (after === undefined ? null : shell.now() + after);
      done(await killJobs(selection, { atMs, overrides: override, ...common(program, flags) }, shell));
    });
}

export function addEnable(program: Command, shell: Shell, done: Done): void {
  const add = (name: string, enable: boolean): Command =>
    program
      .command(name)
      .argument('<jobconfigs...>', 'the JobConfigs')
      .addOption(namespaceOption())
      .action(async (names: string[], flags: { readonly namespace?: string }) => {
        const { enableConfigs } = await import('../configs/enable.ts');
        done(await enableConfigs(names.map(jobConfigName), enable, common(program, flags), shell));
      });
  add('enable', true)
    .summary('let the schedules of JobConfigs make Jobs')
    .description('Unsets spec.schedule.disabled. Slots of the meantime are not made up for.')
    .addHelpText('after', EXAMPLES.enable);
  add('disable', false)
    .summary('let the schedules of JobConfigs make no Jobs')
    .description('Sets spec.schedule.disabled. Jobs that run or wait go on, and muster run makes others.')
    .addHelpText('after', EXAMPLES.disable);
}
