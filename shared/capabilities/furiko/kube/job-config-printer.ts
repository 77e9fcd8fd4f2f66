import type { KubeObject } from '../../../kube/http/kube-object.ts';
import { ageOf } from '../../../kube/list/ages.ts';
import { AGE, NAME, type Printer, count, text } from '../../../kube/list/printer.ts';
import { at, listed, words } from '../../../kube/list/stored-field.ts';

/** JobConfigs as rows: the columns of Furiko's custom resource. */
export const JOB_CONFIG_PRINTER: Printer<KubeObject> = {
  columns: [
    NAME,
    AGE,
    text('State', 'Whether it is ready, or what its Jobs do.'),
    count('Active', 'How many of its Jobs are active.'),
    count('Queued', 'How many of its Jobs wait for their turn.'),
    text('Last Executed', 'Time since a Job of it started last.'),
    text('Last Scheduled', 'Time since the latest slot of its schedule that had a Job.'),
    text('Cron Schedule', 'When it makes Jobs, in the form of cron.'),
    text('Timezone', 'Where the clock stands that the schedule is read by.'),
  ],
  cells: (config, now) => {
    const status = (key: string): unknown => at(config, 'status', key);
    const cron = at(config, 'spec', 'schedule', 'cron');
    const since = (time: unknown): string => (typeof time === 'string' ? ageOf(time, now) : '');
    const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
    return [
      config.metadata.name,
      ageOf(config.metadata.creationTimestamp, now),
      words(status('state')),
      numberOf(status('active')),
      numberOf(status('queued')),
      since(status('lastExecuted')),
      since(status('lastScheduled')),
      words(at(cron, 'expression')) || listed(at(cron, 'expressions')).map(words).join(', '),
      words(at(cron, 'timezone')),
    ];
  },
};
