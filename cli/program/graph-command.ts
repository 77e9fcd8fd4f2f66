import { type Command, Option } from 'commander';
import { type Done, common, examples, namespaceOption } from '../shell/command-parts.ts';
import { GRAPH_FORMS, type GraphForm } from '../render/graph-forms.ts';
import { jobName } from '../shell/job-names.ts';
import type { Shell } from '../shell/shell.ts';

const EXAMPLES = examples(
  'muster graph                           # every Job that waits or is waited for',
  'muster graph merge                     # a Job, and all that are connected with it',
  'muster graph -o dot | dot -Tsvg > flow.svg',
  'muster graph merge -o mermaid          # for a page on GitHub',
  'muster graph -o json | jq -r \'.jobs[] | select(.state == "held").name\'',
);

type GraphOptions = { readonly namespace?: string; readonly output: GraphForm };

export function addGraph(program: Command, shell: Shell, done: Done): void {
  program
    .command('graph')
    .summary('show which Jobs wait for which')
    .description(
      'Shows the Jobs that wait for other Jobs, and those that are waited for, with their states: those named and all\n' +
        'that are connected with them, or all of the namespace. A Job that is waited for and does not exist is `missing`.',
    )
    .argument('[jobs...]', 'the Jobs', [])
    .addOption(namespaceOption())
    .addOption(new Option('-o, --output <format>', 'how to print').choices(GRAPH_FORMS).default('tree'))
    .addHelpText('after', EXAMPLES)
    .action(async (jobs: string[], flags: GraphOptions) => {
      const { graph } = await import('../commands/graph.ts');
      done(await graph(jobs.map(jobName), { output: flags.output, ...common(program, flags) }, shell));
    });
}
