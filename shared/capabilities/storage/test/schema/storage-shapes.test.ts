import { expect, test } from 'vitest';
import type * as z from 'zod';
import { differences } from '../../../../../test/schema/kinds/shape-differences.ts';
import { ClaimShape } from '../../schema/claim-form.ts';
import { VolumeShape } from '../../schema/persistent-volume-shape.ts';
import { StorageClassShape } from '../../schema/storage-class-form.ts';

test.each<[string, z.core.$ZodType, number]>([
  ['PersistentVolumeClaim', ClaimShape, 40],
  ['PersistentVolume', VolumeShape, 60],
  ['StorageClass', StorageClassShape, 30],
])('a %s has the same fields in the table and where it is admitted', (name, shape, paths) => {
  const seen: string[] = [];
  expect(differences(shape, { is: 'object', of: name }, name, seen)).toEqual([]);
  expect(seen.length).toBeGreaterThan(paths);
});
