import { expect, test } from 'vitest';
import { claim, storageClass, volume } from '../storage-documents.ts';
import { CLAIMS, CLASSES, VOLUMES, aStorageWorld, shown } from './a-storage-world.ts';

// Where Muster departs from Kubernetes' letter; docs/departures.md has a row for each test here.

test('no class makes volumes but that of a machine', async () => {
  for (const place of ['aws', 'machine'] as const) {
    const world = await aStorageWorld(place);
    await world.post(CLASSES, storageClass('efs-sc'));
    const data = await shown(world.post(CLAIMS, claim('data', { storageClassName: 'efs-sc' })));
    expect(data).toMatchObject({ status: { phase: 'Pending' } });
    const { items } = (await world.show('/api/v1/events')) as unknown as { items: { message: string }[] };
    expect(items.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Muster makes no volumes for provisioner "efs\.csi\.aws\.com".*create a PersistentVolume/),
    ]);
    const own = await shown(world.post(CLAIMS, claim('own', { storageClassName: 'standard' })));
    expect(own).toMatchObject({ status: { phase: place === 'machine' ? 'Bound' : 'Pending' } });
  }
});

test('a PersistentVolume is what a task can mount', async () => {
  const world = await aStorageWorld();
  const statusOf = async (spec: object): Promise<number> =>
    (await world.post(VOLUMES, volume('v', { csi: undefined, ...spec }))).status;
  expect(await statusOf({ iscsi: { targetPortal: 'a', iqn: 'b', lun: 0 } })).toBe(422);
  expect(await statusOf({ csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' } })).toBe(422);
  expect(await statusOf({ hostPath: { path: '/srv' } })).toBe(422);
  expect(await statusOf({ nfs: { server: 'fs-01234567.efs.us-east-1.amazonaws.com', path: '/' } })).toBe(201);
  const machine = await aStorageWorld('machine');
  const onMachine = async (path: string): Promise<number> =>
    (await machine.post(VOLUMES, volume(`v${path.replaceAll('/', '-')}`, { csi: undefined, hostPath: { path } })))
      .status;
  expect([await onMachine('/srv/a'), await onMachine('/etc')]).toEqual([201, 422]);
});

test('what is in use is deleted at once', async () => {
  const world = await aStorageWorld();
  await world.post(VOLUMES, volume('shared', {}, { finalizers: ['kubernetes.io/pv-protection'] }));
  await world.post(CLAIMS, claim('data', {}, { finalizers: ['kubernetes.io/pvc-protection'] }));
  expect((await world.remove(`${VOLUMES}/shared`)).status).toBe(200);
  expect((await world.get(`${VOLUMES}/shared`)).status).toBe(404);
  expect(await world.show(`${CLAIMS}/data`)).toMatchObject({ status: { phase: 'Lost' } });
  await world.remove(`${CLAIMS}/data`);
  expect((await world.get(`${CLAIMS}/data`)).status).toBe(404);
});

test('WaitForFirstConsumer binds at once', async () => {
  const world = await aStorageWorld();
  await world.post(CLASSES, storageClass('late', { volumeBindingMode: 'WaitForFirstConsumer' }));
  await world.post(VOLUMES, volume('v', { storageClassName: 'late' }));
  expect(await shown(world.post(CLAIMS, claim('data', { storageClassName: 'late' })))).toMatchObject({
    status: { phase: 'Bound' },
  });
});

test('a claim keeps its size', async () => {
  const world = await aStorageWorld();
  await world.post(VOLUMES, volume('v'));
  await world.post(CLAIMS, claim('data'));
  const larger = await world.patch(`${CLAIMS}/data`, { spec: { resources: { requests: { storage: '2Gi' } } } });
  expect([larger.status, await larger.text()]).toEqual([422, expect.stringContaining('a claim keeps its size')]);
});
