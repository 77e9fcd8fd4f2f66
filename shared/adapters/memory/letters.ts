import type { EpochMs } from '../../domain/brand.ts';
import type { FiledLetter, LetterFile } from '../../ports/dead-letters.ts';
import { ExpiringMap } from './expiring-map.ts';

/** {@link LetterFile} in this process's memory. */
export function createMemoryLetters(now: () => EpochMs): LetterFile {
  const rows = new ExpiringMap<FiledLetter>(now);
  return {
    async file(letters, expireAt) {
      for (const letter of letters)
        rows.set(`${letter.sentAt}/${letter.queue}/${letter.id}`, structuredClone(letter), expireAt);
    },
    async newest(limit) {
      const all = rows
        .entries()
        .map(([, letter]) => structuredClone(letter))
        .toSorted((a, b) => b.sentAt - a.sentAt);
      return { letters: all.slice(0, limit), more: all.length > limit };
    },
  };
}
