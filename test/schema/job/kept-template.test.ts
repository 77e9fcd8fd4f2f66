import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JobManifest } from '../../../shared/domain/manifests/manifest.ts';
import { taskDefinitionOf } from '../../../shared/domain/task/pod-template.ts';
import { admitJobUpdate, documentOf } from '../../../shared/schema/job/job-update.ts';
import { UID, admitted, faultLines, jobDocument } from '../../support/job-document.ts';
import { POD, anyTemplate, asBefore, holds } from './any-template.ts';
import { draws } from '../../verify/draws.ts';

const RUNS = { numRuns: draws(1000), seed: 7 };

const jobOf = (pod: object): JobManifest => admitted(jobDocument({ template: pod })).manifest;
const putJob = (manifest: JobManifest, document: object = documentOf({ manifest, uid: UID })) =>
  admitJobUpdate({ manifest, uid: UID, started: true, deleting: false }, document, { fieldValidation: 'Strict' });
describe('a PUT of what is shown changes nothing', () => {
  test('of any Job that is admitted, which is stored as it was written', () => {
    const seen = new Set<string>();
    const isKept = (pod: object): boolean => {
      seen.add(JSON.stringify(pod));
      const job = jobOf(pod);
      const again = putJob(job);
      return (
        again.kind === 'ok' &&
        again.changed === 'nothing' &&
        isDeepStrictEqual(again.manifest, job) &&
        holds(job.spec.template, pod)
      );
    };
    fc.assert(fc.property(anyTemplate, isKept), RUNS);
    expect(seen.size).toBeGreaterThan(draws(900));
  });

  test('of one from before defaults and what changes nothing were stored', () => {
    const seen = new Set<string>();
    const isSame = (pod: object): boolean => {
      const job = jobOf(pod);
      const before = { ...job, spec: { ...job.spec, template: asBefore(job.spec.template) } };
      if (!isDeepStrictEqual(before, job)) seen.add(JSON.stringify(before));
      const again = putJob(before);
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
    const job = jobOf(written);
    const other = jobOf(sent);
    expect(putJob(job, documentOf({ manifest: other, uid: UID }))).toMatchObject({ kind: 'ok', changed: 'nothing' });
    const more = jobOf(pod({ resources: { limits: { cpu: '501m', memory: '1Gi' } }, env: [{ name: 'A' }] }));
    expect(putJob(job, documentOf({ manifest: more, uid: UID }))).toMatchObject({ kind: 'invalid' });
  });
});

test.each<[string, object]>([
  ['imagePullPolicy', { containers: [{ ...POD.containers[0], imagePullPolicy: 'IfNotPresent' }] }],
  ['enableServiceLinks', { enableServiceLinks: false }],
  ['automountServiceAccountToken', { automountServiceAccountToken: false }],
  ['os', { os: { name: 'linux' } }],
])('%s is part of the template, which is immutable, though it changes nothing', (_, fields) => {
  const manifest = jobOf({ spec: POD });
  const document = documentOf({ manifest, uid: UID });
  const { template: was } = document.spec;
  const next = { ...document, spec: { ...document.spec, template: { ...was, spec: { ...was.spec, ...fields } } } };
  expect(faultLines(putJob(manifest, next))).toEqual([
    expect.stringMatching(/^spec\.template: Invalid value: .*: field is immutable$/s),
  ]);
});

test.each([{ hostNetwork: {} }, { hostAliases: {} }, { overhead: [] }, { preemptionPolicy: [] }])(
  'what no client could read is left out: %j',
  (fields) => {
    expect(jobOf({ spec: { ...POD, ...fields } })).toEqual(jobOf({ spec: POD }));
  },
);

test('a limit stands for a request in a variable, though it is stored as a limit only; a divisor is shown', () => {
  const env = [{ name: 'CPUS', valueFrom: { resourceFieldRef: { resource: 'requests.cpu' } } }];
  const resources = { limits: { cpu: '1500m' } };
  const job = jobOf({ spec: { ...POD, containers: [{ name: 'main', image: 'busybox', env, resources }] } });
  const [main] = job.spec.template.spec.containers;
  expect(main).toMatchObject({ env: [{ valueFrom: { resourceFieldRef: { divisor: '0' } } }] });
  expect(main?.resources).toEqual(resources);
  const definition = taskDefinitionOf(job, { hash: () => 'same' });
  expect(definition.containers[0]?.environment).toContainEqual({ name: 'CPUS', value: '2' });
});

test.each<[object, string]>([
  [{ serviceAccountName: 'a' }, 'a'],
  [{ serviceAccount: 'b' }, 'b'],
  [{ serviceAccountName: '', serviceAccount: 'b' }, 'b'],
  [{ serviceAccountName: 'a', serviceAccount: 'b' }, 'a'],
])('%j is shown under both names', (said, name) => {
  const { serviceAccountName, serviceAccount } = jobOf({ spec: { ...POD, ...said } }).spec.template.spec;
  expect([serviceAccountName, serviceAccount]).toEqual([name, name]);
});

test('the defaults of a template take less than a kilobyte', () => {
  const { spec } = jobOf({ spec: POD }).spec.template;
  expect(JSON.stringify(spec).length - JSON.stringify(POD).length).toBeLessThan(400);
});
