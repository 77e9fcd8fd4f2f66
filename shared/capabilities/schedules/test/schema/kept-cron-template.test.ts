import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { POD, anyTemplate, asBefore, holds } from '../../../../../test/schema/job/any-template.ts';
import { UID } from '../../../../../test/support/job-document.ts';
import { draws } from '../../../../../test/verify/draws.ts';
import type { CronJobManifest } from '../../domain/cron-manifest.ts';
import { admitCronJob } from '../../schema/cron-admission.ts';
import { admitCronJobUpdate } from '../../schema/cron-update.ts';

const RUNS = { numRuns: draws(1000), seed: 7 };

const cronJobOf = (pod: object): CronJobManifest => {
  const admission = admitCronJob(
    {
      metadata: { name: 'nightly' },
      spec: { schedule: '@daily', jobTemplate: { metadata: { name: 'x', labels: {} }, spec: { template: pod } } },
    },
    { namespace: 'default', uid: UID, nameSuffix: 'x7k2z', fieldValidation: 'Strict' },
  );
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  return admission.manifest;
};

const putCronJob = (manifest: CronJobManifest, document: object = manifest) =>
  admitCronJobUpdate({ manifest, uid: UID, deleting: false }, document, { fieldValidation: 'Strict' });

describe('a PUT of what is shown changes nothing', () => {
  test('of any CronJob that is admitted, which is stored as it was written', () => {
    const seen = new Set<string>();
    const isKept = (pod: object): boolean => {
      seen.add(JSON.stringify(pod));
      const cronJob = cronJobOf(pod);
      const again = putCronJob(cronJob);
      return (
        again.kind === 'ok' &&
        again.changed === 'nothing' &&
        isDeepStrictEqual(again.manifest, cronJob) &&
        holds(cronJob.spec.jobTemplate.spec.template, pod)
      );
    };
    fc.assert(fc.property(anyTemplate, isKept), RUNS);
    expect(seen.size).toBeGreaterThan(draws(900));
  });

  test('of one from before defaults and what changes nothing were stored', () => {
    const seen = new Set<string>();
    const isSame = (pod: object): boolean => {
      const cronJob = cronJobOf(pod);
      const { template } = cronJob.spec.jobTemplate.spec;
      const jobTemplate = { metadata: {}, spec: { template: { ...asBefore(template), metadata: {} } } };
      const before = { ...cronJob, spec: { ...cronJob.spec, jobTemplate } };
      if (!isDeepStrictEqual(before, cronJob)) seen.add(JSON.stringify(before));
      const again = putCronJob(before);
      return again.kind === 'ok' && again.changed === 'nothing';
    };
    fc.assert(fc.property(anyTemplate, isSame), RUNS);
    expect(seen.size).toBeGreaterThan(draws(300));
  });

  test('by a client that writes Go, which leaves out zeroes and has its own way with quantities', () => {
    const pod = (main: object, fields: object = {}) => ({
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', ...main }], ...fields },
    });
    const written = pod(
      { tty: false, env: [{ name: 'A', value: '' }], resources: { limits: { cpu: '0.5', memory: '1024Mi' } } },
      { hostNetwork: false, tolerations: [] },
    );
    const sent = pod({ env: [{ name: 'A' }], resources: { limits: { cpu: '500m', memory: '1Gi' } } });
    expect(putCronJob(cronJobOf(written), cronJobOf(sent))).toMatchObject({ kind: 'ok', changed: 'nothing' });
  });
});

test.each<[string, object]>([
  ['imagePullPolicy', { containers: [{ ...POD.containers[0], imagePullPolicy: 'IfNotPresent' }] }],
  ['enableServiceLinks', { enableServiceLinks: false }],
  ['automountServiceAccountToken', { automountServiceAccountToken: false }],
  ['os', { os: { name: 'linux' } }],
])('%s is part of the template, and a change of it is one', (_, fields) => {
  const cronJob = cronJobOf({ spec: POD });
  expect(putCronJob(cronJob, cronJobOf({ spec: { ...POD, ...fields } }))).toMatchObject({
    kind: 'ok',
    changed: 'spec',
  });
});
