import { Argument, type Command } from 'commander';
import { type Done, examples } from './command-parts.ts';
import { type CompletedShell, COMPLETION_SCRIPTS, SHELLS } from './completion-scripts.ts';
import { EXIT } from './failure.ts';
import type { Shell } from './shell.ts';

const EXAMPLES = examples(
  'muster completion bash                 # the script; the shell that asks is to source it',
  "echo 'source <(muster completion bash)' >> ~/.bashrc",
  "echo 'source <(muster completion zsh)' >> ~/.zshrc",
  'muster completion fish > ~/.config/fish/completions/muster.fish',
);

/** `muster completion`, and the hidden `muster complete` that its scripts call. */
export function addCompletion(program: Command, shell: Shell, done: Done): void {
  program
    .command('completion')
    .summary('print what lets the Tab key complete command lines')
    .description(
      'Prints a script for a shell to source. Then Tab completes commands, options, their values, and names of Jobs.\n' +
        'It completes `muster`, so that must be on the PATH; `npx muster` is not completed.',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action((name: CompletedShell) => {
      shell.out.write(COMPLETION_SCRIPTS[name]);
      done(EXIT.ok);
    });
  program
    .command('complete [words...]', { hidden: true })
    .description('Prints what may stand where a command line is being typed.')
    .action(async (words: string[]) => {
      const { complete } = await import('./commands/complete.ts');
      await complete(program, words, shell);
      done(EXIT.ok);
    });
}
