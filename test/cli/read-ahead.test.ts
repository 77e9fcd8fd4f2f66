import { describe, expect, test } from 'vitest';
import { readAhead } from '../../cli/logs/read-ahead.ts';

const LINE = 'x'.repeat(1023);

describe('texts that are read ahead', () => {
  test('a later one is held as far as the bound, however long it is', async () => {
    const read = [0, 0];
    async function* text(nth: number): AsyncGenerator<string> {
      for (let line = 0; line < 10_000; line++) {
        read[nth]!++;
        yield LINE;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    let heldAtMost = 0;
    await readAhead([0, 1], 2, text, async (nth, lines) => {
      for await (const _ of lines) if (nth === 0) heldAtMost = Math.max(heldAtMost, read[1]!);
    });
    expect(read).toEqual([10_000, 10_000]);
    expect(heldAtMost).toBeGreaterThan(16);
    expect(heldAtMost).toBeLessThan(256); // KB
  });

  test('a reader that stops leaves no text open', async () => {
    const closed: number[] = [];
    async function* text(nth: number): AsyncGenerator<string> {
      try {
        for (;;) {
          yield LINE;
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        closed.push(nth);
      }
    }
    const used = readAhead([0, 1, 2], 3, text, async (_, lines) => {
      for await (const line of lines) throw new Error(line.slice(0, 1));
    });
    await expect(used).rejects.toThrow('x');
    expect(closed.toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
  });

  test('what goes wrong in a text is thrown where it is used', async () => {
    const seen: string[] = [];
    async function* text(nth: number): AsyncGenerator<string> {
      yield `${nth}`;
      if (nth === 1) throw new Error('broken');
    }
    await readAhead([0, 1, 2], 3, text, async (nth, lines) => {
      try {
        for await (const line of lines) seen.push(line);
      } catch (error) {
        seen.push(`${nth} ${String(error)}`);
      }
    });
    expect(seen).toEqual(['0', '1', '1 Error: broken', '2']);
  });
});
