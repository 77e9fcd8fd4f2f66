import { expect, test } from 'vitest';
import type { BitField } from '../../../shared/domain/base/bit-fields.ts';
import { SUMMARY } from '../../../shared/domain/scoreboard/board.ts';
import type { Codec } from '../../../shared/domain/base/stored-values.ts';
import { HEAD, RARE } from '../../../shared/domain/codecs/status-fields.ts';
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

const valueIn = (name: string, { usual, bits }: BitField<unknown>): string =>
  `(has & ${JSON.stringify(bits)}) === 0 ? ${JSON.stringify(usual)} : SUMMARY.${name}.read(r, from)`;

const extras = inOrder(EXTRAS);
const copies = extras.map(([name]) => `  ${name}: e.${name},\n`).join('');

const RECORD = `import type { Extras, IndexRecord, IndexState } from './index-record.ts';

// Written by record-accessors.test.ts, from the table in index-record.ts. All objects of a function have one shape.

export const extrasOf = (e: Extras): Extras => ({
${copies}});

export const recordOf = (state: IndexState, attempt: number, e: Extras): IndexRecord => ({
  state,
  attempt,
${copies}});

/** Which extras are not as most records have them, a bit each. */
export const extraBitsOf = (e: Extras): number =>
  ${extras.flatMap(([name, field]) => bitsOf(name, field)).join(' |\n  ')};
`;

const summary = inOrder(SUMMARY);

const SUMMARY_SOURCE = `import type { Reader } from '../base/bytes.ts';
import type { EpochMs } from '../base/time.ts';
import { type ChunkSummary, SUMMARY, type SummaryFields } from '../scoreboard/board.ts';

// Written by record-accessors.test.ts, from the table in board.ts. All objects of a function have one shape.

/** Those whose bits \`has\` holds follow; times count from \`from\`. */
export const readSummaryFields = (r: Reader, has: number, from: EpochMs): SummaryFields => ({
${summary.map(([name, field]) => `  ${name}: ${valueIn(name, field)},\n`).join('')}});

export const summaryOf = (version: number, foldedSeq: number, pending: number, e: SummaryFields): ChunkSummary => ({
  version,
  foldedSeq,
  pending,
${summary.map(([name]) => `  ${name}: e.${name},\n`).join('')}});
`;

type Rows = { readonly [name: string]: Codec<unknown> | Rows };
const isCodec = (row: Codec<unknown> | Rows): row is Codec<unknown> => typeof row.write === 'function';

/** A line for each codec among the rows, which may be records. */
const written = (rows: Rows, path = ''): string =>
  Object.entries(rows)
    .map(([name, row]) =>
      isCodec(row) ? `  HEAD.${path}${name}.write(w, s.${path}${name}, frame);\n` : written(row, `${path}${name}.`),
    )
    .join('');
const read = (rows: Rows, path = '', indent = '  '): string =>
  Object.entries(rows)
    .map(([name, row]) =>
      isCodec(row)
        ? `${indent}${name}: HEAD.${path}${name}.read(r, frame),\n`
        : `${indent}${name}: {\n${read(row, `${path}${name}.`, `${indent}  `)}${indent}},\n`,
    )
    .join('');

const STATUS_SOURCE = `import type { Reader, Writer } from '../base/bytes.ts';
import type { Status } from '../scoreboard/status.ts';
import { type Frame, HEAD } from './status-fields.ts';

// Written by record-accessors.test.ts, from the tables in status-fields.ts. All objects of a function have one shape.

export function writeHead(w: Writer, s: Status, frame: Frame): void {
${written(HEAD as unknown as Rows)}}

/** What comes after the head has its usual value, or none. */
export const readHead = (r: Reader, frame: Frame): Status => ({
  now: frame.now,
  size: frame.size,
  version: frame.version,
${read(HEAD as unknown as Rows)}${Object.entries<{ readonly usual: unknown }>(RARE)
  .map(([name, { usual }]) => `  ${name}: ${JSON.stringify(usual)},\n`)
  .join('')}  chunks: [],
  inFlight: [],
  journal: { nextSeq: frame.nextSeq, entries: [] },
});
`;

test.each([
  ['scoreboard/record-accessors.ts', RECORD],
  ['codecs/summary-accessors.ts', SUMMARY_SOURCE],
  ['codecs/status-accessors.ts', STATUS_SOURCE],
])('%s names each field of its table', async (file, source) => {
  await expect(source).toMatchFileSnapshot(`../../../shared/domain/${file}`);
});
