import fc from 'fast-check';
import { expect, test } from 'vitest';
import { itemsPerPart } from '../../cli/carried-list.ts';
import { WORK_LIST_CARRIER } from '../../cli/work-list-carrier.ts';
import { listInManifest } from '../../../../../cli/run-line/list-in-manifest.ts';

const listOf = (rows: readonly (readonly string[])[]) => ({ columns: ['F'], rows });

test('a list that is small enough is in the manifest, and a larger one has a name there', () => {
  const small = listOf([['a b'], ['c']]);
  expect(listInManifest(small, 'zip')).toEqual({ annotations: { 'muster.run/items': 'F\na b\nc\n' }, carried: null });
  const long = listOf(Array.from({ length: 10_001 }, (_, n) => [`${n}`]));
  const large = listOf(Array.from({ length: 40 }, () => ['x'.repeat(6_000)]));
  for (const list of [long, large])
    expect(listInManifest(list, 'zip')).toEqual({
      annotations: { 'muster.run/work-list': 'zip' },
      carried: { list, by: WORK_LIST_CARRIER },
    });
});

test('no part of a list is larger than a request may be, and parts are not needlessly small', () => {
  expect(itemsPerPart(listOf(Array.from({ length: 50_000 }, (_, n) => [`file-${n}.dat`])))).toBeGreaterThan(5_000);
  fc.assert(
    fc.property(
      fc.array(fc.nat(300), { minLength: 1, maxLength: 200 }).map((sizes) => sizes.map((size) => ['x'.repeat(size)])),
      (rows) => {
        const count = itemsPerPart(listOf(rows), 1_000);
        for (let first = 0; first < rows.length; first += count)
          expect(JSON.stringify(rows.slice(first, first + count)).length).toBeLessThanOrEqual(1_001);
      },
    ),
    { seed: 7 },
  );
});
