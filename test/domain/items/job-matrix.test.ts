import { expect, test } from 'vitest';
import { CLIENT_LIMITS, generateMatrix } from '../../../shared/domain/items/generate-items.ts';
import {
  type JobMatrix,
  combinationsOf,
  matrixColumns,
  matrixImages,
  matrixRow,
  taskColumnsOfMatrix,
} from '../../../shared/domain/items/job-matrix.ts';
import {
  isSameList,
  itemValues,
  jobItemsOf,
  matrixRows,
  takesImages,
  widestOf,
  widestOfMatrix,
} from '../../../shared/domain/items/job-items.ts';
import { taskColumnsOf } from '../../../shared/domain/items/task-columns.ts';

const NODES: JobMatrix = {
  values: [
    { name: 'node', values: ['18', '20', '22'] },
    { name: 'os', values: ['bookworm', 'alpine'] },
    { name: 'cpu', values: ['500m', '1', '250m', '2'] },
  ],
  image: 'node:$(node)-$(os)',
};
const jobOf = (annotations: Record<string, string>) => ({ metadata: { annotations } });
const matrixJob = (matrix: JobMatrix, others: Record<string, string> = {}) =>
  jobOf({ 'muster.run/matrix': JSON.stringify(matrix), ...others });
const all = (matrix: JobMatrix) => Array.from({ length: combinationsOf(matrix) }, (_, item) => matrixRow(matrix, item));

test('each item is computed from its number: the same as the whole list, the first name slowest', () => {
  const list = generateMatrix({ values: NODES.values }, CLIENT_LIMITS);
  if (list.kind !== 'ok') throw new Error('a good matrix');
  const rows = all(NODES);
  expect(rows.map((row) => row.slice(0, 3))).toEqual(list.list.rows);
  expect(rows.length).toBe(24);
  expect(rows[9]).toEqual(['20', 'bookworm', '1', 'node:20-bookworm']);
  expect(matrixColumns(NODES)).toEqual(['node', 'os', 'cpu', 'image']);
});

test('what it says about tasks and about its width is what all of its rows say', () => {
  const columns = matrixColumns(NODES);
  expect(taskColumnsOfMatrix(NODES)).toEqual(taskColumnsOf(columns, all(NODES)));
  expect(widestOfMatrix(NODES)).toEqual(widestOf(columns.length, all(NODES)));
  expect(matrixImages({ ...NODES, image: 'node:$(os)$$' })).toEqual([
    { item: 0, value: 'node:bookworm$' },
    { item: 4, value: 'node:alpine$' },
  ]);
  expect(matrixImages({ values: NODES.values })).toEqual([]);
  // The rest would be 100,000 more.
  const many = { name: 'n', values: Array.from({ length: 100_000 }, (_, i) => String(i)) };
  expect(matrixImages({ values: [many], image: 'node:$(n)' })).toHaveLength(21);
});

test('a Job with a matrix has its columns, its batches, and its images', () => {
  const job = matrixJob(NODES, { 'muster.run/batch': '5' });
  const items = jobItemsOf(job);
  expect(items).toEqual({ columns: ['node', 'os', 'cpu', 'image'], batch: 5, source: { kind: 'matrix', ...NODES } });
  expect(takesImages(job)).toBe(true);
  expect(takesImages(matrixJob({ values: NODES.values }))).toBe(false);
  expect(matrixRows(NODES, 5, 4)).toEqual(all(NODES).slice(20, 24));
  expect(matrixRows(NODES, 5, 5)).toEqual([]);
  expect(itemValues(matrixColumns(NODES), matrixRows(NODES, 1, 23), 23)).toMatchObject({
    line: '22\talpine\t2\tnode:22-alpine',
    resultName: '000023-22-alpine-2-node-22-alpine',
  });
});

test('two matrices with the same values are the same list, whatever image they run in', () => {
  const list = (matrix: JobMatrix) => jobItemsOf(matrixJob(matrix));
  const other = { ...NODES, values: NODES.values.toReversed() };
  expect(isSameList(list(NODES), list({ values: NODES.values, image: 'deno' }))).toBe(true);
  expect(isSameList(list(NODES), list(other))).toBe(false);
  expect(isSameList(list(NODES), jobItemsOf(jobOf({ 'muster.run/items': 'node\n18' })))).toBe(false);
});
