import { expect, test } from 'vitest';
import { annotationsOnPage } from '../../../../../test/schema/object/annotations-on-page.ts';
import { ANNOTATION_ROWS } from '../../../../domain/manifests/annotations/rows.ts';
import { CRON_JOB_ANNOTATIONS } from '../../annotations/index.ts';
import { admitCronJob } from '../../schema/cron-admission.ts';
import { isThere } from '../../../../../test/support/kinds-there.ts';

/** What is wrong with one annotation of a CronJob. */
const faultsOf = (key: string, text: string): readonly string[] => {
  const pod = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'any', command: ['a'] }] };
  const admission = admitCronJob(
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'a', annotations: { [key]: text } },
      spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: pod } } } },
    },
    { namespace: 'default', uid: 'u-1', nameSuffix: 'abcde', fieldValidation: 'Strict' },
  );
  const errors = admission.kind === 'invalid' ? admission.errors : [];
  return errors.filter(({ path }) => path === `metadata.annotations[${key}]`).map(({ message }) => message);
};

test.each(Object.values(CRON_JOB_ANNOTATIONS).map(({ key, rule }) => [key, rule] as const))(
  '%s of a CronJob is never empty',
  (key, rule) => {
    expect(faultsOf(key, '')).toEqual([rule]);
  },
);

test.each(ANNOTATION_ROWS.Job.map(({ key }) => key))('%s means nothing on a CronJob itself', (key) => {
  expect(faultsOf(key, 'a')).toEqual([expect.stringContaining('only on Jobs')]);
});

test.runIf(isThere('WorkList'))(
  'the page of manifests has each annotation of Jobs, Pods, and CronJobs once, and no others',
  () => {
    const keys = Object.values(ANNOTATION_ROWS).flatMap((rows) => rows.map(({ key }) => key));
    expect(annotationsOnPage().toSorted()).toEqual(keys.toSorted());
  },
);
