import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { leftOutOf } from '../../shared/domain/manifests/annotations/rows.ts';
import type { CronJob, Job, Labels } from './objects.ts';

/** Labels that the server makes up from the Job's name and uid. */
export const GENERATED_LABELS: ReadonlySet<string> = new Set([
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'controller-uid',
  'job-name',
]);

const without = (map: Labels = {}, drops: (key: string) => boolean): Labels =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !drops(key)));

/**
 * A Job that runs indexes of an old one again, as `muster rerun` makes it.
 *
 * @param indexes those to run; null: all that have not succeeded
 */
export function rerunOf({ metadata, spec }: Job, name: string, indexes: string | null): object {
  const own = new Set(['kubectl.kubernetes.io/last-applied-configuration', ...leftOutOf('rerun')]);
  const { selector, template, ...rest } = spec;
  const isOwnSelector = spec.manualSelector === true;
  const labels = (map?: Labels): Labels => without(map, (key) => !isOwnSelector && GENERATED_LABELS.has(key));
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: metadata.namespace,
      labels: labels(metadata.labels),
      annotations: {
        ...without(metadata.annotations, (key) => own.has(key)),
        [ANNOTATIONS.rerunOf]: metadata.name,
        ...(indexes === null ? {} : { [ANNOTATIONS.indexes]: indexes }),
      },
    },
    spec: {
      ...rest,
      ...(isOwnSelector ? { selector } : {}),
      template: { ...template, metadata: { ...template.metadata, labels: labels(template.metadata?.labels) } },
    },
  };
}

/** A server adds five characters, and a name has 63. */
const PREFIX_CHARS_MAX = 58;

/** A Job of a CronJob's template, now, as `muster cron run-now` and `kubectl create job --from` make it. */
export function jobNow({ metadata, spec }: CronJob): object {
  const suffix = '-manual-';
  const { metadata: ofTemplate = {}, spec: job } = spec.jobTemplate;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      generateName: `${metadata.name.slice(0, PREFIX_CHARS_MAX - suffix.length)}${suffix}`,
      namespace: metadata.namespace,
      ...(ofTemplate.labels === undefined ? {} : { labels: ofTemplate.labels }),
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual', ...ofTemplate.annotations },
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'CronJob', name: metadata.name, uid: metadata.uid, controller: true },
      ],
    },
    spec: job,
  };
}
