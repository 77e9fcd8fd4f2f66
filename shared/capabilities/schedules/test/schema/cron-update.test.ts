import { describe, expect, it } from 'vitest';
import type { CronJobManifest } from '../../domain/cron-manifest.ts';
import { admitCronJob } from '../../schema/cron-admission.ts';
import { type StoredCronJob, admitCronJobUpdate } from '../../schema/cron-update.ts';
import { fieldErrorText } from '../../../../schema/object/field-error.ts';

const UID = '00000001-0000-4000-8000-000000000000';
const container = { name: 'hello', image: 'busybox' };
const document = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'nightly', generateName: 'night', labels: { a: 'b' }, finalizers: ['example.com/hold'] },
  spec: {
    schedule: '0 3 * * *',
    timeZone: 'Europe/Berlin',
    jobTemplate: { spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } } },
  },
};

const manifestOf = (): CronJobManifest => {
  const context = { namespace: 'default', uid: UID, nameSuffix: 'x7k2p', fieldValidation: 'Strict' } as const;
  const admission = admitCronJob(document, context);
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  return admission.manifest;
};

const stored = (spec: object = {}, deleting = false): StoredCronJob => {
  const manifest = manifestOf();
  return { manifest: { ...manifest, spec: { ...manifest.spec, ...spec } }, uid: UID, deleting };
};

const update = (given: unknown, was = stored()) => admitCronJobUpdate(was, given, { fieldValidation: 'Strict' });

/** What is stored, with these fields instead. */
const changed = (spec: object, metadata: object = {}) => {
  const manifest = manifestOf();
  return { ...manifest, metadata: { ...manifest.metadata, ...metadata }, spec: { ...manifest.spec, ...spec } };
};

const faults = (given: unknown, was?: StoredCronJob): readonly string[] => {
  const admission = update(given, was);
  return admission.kind === 'invalid'
    ? admission.errors.map((f) => `${f.path}: ${fieldErrorText(f)}`)
    : [admission.kind];
};

describe('what an update changes', () => {
  it.each<[string, unknown, 'nothing' | 'metadata' | 'spec']>([
    ['what is stored', changed({}), 'nothing'],
    ['what was sent at first', document, 'nothing'],
    [
      'defaults left out',
      changed({ concurrencyPolicy: undefined, suspend: undefined, failedJobsHistoryLimit: undefined }),
      'nothing',
    ],
    ['a uid and a status', { ...changed({}, { uid: UID, resourceVersion: '7' }), status: { active: [] } }, 'nothing'],
    ['a label', changed({}, { labels: { a: 'c' } }), 'metadata'],
    ['an owner', changed({}, { ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u' }] }), 'metadata'],
    ['no finalizer', changed({}, { finalizers: [] }), 'metadata'],
    ['the schedule', changed({ schedule: '@hourly' }), 'spec'],
    ['suspend', changed({ suspend: true }), 'spec'],
    ['no zone', changed({ timeZone: undefined }), 'spec'],
    ['a policy', changed({ concurrencyPolicy: 'Replace' }), 'spec'],
    ['the Job', changed({ jobTemplate: { spec: { ...document.spec.jobTemplate.spec, parallelism: 2 } } }), 'spec'],
  ])('%s: %s', (_, given, what) => {
    const admission = update(given);
    expect(admission).toMatchObject({ kind: 'ok', changed: what, warnings: [] });
  });

  it('keeps the prefix of the name', () => {
    expect(update(changed({}, { generateName: undefined }))).toMatchObject({
      manifest: { metadata: { generateName: 'night' } },
    });
  });

  it('does not see who manages which field', () => {
    const was = stored();
    const entry = {
      manager: 'm',
      operation: 'Update',
      apiVersion: 'batch/v1',
      time: '',
      fieldsType: 'FieldsV1',
      fieldsV1: {},
    } as const;
    const managed = {
      ...was,
      manifest: { ...was.manifest, metadata: { ...was.manifest.metadata, managedFields: [entry] } },
    };
    expect(update(document, managed)).toMatchObject({ changed: 'nothing' });
  });
});

describe('what an update may not', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['another name', changed({}, { name: 'other' }), ['metadata.name: Invalid value: "other": field is immutable']],
    [
      'another namespace',
      changed({}, { namespace: 'other' }),
      ['metadata.namespace: Invalid value: "other": field is immutable'],
    ],
    ['another uid', changed({}, { uid: 'x' }), ['metadata.uid: Invalid value: "x": field is immutable']],
    ['no schedule', changed({ schedule: '' }), ['spec.schedule: Required value']],
    [
      'a zone in the schedule',
      changed({ schedule: 'TZ=UTC * * * * *' }),
      [
        'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    [
      'no such zone',
      changed({ timeZone: 'Mars/Base' }),
      ['spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base'],
    ],
  ])('%s', (_, given, sentences) => {
    expect(faults(given)).toEqual(sentences);
  });

  it('gain finalizers while the CronJob is being deleted', () => {
    const given = changed({}, { finalizers: ['example.com/more', 'example.com/hold'] });
    expect(update(given)).toMatchObject({ kind: 'ok', changed: 'metadata' });
    expect(faults(given, stored({}, true))).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
    ]);
    expect(update(changed({}, { finalizers: [] }), stored({}, true))).toMatchObject({ kind: 'ok' });
  });

  it('be something else', () => {
    expect(update({ ...document, kind: 'Job' })).toMatchObject({ kind: 'undecodable' });
    expect(update({ ...document, sepc: {} })).toMatchObject({ kind: 'undecodable' });
  });
});

