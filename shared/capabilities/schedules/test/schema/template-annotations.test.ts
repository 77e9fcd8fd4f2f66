import { describe, expect, test } from 'vitest';
import { admitCronJob } from '../../schema/cron-admission.ts';

const CONTEXT = {
  namespace: 'default',
  uid: 'u-1',
  nameSuffix: 'abcde',
  fieldValidation: 'Strict',
  hosts: { max: 2000 },
} as const;
type Texts = Readonly<Record<string, string>>;

/** The faults of a CronJob whose Jobs have these annotations; none: it is admitted. */
const faultsOf = (annotations: Texts, { subdomain, ...spec }: Readonly<Record<string, unknown>>) => {
  const pod = {
    restartPolicy: 'Never',
    ...(subdomain === undefined ? {} : { subdomain }),
    containers: [{ name: 'main', image: 'any', command: ['a'] }],
  };
  const jobTemplate = { metadata: { annotations }, spec: { ...spec, template: { spec: pod } } };
  const document = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'a' },
    spec: { schedule: '@daily', jobTemplate },
  };
  const admission = admitCronJob(document, CONTEXT);
  if (admission.kind === 'undecodable') throw new Error(admission.message);
  return admission.kind === 'ok' ? [] : admission.errors.map(({ path, message }) => `${path}: ${message}`);
};
const at = (key: string): string => `spec.jobTemplate.metadata.annotations[${key}]`;

const INDEXED = { completions: 3, completionMode: 'Indexed' };
const TIMES = {
  'muster.run/retry-delay-seconds': '5',
  'muster.run/index-deadline': '1h30m',
  'muster.run/success-first': 'true',
};
const GANG = 'muster.run/gang';
const AFTER = 'muster.run/after';
const AFTER_INDEXES = 'muster.run/after-indexes';

describe('annotations of a CronJob’s Jobs have the rules of those of Jobs, with their paths', () => {
  test('what they need is there', () => {
    const policy = { successPolicy: { rules: [{ succeededCount: 1 }] } };
    expect(faultsOf(TIMES, { ...INDEXED, backoffLimitPerIndex: 1, ...policy })).toEqual([]);
    expect(faultsOf({ [AFTER]: 'prepare' }, INDEXED)).toEqual([]);
    expect(faultsOf({ [GANG]: 'all' }, { ...INDEXED, parallelism: 3, subdomain: 'workers' })).toEqual([]);
  });

  test.each<[string, Texts, Readonly<Record<string, unknown>>, readonly string[]]>([
    [
      'a limit for each index, and a success policy',
      TIMES,
      INDEXED,
      [
        `${at('muster.run/retry-delay-seconds')}: needs spec.backoffLimitPerIndex: the delay is that of each index`,
        `${at('muster.run/index-deadline')}: needs spec.backoffLimitPerIndex: without it, no index can fail for good while its Job goes on`,
        `${at('muster.run/success-first')}: needs spec.successPolicy, muster.run/success-percent, or muster.run/success-count`,
      ],
    ],
    [
      'no more successes than indexes',
      { 'muster.run/success-count': '11' },
      { completions: 10, completionMode: 'Indexed' },
      [`${at('muster.run/success-count')}: must be less than or equal to 10 (the number of specified completions)`],
    ],
    [
      'known conditions, and numbers',
      { [AFTER]: 'a:b', [AFTER_INDEXES]: 'map/0' },
      INDEXED,
      [expect.stringContaining('"b" is no condition'), expect.stringContaining('"0" is no number')],
    ],
    [
      'all indexes of a gang at once',
      { [GANG]: 'all' },
      { ...INDEXED, parallelism: 1, subdomain: 'workers' },
      [expect.stringMatching(/^spec\.jobTemplate\..*parallelism/)],
    ],
  ])('%s', (_, annotations, spec, faults) => {
    expect(faultsOf(annotations, spec)).toEqual(faults);
  });
});
