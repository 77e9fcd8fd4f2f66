import { expect, test } from 'vitest';
import { readItems } from '../../../shared/schema/items/job-items-rules.ts';

const BROKEN = 'has a line break, and line breaks separate the items of a batch';
const MATRIX = { 'muster.run/matrix': JSON.stringify({ values: [{ name: 'A', values: ['1', '2\n3'] }] }) };
const LIST = { 'muster.run/items': 'A B\n1 2\n["3", "4\\n5"]\n' };

test.each([
  ['a list', LIST, `line 3: column B: ${BROKEN}`],
  ['a matrix', MATRIX, `column A: ${BROKEN}`],
])('an item of a batch is a line: %s', (_, annotations, message) => {
  const read = readItems({ ...annotations, 'muster.run/batch': '2' });
  expect(read.kind === 'bad' && JSON.stringify(read.errors)).toContain(message);
  expect(readItems(annotations).kind).toBe('ok');
});
