import { type Command, Option } from 'commander';
import { ANNOTATIONS } from '../../../domain/manifests/annotations.ts';
import { NAMINGS } from '../../../domain/manifests/annotations/lists.ts';
import { SIMULATIONS } from '../../lists/cli/simulations.ts';
import { given } from '../../../schema/object/given.ts';
import { usageFailure } from '../../../../cli/shell/failure.ts';
import { moment, wholeNumber } from '../../../../cli/shell/option-values.ts';
import { OBJECT_FORMS, type ObjectForm } from '../../../../cli/render/object-forms.ts';
import type { ListFlags } from '../../../../cli/run-line/line-flags.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';
import { A_SIMULATED } from './simulated-kinds.ts';
import { type Done, examples, listFileOptions } from '../../../../cli/shell/command-parts.ts';

const EXAMPLES = examples(
  'muster simulate -f job.yaml            # every task runs for a second and succeeds',
  'muster simulate -f job.yaml --script fates.yaml',
  'muster simulate -f job.yaml --script fates.yaml -o json | jq .final',
  ...(NAMINGS.length === 0 ? [] : ['muster simulate -f job.yaml --items @runs.csv --header']),
  ...SIMULATIONS.flatMap((each) => each.examples),
  'generate-job | muster simulate -f - --seed 7 --now 2026-03-01T06:00:00Z',
);

type SimulateOptions = {
  readonly file: string;
  readonly script?: string;
  readonly succeeded?: string;
  readonly output: ObjectForm | 'text';
  readonly seed: number;
  readonly now: number;
} & Pick<ListFlags, 'items' | 'header' | 'columns' | 'format' | 'skipEmpty'>;

/** Fixed, so that the same input gives the same bytes. */
const SIMULATED_AT = '2026-01-01T00:00:00Z';

/** `muster simulate`. */
export function addSimulate(program: Command, shell: Shell, done: Done): void {
  const command = program
    .command('simulate')
    .summary(`simulate ${A_SIMULATED} in virtual time`)
    .description(
      [
        'Runs a Job in virtual time, hours in milliseconds: how it ends, when, and why. A script says how its tasks end.',
        ...SIMULATIONS.map(({ kind, shows }) => `Of a ${kind}: ${shows}`),
      ].join('\n'),
    )
    .requiredOption('-f, --file <file>', 'the manifest, YAML or JSON; - reads standard input')
    .option('--script <file>', 'how tasks end, and what users do meanwhile; YAML or JSON')
    .option('--succeeded <indexes>', `for a Job with ${ANNOTATIONS.rerunOf}: what had succeeded there, such as 0-4,7`)
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', ...OBJECT_FORMS]).default('text'));
  for (const { names } of NAMINGS)
    command.option('--items <@file>', `the items of the ${names} that the Job names: .csv, .tsv, .jsonl, or .txt`);
  for (const each of SIMULATIONS) for (const option of each.options()) command.addOption(option);
  command
    .option('--seed <number>', 'names the Pods; the same seed gives the same bytes', wholeNumber(0), 1)
    .addOption(
      new Option(
        '--now <time>',
        `when ${['the Job', ...SIMULATIONS.map(({ kind }) => `or the ${kind},`)].join(', ')} is created`,
      )
        .argParser(moment)
        .default(Date.parse(SIMULATED_AT), SIMULATED_AT),
    );
  for (const option of NAMINGS.length === 0 ? [] : listFileOptions()) command.addOption(option);
  command.addHelpText('after', `${EXAMPLES}${FATES}`).action(async (flags: SimulateOptions) => {
    const { simulate } = await import('./simulate.ts');
    const {
      file,
      script = null,
      succeeded = null,
      output,
      seed,
      now,
      items,
      header,
      columns,
      format,
      skipEmpty,
    } = flags;
    const list = given({ items, header, columns, format, skipEmpty });
    if (items === undefined && Object.keys(list).length > 0)
      throw usageFailure('--header, --columns, --format and --skip-empty are for --items');
    done(await simulate({ file, script, succeeded, output, seed, startMs: now, list, given: flags }, shell));
  });
}

const FATES = `
A script (the first rule that matches a try decides; tries of an index count from 0):
  attempts:
    - {index: "0-3", attempt: 0, run: 5s, exitCode: 1}
    - {index: 7, run: 2m, end: SpotInterruption}
    - {item: "banana.txt", exitCode: 3}
    - {index: "*", run: 10s}
  user:
    - {at: 30s, patch: {spec: {suspend: true}}}
    - {at: 40s, deletePod: {index: 4}}
    - {at: 45s, requeue: "8-11"}
    - {at: 50s, delete: true}
  limits: {launchesPerSecond: 20, startDelay: 15s, stopDelay: 2s}

Exit codes:
  0 the Job is Complete    1 it failed, was deleted, does not end, or a patch is refused    2 bad input
${SIMULATIONS.map(({ kind }) => `  Of a ${kind}: 0 simulated    2 bad input\n`).join('')}`;
