import { asEpochMs } from '../../../domain/base/time.ts';
import { IDLE_PACE, type PaceState } from '../../../domain/base/pace.ts';
import type { LimitName, LimitRow, Limits } from '../../../ports/limits.ts';
import { RecentGrantsSchema } from '../../../store/programs/row-bodies.ts';
import { limitKey } from './dynamo-keys.ts';
import { readRow } from './dynamo-read.ts';
import { ATTRIBUTE, type Row, number, numberIn, text, textIn } from './dynamo-row.ts';
import { type Table, change, isBy, sendUpdate, versionIs } from './dynamo-write.ts';

const NEXT_FREE_AT = 'nextFreeAt';
const CUT_SHARE = 'cutShare';
const CUT_AT = 'cutAt';
const RECENT = 'recent';

/** {@link Limits} as one row each. */
export const limits = (table: Table): Limits => ({
  async read(name) {
    return limitRow(await readRow(table, limitKey(name)));
  },

  async commit(name, expectedVersion, state) {
    const token = table.newToken();
    const refusal = await sendUpdate(table.client, leaseRequest(table.name, token, name, expectedVersion, state));
    if (refusal === null || isBy(refusal, token)) {
      return { kind: 'committed', row: { version: expectedVersion + 1, state } };
    }
    const row = refusal.kind === 'condition' ? refusal.row : await readRow(table, limitKey(name));
    return { kind: 'lost', row: limitRow(row) };
  },
});

/** The row's next version. Two dispatchers may request the same lease in the same millisecond: only one token gets it. */
export const leaseRequest = (
  tableName: string,
  token: string,
  name: LimitName,
  expectedVersion: number,
  state: PaceState,
) =>
  change(tableName, {
    key: limitKey(name),
    set: {
      [ATTRIBUTE.version]: number(expectedVersion + 1),
      [ATTRIBUTE.by]: text(token),
      [NEXT_FREE_AT]: number(state.nextFreeAt),
      ...(state.cut === null ? {} : { [CUT_SHARE]: number(state.cut.share), [CUT_AT]: number(state.cut.at) }),
      ...(state.recent === null ? {} : { [RECENT]: text(JSON.stringify(state.recent)) }),
    },
    condition: versionIs(expectedVersion),
    returnOld: true,
  });

const limitRow = (row: Row | null): LimitRow =>
  row === null
    ? { version: 0, state: IDLE_PACE }
    : {
        version: numberIn(row, ATTRIBUTE.version),
        state: { nextFreeAt: asEpochMs(numberIn(row, NEXT_FREE_AT)), cut: cutIn(row), recent: recentIn(row) },
      };

/** A cut is never undone; it only ages. */
const cutIn = (row: Row): PaceState['cut'] =>
  CUT_AT in row ? { share: numberIn(row, CUT_SHARE), at: asEpochMs(numberIn(row, CUT_AT)) } : null;

const recentIn = (row: Row): PaceState['recent'] =>
  RECENT in row ? RecentGrantsSchema.parse(JSON.parse(textIn(row, RECENT))) : null;
