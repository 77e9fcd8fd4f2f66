import type { DeadLetterStore, StoredDeadLetter } from '../../ports/dead-letters.ts';
import { DeadLetterSchema } from '../../store/programs/row-bodies.ts';
import { DEAD_LETTERS, deadLetterKey, rangeOf } from './lmdb-keys.ts';
import { jsonIn, jsonRow } from './lmdb-row.ts';
import type { LmdbRows } from './lmdb-rows.ts';

/** {@link DeadLetterStore} as one row each. */
export const deadLetters = (rows: LmdbRows): DeadLetterStore => ({
  async file(filed, expireAt) {
    await rows.transact((now) => {
      for (const deadLetter of filed) now.put(deadLetterKey(deadLetter), jsonRow(deadLetter, 0, expireAt));
    });
  },

  async newest(limit) {
    const found: StoredDeadLetter[] = [];
    for (const [, row] of rows.range(...rangeOf(DEAD_LETTERS), { reverse: true })) {
      if (found.length === limit) return { deadLetters: found, more: true };
      found.push(jsonIn(row, DeadLetterSchema));
    }
    return { deadLetters: found, more: false };
  },
});
