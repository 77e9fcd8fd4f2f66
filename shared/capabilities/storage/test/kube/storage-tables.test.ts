import { expect, test } from 'vitest';
import { claim, volume } from '../storage-documents.ts';
import { CLAIMS, CLASSES, VOLUMES, aStorageWorld } from './a-storage-world.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

test('volumes, claims, and classes have the columns of kubectl', async () => {
  const world = await aStorageWorld('machine');
  const table = async (path: string) => {
    const body = (await (await world.get(path, { accept: TABLE })).json()) as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    return [body.columnDefinitions.map(({ name }) => name), ...body.rows.map(({ cells }) => cells)];
  };
  await world.post(VOLUMES, volume('v'));
  await world.post(CLAIMS, claim('data', { storageClassName: '' }));
  await world.post(CLAIMS, claim('none', { storageClassName: 'x' }));
  expect(await table(VOLUMES)).toEqual([
    [
      'Name',
      'Capacity',
      'Access Modes',
      'Reclaim Policy',
      'Status',
      'Claim',
      'StorageClass',
      'VolumeAttributesClass',
      'Reason',
      'Age',
      'VolumeMode',
    ],
    ['v', '5Gi', 'RWO,RWX', 'Retain', 'Bound', 'default/data', '', '<unset>', '', '0s', 'Filesystem'],
  ]);
  expect(await table(CLAIMS)).toEqual([
    [
      'Name',
      'Status',
      'Volume',
      'Capacity',
      'Access Modes',
      'StorageClass',
      'VolumeAttributesClass',
      'Age',
      'VolumeMode',
    ],
    ['data', 'Bound', 'v', '5Gi', 'RWO,RWX', '', '<unset>', '0s', 'Filesystem'],
    ['none', 'Pending', '', '', '', 'x', '<unset>', '0s', 'Filesystem'],
  ]);
  expect(await table(CLASSES)).toEqual([
    ['Name', 'Provisioner', 'ReclaimPolicy', 'VolumeBindingMode', 'AllowVolumeExpansion', 'Age'],
    ['standard (default)', 'muster.run/local-folder', 'Delete', 'Immediate', false, '0s'],
  ]);
});
