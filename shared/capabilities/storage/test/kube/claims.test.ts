import { describe, expect, test } from 'vitest';
import { sweepStorage } from '../../control/index.ts';
import { claim, storageClass, volume } from '../storage-documents.ts';
import { CLAIMS, CLASSES, VOLUMES, aStorageWorld, shown } from './a-storage-world.ts';

describe('a claim on AWS', () => {
  test('is bound as soon as it is created, if a volume fits', async () => {
    const world = await aStorageWorld();
    expect(await shown(world.post(VOLUMES, volume('shared')))).toMatchObject({ status: { phase: 'Available' } });
    expect(await shown(world.post(CLAIMS, claim('data')))).toMatchObject({
      metadata: {
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' },
      },
      spec: { volumeName: 'shared', volumeMode: 'Filesystem' },
      status: { phase: 'Bound', capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce', 'ReadWriteMany'] },
    });
    expect(await world.show(`${VOLUMES}/shared`)).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      spec: { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data' } },
      status: { phase: 'Bound' },
    });
  });

  test('is bound when its volume comes', async () => {
    const world = await aStorageWorld();
    expect(await shown(world.post(CLAIMS, claim('data')))).toMatchObject({ status: { phase: 'Pending' } });
    expect(await shown(world.post(VOLUMES, volume('shared')))).toMatchObject({ status: { phase: 'Bound' } });
    expect(await world.show(`${CLAIMS}/data`)).toMatchObject({ status: { phase: 'Bound' } });
  });

  test('gets the volume that is kept for it', async () => {
    const world = await aStorageWorld();
    await world.post(VOLUMES, volume('a'));
    await world.post(VOLUMES, volume('kept', { claimRef: { namespace: 'default', name: 'data' } }));
    expect(await shown(world.post(CLAIMS, claim('data')))).toMatchObject({ spec: { volumeName: 'kept' } });
    expect((await world.show(`${VOLUMES}/kept`)).metadata).not.toHaveProperty('annotations');
  });

  test('has its volume for itself', async () => {
    const world = await aStorageWorld();
    await world.post(VOLUMES, volume('shared'));
    await Promise.all(['a', 'b', 'c'].map(async (name) => world.post(CLAIMS, claim(name))));
    const { items } = (await world.show(CLAIMS)) as unknown as { items: { status: { phase: string } }[] };
    expect(items.map(({ status }) => status.phase).toSorted()).toEqual(['Bound', 'Pending', 'Pending']);
  });

  test('leaves its volume released, which a user makes available again', async () => {
    const world = await aStorageWorld();
    await world.post(VOLUMES, volume('shared'));
    await world.post(CLAIMS, claim('data'));
    await world.remove(`${CLAIMS}/data`);
    expect(await world.show(`${VOLUMES}/shared`)).toMatchObject({ status: { phase: 'Released' } });
    expect(await shown(world.post(CLAIMS, claim('data')))).toMatchObject({ status: { phase: 'Pending' } });
    await world.patch(`${VOLUMES}/shared`, { spec: { claimRef: null } });
    expect(await world.show(`${CLAIMS}/data`)).toMatchObject({ status: { phase: 'Bound' } });
  });

  test('has lost its volume if that is deleted', async () => {
    const world = await aStorageWorld();
    await world.post(VOLUMES, volume('shared'));
    await world.post(CLAIMS, claim('data'));
    await world.remove(`${VOLUMES}/shared`);
    expect(await world.show(`${CLAIMS}/data`)).toMatchObject({ status: { phase: 'Lost' } });
  });

  test('has an Event that nobody makes a volume', async () => {
    const world = await aStorageWorld();
    expect(await world.show(CLASSES)).toMatchObject({ items: [] });
    await world.post(CLASSES, storageClass('efs-sc'));
    await world.post(CLAIMS, claim('data', { storageClassName: 'efs-sc' }));
    await world.post(CLAIMS, claim('other', { storageClassName: 'none' }));
    await world.post(CLAIMS, claim('plain'));
    const messages = async (name: string) => {
      const { items } = (await world.show(
        `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=${name}`,
      )) as unknown as { items: { type: string; reason: string; message: string }[] };
      return items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
    };
    expect(await messages('data')).toEqual([
      expect.stringContaining('Warning ProvisioningFailed: Muster makes no volumes for provisioner "efs.csi.aws.com"'),
    ]);
    expect(await messages('other')).toEqual([
      'Warning ProvisioningFailed: storageclass.storage.k8s.io "none" not found',
    ]);
    expect(await messages('plain')).toEqual([
      'Normal FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ]);
  });

  test('goes with its namespace, and gives its volume back', async () => {
    const world = await aStorageWorld();
    await world.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    await world.post(VOLUMES, volume('shared'));
    await world.post('/api/v1/namespaces/team/persistentvolumeclaims', claim('data'));
    await world.remove('/api/v1/namespaces/team');
    expect(await world.show(`${VOLUMES}/shared`)).toMatchObject({ status: { phase: 'Released' } });
  });
});

describe('a claim on a machine', () => {
  test('gets a folder, which goes with it', async () => {
    const world = await aStorageWorld('machine');
    const data = await shown(world.post(CLAIMS, claim('data')));
    const name = `pvc-${String(data.metadata['uid'])}`;
    expect(data).toMatchObject({
      spec: { volumeName: name, storageClassName: 'standard' },
      status: { phase: 'Bound' },
    });
    expect([...world.folders.there]).toEqual([`/data/volumes/default/data-${String(data.metadata['uid'])}`]);
    expect(await world.show(`${VOLUMES}/${name}`)).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/provisioned-by': 'muster.run/local-folder' } },
      spec: { persistentVolumeReclaimPolicy: 'Delete', storageClassName: 'standard' },
      status: { phase: 'Bound' },
    });
    await world.remove(`${CLAIMS}/data`);
    expect([...world.folders.there]).toEqual([]);
    expect((await world.get(`${VOLUMES}/${name}`)).status).toBe(404);
  });

  test('keeps its folder if the class says so', async () => {
    const world = await aStorageWorld('machine');
    await world.post(
      CLASSES,
      storageClass('kept', { provisioner: 'muster.run/local-folder', reclaimPolicy: 'Retain' }),
    );
    const { spec } = await shown(world.post(CLAIMS, claim('data', { storageClassName: 'kept' })));
    await world.remove(`${CLAIMS}/data`);
    expect(world.folders.there.size).toBe(1);
    expect(await world.show(`${VOLUMES}/${String(spec['volumeName'])}`)).toMatchObject({
      status: { phase: 'Released' },
    });
  });

  test('waits without a class, and shows the class that there is', async () => {
    const world = await aStorageWorld('machine');
    expect(await shown(world.post(CLAIMS, claim('data', { storageClassName: '' })))).toMatchObject({
      status: { phase: 'Pending' },
    });
    expect(await world.show(CLASSES)).toMatchObject({
      items: [{ metadata: { name: 'standard' }, provisioner: 'muster.run/local-folder', reclaimPolicy: 'Delete' }],
    });
  });

  test('never loses its folder to a volume that somebody has written', async () => {
    const world = await aStorageWorld('machine');
    const { metadata } = await shown(world.post(CLAIMS, claim('data')));
    const evil = volume(
      'evil',
      {
        csi: undefined,
        hostPath: { path: '/srv/a' },
        persistentVolumeReclaimPolicy: 'Delete',
        claimRef: { namespace: 'default', name: 'data', uid: metadata['uid'] },
      },
      { annotations: { 'pv.kubernetes.io/provisioned-by': 'muster.run/local-folder' } },
    );
    expect((await world.post(VOLUMES, evil)).status).toBe(201);
    await sweepStorage(world.deps);
    expect(world.folders.there.size).toBe(1);
    expect(await world.show(`${CLAIMS}/data`)).toMatchObject({ status: { phase: 'Bound' } });
  });
});
