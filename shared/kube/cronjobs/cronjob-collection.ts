import type { Context } from 'hono';
import type { ApiDeps } from '../http/api-deps.ts';
import type { Collection } from '../list/collection.ts';
import { type Parsed, ok } from '../http/query.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors/label-selector.ts';
import { CRONJOBS } from '../http/status-error.ts';
import { type Selection, listStored, watchStored } from '../list/stored-objects.ts';
import { CRON_JOB_PRINTER } from './cronjob-printer.ts';
import { followed } from '../feed/watched.ts';

/** The CronJobs of a namespace (null: of all) that match a request's selectors. */
export function selectCronJobs(c: Context, namespace: string | null, { objects, tails }: ApiDeps): Parsed<Collection> {
  const { labelSelector, fieldSelector } = c.req.query();
  const labels = parseLabelSelector(labelSelector);
  if (labels.kind === 'bad') return labels;
  const fields = parseFieldSelector(fieldSelector, ['metadata.name', 'metadata.namespace']);
  if (fields.kind === 'bad') return fields;
  const selection: Selection = {
    kind: 'CronJob',
    apiVersion: 'batch/v1',
    namespace: namespace ?? fields.value.exact('metadata.namespace') ?? null,
    matches: ({ metadata: { name, namespace: home = '', labels: has = {} } }) =>
      labels.value.matches(has) && fields.value.matches({ 'metadata.name': name, 'metadata.namespace': home }),
  };
  return ok({
    resource: CRONJOBS,
    apiVersion: 'batch/v1',
    printer: CRON_JOB_PRINTER,
    list: (page) => listStored(selection, page, objects),
    watch: () => followed(tails.of('CronJob'), watchStored(selection, objects)),
  });
}
