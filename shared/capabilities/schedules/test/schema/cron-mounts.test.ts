import { expect, test } from 'vitest';
import { fieldErrorText } from '../../../../schema/object/field-error.ts';
import { admitCronJob } from '../../schema/cron-admission.ts';
import { admitCronJobUpdate } from '../../schema/cron-update.ts';

const VOLUMES = 'spec.jobTemplate.spec.template.spec.volumes[0]';
const MOUNT = 'spec.jobTemplate.spec.template.spec.containers[0].volumeMounts[0]';
const CONTEXT = { namespace: 'default', uid: 'uid-1', nameSuffix: 'x7k2z', fieldValidation: 'Strict' } as const;

const aCron = (source: object, mount: object = {}) => {
  const volumeMounts = [{ name: 'v', mountPath: '/v', ...mount }];
  const containers = [{ name: 'main', image: 'i', volumeMounts, env: [{ name: 'TEAM', value: 'red' }] }];
  const spec = { restartPolicy: 'Never', containers, volumes: [{ name: 'v', ...source }] };
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'nightly' },
    spec: { schedule: '@daily', jobTemplate: { spec: { template: { spec } } } },
  };
};

const admit = (document: object, hostFolders: readonly string[] | null) =>
  admitCronJob(document, { ...CONTEXT, hostFolders });
const linesOf = (admission: ReturnType<typeof admit>) =>
  admission.kind === 'invalid'
    ? admission.errors.map((fault) => `${fault.path}: ${fieldErrorText(fault)}`)
    : [admission.kind];

test('what its Jobs could not mount on Fargate is refused with the CronJob, new or changed', () => {
  const config = aCron({ configMap: { name: 'c' } }, { subPath: 'app.conf' });
  const refused = [expect.stringMatching(/subPath: .*Fargate mounts no single file$/)];
  expect(linesOf(admit(config, null))).toEqual(refused);
  expect(linesOf(admit(config, []))).toEqual(['ok']);

  const former = admit(aCron({ configMap: { name: 'c' } }), null);
  if (former.kind !== 'ok') throw new Error(linesOf(former).join());
  const stored = { manifest: former.manifest, uid: 'uid-1', deleting: false };
  const change = admitCronJobUpdate(stored, config, { fieldValidation: 'Strict' });
  expect(change.kind === 'invalid' ? change.errors.map(({ path }) => path) : change.kind).toEqual([`${MOUNT}.subPath`]);
});

test('its variables are known where a folder is named by them', () => {
  const claim = { persistentVolumeClaim: { claimName: 'c' } };
  expect(linesOf(admit(aCron(claim, { subPathExpr: 'of/$(TEAM)' }), null))).toEqual(['ok']);
  expect(linesOf(admit(aCron(claim, { subPathExpr: '$(JOB_COMPLETION_INDEX)' }), null))).toEqual([
    expect.stringContaining(`${MOUNT}.subPathExpr: Forbidden`),
  ]);
});

test('this machine mounts nothing over NFS', () => {
  const nfs = aCron({ nfs: { server: 'fs-01234567.efs.eu-west-1.amazonaws.com', path: '/' } });
  expect(linesOf(admit(nfs, null))).toEqual(['ok']);
  expect(linesOf(admit(nfs, []))).toEqual([expect.stringContaining(`${VOLUMES}.nfs: Forbidden`)]);
});
