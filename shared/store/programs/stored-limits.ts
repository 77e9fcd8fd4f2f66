import { asEpochMs } from '../../domain/base/time.ts';
import { IDLE_PACE, type PaceState } from '../../domain/base/pace.ts';
import type { LimitName, LimitRow, Limits } from '../../ports/limits.ts';
import { fieldsOf, numberIn, textIn, versionIn } from '../rows/fields.ts';
import { type Program, get, writeNext } from '../rows/program.ts';
import type { Fields, Row } from '../rows/row.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { RecentGrantsSchema } from './row-bodies.ts';
import { limitKey } from './row-keys.ts';

const NEXT_FREE_AT = 'nextFreeAt';
const CUT_SHARE = 'cutShare';
const CUT_AT = 'cutAt';
const RECENT = 'recent';

/** {@link Limits} as one row each. */
export const limits = (table: Table): Limits => methodsOf(table, { read: readLimit, commit: lease });

function* readLimit(name: string): Program<LimitRow> {
  return limitIn(yield* get(limitKey(name)));
}

/** Two dispatchers may request the same lease in the same millisecond: only one of them gets it. */
function* lease(name: LimitName, version: number, state: PaceState): Program<Awaited<ReturnType<Limits['commit']>>> {
  const refusal = yield* writeNext(limitKey(name), version, fieldsFor(state));
  if (refusal === null) return { kind: 'committed', row: { version: version + 1, state } };
  return { kind: 'lost', row: refusal.kind === 'condition' ? limitIn(refusal.row) : yield* readLimit(name) };
}

const fieldsFor = ({ nextFreeAt, cut, recent }: PaceState): Fields => ({
  [NEXT_FREE_AT]: nextFreeAt,
  ...(cut === null ? {} : { [CUT_SHARE]: cut.share, [CUT_AT]: cut.at }),
  ...(recent === null ? {} : { [RECENT]: JSON.stringify(recent) }),
});

const limitIn = (row: Row | null): LimitRow =>
  row === null
    ? { version: 0, state: IDLE_PACE }
    : {
        version: versionIn(row),
        state: { nextFreeAt: asEpochMs(numberIn(row, NEXT_FREE_AT)), cut: cutIn(row), recent: recentIn(row) },
      };

/** A cut is never undone; it only ages. */
const cutIn = (row: Row): PaceState['cut'] =>
  CUT_AT in fieldsOf(row) ? { share: numberIn(row, CUT_SHARE), at: asEpochMs(numberIn(row, CUT_AT)) } : null;

const recentIn = (row: Row): PaceState['recent'] =>
  RECENT in fieldsOf(row) ? RecentGrantsSchema.parse(JSON.parse(textIn(row, RECENT))) : null;
