import { Option } from 'commander';
import { duration, wholeNumber } from '../../../../cli/shell/option-values.ts';
import { usageFailure } from '../../../../cli/shell/failure.ts';
import type { SimulatedKind } from '../../../../cli/shell/simulated-kind.ts';

/** Ten years. */
const DAYS_MAX = 3_660;

/** `muster simulate` of a CronJob. */
export const SIMULATED_CRON_JOB: SimulatedKind = {
  kind: 'CronJob',
  options: () => [
    new Option('--days <number>', 'of a CronJob: how long (default: 30)').argParser(wholeNumber(1, DAYS_MAX)),
    new Option('--job-takes <duration>', 'of a CronJob: how long each Job takes (default: 1m)').argParser(duration),
  ],
  shows: 'which slots get a Job, late or in time, which are skipped, and why.',
  examples: ['muster simulate -f cronjob.yaml --days 90 --job-takes 25m'],
  refuse({ days, jobTakes, script }, isAsked) {
    if (!isAsked && (days !== undefined || jobTakes !== undefined))
      throw usageFailure('--days and --job-takes are for a CronJob');
    if (script !== undefined && jobTakes !== undefined)
      throw usageFailure('--script says how long the Jobs take: it cannot be combined with --job-takes');
  },
  async run(simulated, { days, jobTakes }, shell) {
    const { simulateCronFile } = await import('./simulate-cron-file.ts');
    return simulateCronFile(simulated, { days: numberOr(days), takesMs: numberOr(jobTakes) }, shell);
  },
};

/** null: the option is not given. */
const numberOr = (value: unknown): number | null => (typeof value === 'number' ? value : null);
