import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { EngineError, type Engine } from '../../local/docker/engine.ts';
import { copyLog } from '../../local/docker/log-copy.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-log-copy-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

/** What an engine sends: each print in a frame of its own, cut into chunks anywhere. */
function framesOf(prints: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    prints.flatMap((print, n) => {
      const header = Buffer.alloc(8);
      header[0] = (n % 2) + 1;
      header.writeUInt32BE(print.length, 4);
      return [header, Buffer.from(print)];
    }),
  );
}

function engineThatSends(bytes: Buffer, cut: number, fault: Error | null = null): Engine {
  const never = async () => Promise.reject(new Error('not asked'));
  return {
    ask: never,
    send: never,
    connect: never,
    close: () => undefined,
    async stream() {
      async function* chunks() {
        for (let at = 0; at < bytes.length; at += cut) yield bytes.subarray(at, at + cut);
        await Promise.resolve();
        if (fault !== null) throw fault;
      }
      return Promise.resolve(Readable.from(chunks()));
    },
  };
}

const copy = async (engine: Engine, path: string, isPlain = false): Promise<void> =>
  copyLog(engine, 'c', path, { follow: true, isPlain, signal: new AbortController().signal });

const PRINTS = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 });

describe('a copied log', () => {
  test('holds what was printed, and goes on where an earlier copy broke off, at any byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        PRINTS,
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 30 }),
        async (prints, brokeAt, left, cut) => {
          const path = join(folder, `log-${files++}`);
          const whole = Buffer.concat(prints);
          const bytes = framesOf(prints);
          const broken = bytes.subarray(0, brokeAt % (bytes.length + 1));
          await expect(copy(engineThatSends(broken, cut, new Error('gone')), path)).rejects.toThrow(EngineError);
          const before = readFileSync(path);
          expect(whole.subarray(0, before.length).equals(before)).toBe(true);
          // a crash may leave less than was written
          writeFileSync(path, before.subarray(0, left % (before.length + 1)));
          await copy(engineThatSends(bytes, cut), path);
          expect(readFileSync(path).equals(whole)).toBe(true);
          await copy(engineThatSends(bytes, cut), path);
          expect(readFileSync(path).equals(whole)).toBe(true);
        },
      ),
    );
  });

  test('of a terminal holds what it shows, which comes without frames', async () => {
    const path = join(folder, 'terminal');
    const shown = Buffer.from('$ ls\r\na  b\r\n');
    await expect(copy(engineThatSends(shown.subarray(0, 7), 3, new Error('gone')), path, true)).rejects.toThrow('gone');
    await copy(engineThatSends(shown, 4), path, true);
    expect(readFileSync(path).equals(shown)).toBe(true);
  });

  test('a full disk is no fault of the engine', async () => {
    const full = engineThatSends(
      framesOf([Buffer.from('a line\n')]),
      8,
      Object.assign(new Error('full'), { code: 'ENOSPC' }),
    );
    await expect(copy(full, join(folder, 'full'))).rejects.toThrow('full');
    await expect(copy(full, join(folder, 'full'))).rejects.not.toThrow(EngineError);
  });
});
