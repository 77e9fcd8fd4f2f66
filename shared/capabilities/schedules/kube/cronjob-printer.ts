import type { KubeObject } from '../../../kube/http/kube-object.ts';
import { ageOf } from '../../../kube/list/ages.ts';
import { CONTAINER_COLUMNS, type Selector, containerCells } from '../../../kube/list/container-cells.ts';
import { AGE, NAME, type Printer, count, flag, text } from '../../../kube/list/printer.ts';
import { at, listed, words } from '../../../kube/list/stored-field.ts';

/** CronJobs as rows (Kubernetes 1.34's printCronJob). */
export const CRON_JOB_PRINTER: Printer<KubeObject> = {
  columns: [
    NAME,
    text('Schedule', 'When it makes Jobs, in the form of cron.'),
    text('Timezone', 'Where the clock stands that the schedule is read by.'),
    flag('Suspend', 'Whether it makes no Jobs for now.'),
    count('Active', 'How many of its Jobs have not ended.'),
    text('Last Schedule', 'Time since it made a Job last.'),
    AGE,
    ...CONTAINER_COLUMNS,
  ],
  cells: (cron, now) => {
    const lastAt = at(cron, 'status', 'lastScheduleTime');
    const job = at(cron, 'spec', 'jobTemplate', 'spec');
    return [
      cron.metadata.name,
      words(at(cron, 'spec', 'schedule')),
      words(at(cron, 'spec', 'timeZone')) || '<none>',
      yesOrNo(at(cron, 'spec', 'suspend')),
      listed(at(cron, 'status', 'active')).length,
      typeof lastAt === 'string' ? ageOf(lastAt, now) : '<none>',
      ageOf(cron.metadata.creationTimestamp, now),
      ...containerCells(containersOf(at(job, 'template', 'spec', 'containers')), selectorOf(at(job, 'selector'))),
    ];
  },
};

const yesOrNo = (value: unknown): string => (value === true ? 'True' : value === false ? 'False' : '<unset>');

const containersOf = (value: unknown) =>
  listed(value).map((each) => ({ name: words(at(each, 'name')), image: words(at(each, 'image')) }));

function selectorOf(value: unknown): Selector {
  const labels = at(value, 'matchLabels');
  const pairs = typeof labels === 'object' && labels !== null ? Object.entries(labels) : [];
  return {
    matchLabels: Object.fromEntries(pairs.map(([key, label]) => [key, words(label)])),
    matchExpressions: listed(at(value, 'matchExpressions')).map((each) => ({
      key: words(at(each, 'key')),
      operator: words(at(each, 'operator')),
      values: listed(at(each, 'values')).map(words),
    })),
  };
}
