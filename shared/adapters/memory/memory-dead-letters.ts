import type { EpochMs } from '../../domain/base/time.ts';
import type { StoredDeadLetter, DeadLetterStore } from '../../ports/dead-letters.ts';
import { ExpiringMap } from './expiring-map.ts';

/** {@link DeadLetterStore} in this process's memory. */
export function createMemoryDeadLetters(now: () => EpochMs): DeadLetterStore {
  const rows = new ExpiringMap<StoredDeadLetter>(now);
  return {
    async file(deadLetters, expireAt) {
      for (const deadLetter of deadLetters)
        rows.set(`${deadLetter.sentAt}/${deadLetter.queue}/${deadLetter.id}`, structuredClone(deadLetter), expireAt);
    },
    async newest(limit) {
      const all = rows
        .entries()
        .map(([, deadLetter]) => structuredClone(deadLetter))
        .toSorted((a, b) => b.sentAt - a.sentAt);
      return { deadLetters: all.slice(0, limit), more: all.length > limit };
    },
  };
}
