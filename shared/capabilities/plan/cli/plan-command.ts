import { type Command, Option } from 'commander';
import { OBJECT_FORMS, type ObjectForm } from '../../../../cli/render/object-forms.ts';
import { type Done, examples } from '../../../../cli/shell/command-parts.ts';
import { moment } from '../../../../cli/shell/option-values.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';

const EXAMPLES = examples(
  'muster plan -f dump.json',
  'muster plan -f dump.json --now 2026-01-01T00:00:00Z -o json',
  'muster plan -f dump.json --no-caps     # as if one sync could do everything',
  'kubectl get jobs,pods -l job-name=frames -o json | muster plan',
);

type PlanOptions = {
  readonly file: string;
  readonly now?: number;
  readonly output: ObjectForm | 'text';
  readonly caps: boolean;
};

/** `muster plan`. */
export function addPlan(program: Command, shell: Shell, done: Done): void {
  program
    .command('plan')
    .summary('show what the Job controller would do next')
    .description(
      "Reads a cluster's dump of one Job and its Pods, and says what Kubernetes' controller would do with it.",
    )
    .option('-f, --file <file>', 'the dump, JSON or YAML; - reads standard input', '-')
    .addOption(new Option('--now <time>', 'the moment to plan for (default: the clock)').argParser(moment))
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', ...OBJECT_FORMS]).default('text'))
    .option('--no-caps', "without Kubernetes' limits of 500 Pods per sync")
    .addHelpText('after', EXAMPLES)
    .action(async (flags: PlanOptions) => {
      const { planDump } = await import('./plan-dump.ts');
      const { explainDump } = await import('../domain/explain-dump.ts');
      const { file, now = null, output, caps } = flags;
      done(await planDump({ file, nowMs: now, output, caps }, explainDump, shell));
    });
}
