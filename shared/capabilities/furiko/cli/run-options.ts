import { Option } from 'commander';
import { nameOfKind } from '../../../../cli/shell/job-names.ts';
import { moment } from '../../../../cli/shell/option-values.ts';
import type { RunForm } from '../../../../cli/shell/run-form.ts';
import { CONCURRENCY_POLICIES } from './concurrency-policies.ts';

/** `muster run JOBCONFIG`: a Job of a JobConfig. */
export const RUN_JOB_CONFIG: RunForm = {
  argument: 'JOBCONFIG',
  object: 'a JobConfig',
  options: () => [
    new Option(
      '-O, --option-values <name=value>',
      'an option of JOBCONFIG, or several as a JSON object; repeatable',
    ).argParser(another),
    new Option('--use-default-options', 'ask for nothing: what -O does not say has its default'),
    new Option('--no-interactive', 'the same'),
    new Option('--name <name>', "the new Job's name"),
    new Option(
      '--generate-name <prefix>',
      "of a name that the server completes (default: the JobConfig's and a hyphen)",
    ),
    new Option('-t, --at <time>', 'do not start before this moment').argParser(moment),
    new Option(
      '--concurrency-policy <policy>',
      'if as many run as may: start all the same, be refused, or wait',
    ).choices(CONCURRENCY_POLICIES),
    new Option('--enqueue', '--concurrency-policy Enqueue'),
  ],
  after: 'of a JOBCONFIG: a duration, such as 90s',
  examples: [
    'muster run nightly                         # a Job of the JobConfig nightly; asks for its options',
    'muster run nightly -O region=eu -O dry=true --wait',
  ],
  async run(text, given, flags, shell) {
    const config = nameOfKind('JobConfig', text);
    const { wantedJob } = await import('./wanted-job.ts');
    const { runConfig } = await import('./run-config.ts');
    return runConfig(config, { ...wantedJob(given, shell.now()), ...flags }, shell);
  },
};

const another = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
