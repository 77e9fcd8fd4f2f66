import type { Command } from 'commander';
import { type Done, common, examples, namespaceOption } from '../../../../cli/shell/command-parts.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';

const EXAMPLES = examples(
  'muster ui                              # all Jobs',
  'muster ui frames                       # one Job: each of its indexes, live',
  'muster ui --no-open                    # print the address only',
);

const EXIT_CODES = `
Exit codes:
  0 the address was printed    1 there is no server, or it has no page    2 invalid command line
`;

type UiOptions = { readonly namespace?: string; readonly open: boolean };

export function addUi(program: Command, shell: Shell, done: Done): void {
  program
    .command('ui')
    .summary('open the page: everything that runs, in a browser')
    .description(
      'Prints the address of the page of the Muster that runs here, or of `muster proxy`, and opens it in a browser. Where users sign ' +
        'in, the address has a link that signs you in: once, within a minute. Do not pass it on.',
    )
    .argument('[job]', 'the Job (default: all Jobs)')
    .addOption(namespaceOption())
    .option('--no-open', 'print the address, and open nothing')
    .addHelpText('after', `${EXAMPLES}${EXIT_CODES}`)
    .action(async (job: string | undefined, { open, ...flags }: UiOptions) => {
      const { showPage } = await import('./show-page.ts');
      const name = job?.replace(/^jobs?(\.batch)?\//, '') ?? null;
      done(await showPage(name, { open, ...common(program, flags) }, shell));
    });
}
