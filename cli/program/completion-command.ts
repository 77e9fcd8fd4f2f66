import { Argument, type Command } from 'commander';
import { type Done, examples } from '../shell/command-parts.ts';
import { type CompletedShell, COMPLETION_SCRIPTS, SHELLS } from '../completion/completion-scripts.ts';
import { EXIT } from '../shell/failure.ts';
import type { Shell } from '../shell/shell.ts';

const EXAMPLES = examples(
  'muster completion bash                 # the script, for your shell to source',
  "echo 'source <(muster completion bash)' >> ~/.bashrc",
  "echo 'source <(muster completion zsh)' >> ~/.zshrc",
  'muster completion fish > ~/.config/fish/completions/muster.fish',
);

/** `muster completion`, and the hidden `muster complete` that the scripts call. */
export function addCompletion(program: Command, shell: Shell, done: Done): void {
  program
    .command('completion')
    .summary('print a shell completion script')
    .description(
      'Prints a script for a shell to source. Then Tab completes commands, options, their values, and names of Jobs.\n' +
        'It completes `muster`, which must be on the PATH; it does not complete `npx muster`.',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action((name: CompletedShell) => {
      shell.out.write(COMPLETION_SCRIPTS[name]);
      done(EXIT.ok);
    });
  program
    .command('complete [words...]', { hidden: true })
    .description('Prints the completions of a partly typed command line.')
    .action(async (words: string[]) => {
      const { complete } = await import('../completion/complete.ts');
      await complete(program, words, shell);
      done(EXIT.ok);
    });
}
