import { expect, test } from 'vitest';
import { createClaimReader } from '../../control/index.ts';
import type { ClaimVolume } from '../../../../domain/task/volumes/claim-volume.ts';
import { CLAIMS, VOLUMES, aStorageWorld } from '../kube/a-storage-world.ts';
import { claim, volume } from '../storage-documents.ts';

const EFS = { kind: 'efs', fileSystemId: 'fs-0123456789abcdef0', rootDirectory: '/', accessPointId: null } as const;

test.each<[string, object, ClaimVolume]>([
  ['a file system', {}, { ...EFS, transitEncryption: true, iam: false, readOnly: false }],
  [
    'a folder of one, read by all',
    { csi: { driver: 'efs.csi.aws.com', volumeHandle: 'fs-0123456789abcdef0:/a/b', readOnly: true } },
    { ...EFS, rootDirectory: '/a/b', transitEncryption: true, iam: false, readOnly: true },
  ],
  [
    'an access point, by the role of the task',
    {
      csi: { driver: 'efs.csi.aws.com', volumeHandle: 'fs-0123456789abcdef0::fsap-0123456789abcdef0' },
      mountOptions: ['tls', 'iam'],
    },
    { ...EFS, accessPointId: 'fsap-0123456789abcdef0', transitEncryption: true, iam: true, readOnly: false },
  ],
  [
    'a file system without encryption',
    {
      csi: {
        driver: 'efs.csi.aws.com',
        volumeHandle: 'fs-0123456789abcdef0',
        volumeAttributes: { encryptInTransit: 'false' },
      },
    },
    { ...EFS, transitEncryption: false, iam: false, readOnly: false },
  ],
  [
    'NFS',
    { csi: undefined, nfs: { server: 'fs-0123456789abcdef0.efs.us-east-1.amazonaws.com', path: '/x' } },
    { ...EFS, rootDirectory: '/x', transitEncryption: true, iam: false, readOnly: false },
  ],
  [
    'S3 Files',
    { csi: { driver: 'efs.csi.aws.com', volumeHandle: 's3files:fs-0123456789abcdef0:/a' } },
    { kind: 's3files', fileSystemId: EFS.fileSystemId, rootDirectory: '/a', accessPointId: null, readOnly: false },
  ],
])('a claim of %s', async (_name, spec, expected) => {
  const world = await aStorageWorld();
  expect((await world.post(VOLUMES, volume('v', spec))).status).toBe(201);
  await world.post(CLAIMS, claim('data'));
  const key = { namespace: 'default', name: 'data' };
  expect(await createClaimReader(world.deps).read(key)).toEqual(expected);
});

test('a claim of a folder', async () => {
  const world = await aStorageWorld('machine');
  await world.post(CLAIMS, claim('data'));
  const made = await createClaimReader(world.deps).read({ namespace: 'default', name: 'data' });
  expect(made).toMatchObject({ kind: 'folder', path: [...world.folders.there][0], readOnly: false });
  const host = volume('host', { csi: undefined, hostPath: { path: '/srv/a' }, storageClassName: 'host' });
  expect((await world.post(VOLUMES, host)).status).toBe(201);
  await world.post(CLAIMS, claim('own', { storageClassName: 'host' }));
  expect(await createClaimReader(world.deps).read({ namespace: 'default', name: 'own' })).toEqual({
    kind: 'folder',
    path: '/srv/a',
    readOnly: false,
  });
});

test('what a Pod waits for, in the words of a scheduler', async () => {
  const world = await aStorageWorld();
  const read = async () => createClaimReader(world.deps).read({ namespace: 'default', name: 'data' });
  expect(await read()).toEqual({ kind: 'unbound', reason: 'persistentvolumeclaim "data" not found' });
  await world.post(CLAIMS, claim('data'));
  expect(await read()).toEqual({ kind: 'unbound', reason: 'pod has unbound immediate PersistentVolumeClaims' });
  await world.post(VOLUMES, volume('v'));
  await world.remove(`${VOLUMES}/v`);
  expect(await read()).toEqual({
    kind: 'unbound',
    reason: 'persistentvolumeclaim "data" bound to non-existent persistentvolume "v"',
  });
});
