import type { Command } from 'commander';
import { type Done, common, examples, namespaceOption } from '../../../../cli/shell/command-parts.ts';
import { usageFailure } from '../../../../cli/shell/failure.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';

const EXAMPLES = examples(
  'muster exec pi-0-x7k2p -- ls -l /workspace',
  'muster exec -it pi-0-x7k2p -- sh                        # a terminal',
  'muster exec -i pi-0-x7k2p -- python - < look.py         # the input of the command is yours',
  'muster exec pi-0-x7k2p -c side -- cat /proc/1/status    # in another container',
  'muster exec pi-0-x7k2p -- tar cf - out | tar xf -       # copies a folder',
);

const EXIT_CODES = `
Exit codes:
  that of the command    1 it could not be started    2 invalid command line    130 Ctrl-C (with -t it is the command's)
`;

type ExecOptions = {
  readonly namespace?: string;
  readonly container?: string;
  readonly stdin: boolean;
  readonly tty: boolean;
};

export function addExec(program: Command, shell: Shell, done: Done): void {
  program
    .command('exec')
    .summary('run a command in a Pod that runs')
    .description(
      'Runs a command in a container of a Pod that runs, as kubectl exec does, here and on AWS. On AWS the installation must ' +
        'have been deployed with -c exec=true, and the image needs sh, base64, dd, and stty.',
    )
    .argument('<pod>', 'the Pod')
    .argument('<command...>', 'the command, after --')
    .addOption(namespaceOption())
    .option('-c, --container <name>', 'the container (default: the only one, or the one that the Pod names as usual)')
    .option('-i, --stdin', 'pass standard input to the command', false)
    .option('-t, --tty', 'give the command a terminal; with -i it is yours', false)
    .addHelpText('after', `${EXAMPLES}${EXIT_CODES}`)
    .action(async (pod: string, command: readonly string[], flags: ExecOptions) => {
      if (command[0] === '') throw usageFailure('the command is empty');
      const { exec, processStreams } = await import('./run-exec.ts');
      const { container = null, stdin, tty } = flags;
      const name = pod.replace(/^(pods?|po)\//, '');
      done(await exec(name, { container, stdin, tty, command, ...common(program, flags) }, shell, processStreams()));
    });
}
