import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

/** For one that asks one more than it should. */
const ONE_MORE_MS = 20;

/** Answers are held until so many have been asked for at once: how fast the machine is does not count. */
export function heldRequests() {
  const answers: (() => void)[] = [];
  let isHolding = true;
  return {
    /** Calls `answer` when all are released; later ones at once. */
    hold: (answer: () => void): void => void (isHolding ? answers.push(answer) : answer()),
    /** Waits for `count` requests, sees that there is not one more, and releases them, the last first. */
    async releaseAt(count: number): Promise<void> {
      await expect.poll(() => answers.length).toBeGreaterThanOrEqual(count);
      await sleep(ONE_MORE_MS);
      isHolding = false;
      const asked = answers.length;
      for (const answer of answers.toReversed()) answer();
      expect(asked).toBe(count);
    },
  };
}