describe('what older Kubernetes took may stay', () => {
  const inSchedule = { schedule: 'TZ=UTC 0 3 * * *', timeZone: undefined };
  const former = stored(inSchedule);
  const warning =
    'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';

  it('a zone in the schedule, with a warning', () => {
    expect(update(changed(inSchedule), former)).toMatchObject({ kind: 'ok', changed: 'nothing', warnings: [warning] });
    const other = changed({ ...inSchedule, schedule: 'CRON_TZ=Asia/Tokyo 0 3 * * *' });
    expect(update(other, former)).toMatchObject({ kind: 'ok', changed: 'spec', warnings: [warning] });
  });

  it('but not beside the field', () => {
    expect(faults(changed({ schedule: inSchedule.schedule }), former)).toEqual([
      'spec.schedule: Invalid value: "TZ=UTC 0 3 * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule',
    ]);
  });

  it('and a zone that is not known any more', () => {
    const lost = { timeZone: 'Mars/Base' };
    expect(update(changed({ ...lost, suspend: true }), stored(lost))).toMatchObject({ kind: 'ok', changed: 'spec' });
  });

  it('a name of 60 characters', () => {
    const was = stored();
    const name = 'n'.repeat(60);
    const longer = { ...was, manifest: { ...was.manifest, metadata: { ...was.manifest.metadata, name } } };
    expect(update(changed({}, { name }), longer)).toMatchObject({ kind: 'ok', changed: 'nothing' });
  });
});

describe('warnings about the Job', () => {
  const slow = { containers: [container], restartPolicy: 'Never', terminationGracePeriodSeconds: 600 };
  const jobTemplate = { spec: { template: { spec: slow } } };

  it('come when the spec changes', () => {
    const warned = [expect.stringMatching(/^spec\.jobTemplate\.spec\.template\.spec\.terminationGracePeriodSeconds: /)];
    expect(update(changed({ jobTemplate }))).toMatchObject({ changed: 'spec', warnings: warned });
    expect(update(changed({ jobTemplate }, { labels: {} }), stored({ jobTemplate }))).toMatchObject({
      changed: 'metadata',
      warnings: [],
    });
  });
});
