import type { Command } from 'commander';
import { type Done, common, examples, namespaceOption } from '../../../../cli/shell/command-parts.ts';
import { nameOfKind } from '../../../../cli/shell/job-names.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';

export function addEnable(program: Command, shell: Shell, done: Done): void {
  const add = (name: string, enable: boolean): Command =>
    program
      .command(name)
      .argument('<jobconfigs...>', 'the JobConfigs')
      .addOption(namespaceOption())
      .action(async (names: string[], flags: { readonly namespace?: string }) => {
        const { enableConfigs } = await import('./enable.ts');
        done(
          await enableConfigs(
            names.map((each) => nameOfKind('JobConfig', each)),
            enable,
            common(program, flags),
            shell,
          ),
        );
      });
  add('enable', true)
    .summary('let the schedules of JobConfigs make Jobs')
    .description('Unsets spec.schedule.disabled. Slots of the meantime are not made up for.')
    .addHelpText('after', examples('muster enable nightly'));
  add('disable', false)
    .summary('let the schedules of JobConfigs make no Jobs')
    .description('Sets spec.schedule.disabled. Jobs that run or wait go on, and muster run makes others.')
    .addHelpText('after', examples('muster disable nightly report -n team'));
}
