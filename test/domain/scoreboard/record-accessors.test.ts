import { expect, test } from 'vitest';
import type { BitField } from '../../../shared/domain/base/bit-fields.ts';
import { SUMMARY } from '../../../shared/domain/scoreboard/board.ts';
import { EXTRAS } from '../../../shared/domain/scoreboard/index-record.ts';

// Every pass replays a journal of up to 500 entries and reads a summary for each chunk, and a loop over names of fields takes up to
// twenty times as long as naming them. So the accessors are written out, from the tables: after a change of one, run this test
// with `-u`.

/** In the order in which they are stored. */
const inOrder = (table: Readonly<Record<string, BitField<unknown>>>) =>
  Object.entries(table).sort(([, a], [, b]) => lowest(a) - lowest(b));
function lowest({ bits }: BitField<unknown>): number {
  return typeof bits === 'number' ? bits : Math.min(...bits.values());
}

function bitsOf(name: string, { usual, bits }: BitField<unknown>): readonly string[] {
  if (typeof bits === 'number') return [`(e.${name} === ${JSON.stringify(usual)} ? 0 : ${bits})`];
  return [...bits].map(([value, bit]) =>
    value === true ? `(e.${name} ? ${bit} : 0)` : `(e.${name} === '${String(value)}' ? ${bit} : 0)`,
  );
}

function differs(name: string, { usual }: BitField<unknown>): string {
  return usual === false ? `e.${name}` : `e.${name} !== ${JSON.stringify(usual)}`;
}

function valueIn(table: string, name: string, { usual, bits }: BitField<unknown>): string {
  if (typeof bits === 'number')
    return `(has & ${bits}) === 0 ? ${JSON.stringify(usual)} : ${table}.${name}.read(r, from)`;
  if (usual === false) return `(has & ${bits.get(true)}) !== 0`;
  return (
    [...bits].map(([value, bit]) => `(has & ${bit}) !== 0 ? '${String(value)}' : `).join('') + JSON.stringify(usual)
  );
}

const extras = inOrder(EXTRAS);
const copies = extras.map(([name]) => `  ${name}: e.${name},\n`).join('');

const RECORD = `import type { Reader } from '../base/bytes.ts';
import type { EpochMs } from '../base/time.ts';
import { EXTRAS, type Extras, type IndexRecord, type IndexState } from './index-record.ts';

// Written by record-accessors.test.ts, from the table in index-record.ts. All objects of a function have one shape.

export const extrasOf = (e: Extras): Extras => ({
${copies}});

export const recordOf = (state: IndexState, attempt: number, e: Extras): IndexRecord => ({
  state,
  attempt,
${copies}});

/** Those whose bits \`has\` holds follow; times count from \`from\`. */
export const readExtras = (r: Reader, has: number, from: EpochMs): Extras => ({
${extras.map(([name, field]) => `  ${name}: ${valueIn('EXTRAS', name, field)},\n`).join('')}});

/** Whether any extra is not as most records have it. */
export const hasExtras = (e: Extras): boolean =>
  ${extras.map(([name, field]) => differs(name, field)).join(' ||\n  ')};

/** Which extras are not as most records have them, a bit each. */
export const extraBitsOf = (e: Extras): number =>
  ${extras.flatMap(([name, field]) => bitsOf(name, field)).join(' |\n  ')};
`;

const summary = inOrder(SUMMARY);

const SUMMARY_SOURCE = `import type { Reader } from '../base/bytes.ts';
import type { EpochMs } from '../base/time.ts';
import { type ChunkSummary, SUMMARY, type SummaryFields } from './board.ts';

// Written by record-accessors.test.ts, from the table in board.ts. All objects of a function have one shape.

/** Those whose bits \`has\` holds follow; times count from \`from\`. */
export const readSummaryFields = (r: Reader, has: number, from: EpochMs): SummaryFields => ({
${summary.map(([name, field]) => `  ${name}: ${valueIn('SUMMARY', name, field)},\n`).join('')}});

export const summaryOf = (version: number, foldedSeq: number, pending: number, e: SummaryFields): ChunkSummary => ({
  version,
  foldedSeq,
  pending,
${summary.map(([name]) => `  ${name}: e.${name},\n`).join('')}});
`;

test.each([
  ['record-accessors.ts', RECORD],
  ['summary-accessors.ts', SUMMARY_SOURCE],
])('%s names each field of its table', async (file, source) => {
  await expect(source).toMatchFileSnapshot(`../../../shared/domain/scoreboard/${file}`);
});
