import { Option } from 'commander';
import type { LineForm } from '../../../../cli/run-line/line-form.ts';
import { usageFailure } from '../../../../cli/shell/failure.ts';

/** `muster run NAME --schedule CRON … -- COMMAND`: a CronJob that makes the line's Jobs. */
export const SCHEDULED_LINE: LineForm = {
  options: () => [
    new Option('--schedule <cron>', 'creates a CronJob; in UTC, unless --timezone names another zone'),
    new Option('--timezone <zone>', 'with --schedule: by whose clock, such as Europe/Berlin'),
  ],
  isAsked: ({ schedule }) => schedule !== undefined,
  refuse({ schedule, timezone, wait, replace, allowEmpty }) {
    if (schedule !== undefined && wait === true) throw usageFailure('--schedule creates a CronJob: --wait is for Jobs');
    if (timezone !== undefined && schedule === undefined) throw usageFailure('--timezone needs --schedule');
    if (schedule !== undefined && replace === true)
      throw usageFailure(
        '--schedule creates a CronJob: --replace is for Jobs; --dry-run=client -o yaml | kubectl apply -f - changes one',
      );
    if (schedule !== undefined && allowEmpty === true)
      throw usageFailure('--allow-empty is for a Job: a CronJob keeps the list that it is created with');
  },
  resource: 'cronjob.batch',
  objectOf({ apiVersion, metadata: { name, annotations }, spec }, { schedule, timezone }) {
    const jobTemplate = { ...(annotations === undefined ? {} : { metadata: { annotations } }), spec };
    const zone = timezone === undefined ? {} : { timeZone: timezone };
    return { apiVersion, kind: 'CronJob', metadata: { name }, spec: { schedule, ...zone, jobTemplate } };
  },
  async create(object, flags, shell) {
    const { createCronJob } = await import('./create-cron-job.ts');
    return createCronJob(object, flags, shell);
  },
};
