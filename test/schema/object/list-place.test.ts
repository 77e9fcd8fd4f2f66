import { expect, test } from 'vitest';
import { type ListPlace, decodePlace, encodePlace } from '../../../shared/schema/object/list-place.ts';

const at = (change: Partial<ListPlace> = {}): ListPlace => ({
  version: 3,
  after: 'default/a',
  job: { namespace: 'default', name: 'b' },
  pod: null,
  ...change,
});
const LONGEST = `${'n'.repeat(63)}!${'é'.repeat(256)}`;

test.each([
  ['of a Job', at()],
  ['of a Pod', at({ pod: { uid: 'u', index: 4, attempt: 2 } })],
  ['of the longest name', at({ after: LONGEST, job: { namespace: 'n'.repeat(63), name: 'é'.repeat(256) } })],
])('a token %s is read as it was written', (_, place) => {
  expect(decodePlace(encodePlace(place))).toEqual(place);
});

test.each([
  ['a cursor that is longer than any key', at({ after: `${LONGEST}x` })],
  ['a name that is', at({ job: { namespace: 'default', name: 'n'.repeat(3000) } })],
  ['a namespace that is', at({ job: { namespace: 'n'.repeat(3000), name: 'a' } })],
  ['a uid that is', at({ pod: { uid: 'u'.repeat(3000), index: 0, attempt: 1 } })],
  ['a control character', at({ after: 'default/\u0000' })],
  ['half of a character', at({ after: 'default/\ud83d' })],
])('a token with %s is none of ours', (_, place) => {
  expect(decodePlace(encodePlace(place))).toBeNull();
});
