import type { EpochMs } from '../../domain/base/time.ts';
import type { DeadLetterStore, StoredDeadLetter } from '../../ports/dead-letters.ts';
import { aPut, jsonIn } from '../rows/fields.ts';
import { type Program, all, rowsIn, write } from '../rows/program.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { DeadLetterSchema } from './row-bodies.ts';
import { LETTER_PARTITION, deadLetterKey } from './row-keys.ts';

/** {@link DeadLetterStore} as one row each, all in one partition: they are few, and users read them. */
export const deadLetters = (table: Table): DeadLetterStore => methodsOf(table, { file: fileAll, newest });

function* fileAll(filed: readonly StoredDeadLetter[], expireAt: EpochMs): Program<void> {
  yield* all(filed.map((letter) => write(aPut(deadLetterKey(letter), letter, expireAt))));
}

function* newest(limit: number): Program<Awaited<ReturnType<DeadLetterStore['newest']>>> {
  const range = { partition: LETTER_PARTITION, from: '0', to: '~', reverse: true };
  const rows = yield* rowsIn(range, limit + 1);
  return { deadLetters: rows.slice(0, limit).map((row) => jsonIn(row, DeadLetterSchema)), more: rows.length > limit };
}
