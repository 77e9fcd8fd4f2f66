import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DecodeError, Reader, Writer } from '../../../shared/domain/base/bytes.ts';
import { InvariantError } from '../../../shared/domain/base/invariant.ts';

const written = (write: (w: Writer) => void): Uint8Array => {
  const w = new Writer(1);
  write(w);
  return w.finish();
};
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('golden bytes', () => {
  test.each([
    [0, '00'],
    [127, '7f'],
    [128, '8001'],
    [300, 'ac02'],
    [2 ** 32, '8080808010'],
    [Number.MAX_SAFE_INTEGER, 'ffffffffffffff0f'],
  ])('varint %i', (value, expected) => {
    expect(hex(written((w) => w.varint(value)))).toBe(expected);
  });

  test.each([
    [0, '00'],
    [-1, '01'],
    [1, '02'],
    [-64, '7f'],
    [64, '8001'],
  ])('zigzag %i', (value, expected) => {
    expect(hex(written((w) => w.zigzag(value)))).toBe(expected);
  });

  test.each([
    [null, '00'],
    [0, '01'],
    [-1, '02'],
    [1, '03'],
  ])('zigzag or null %j', (value, expected) => {
    expect(hex(written((w) => w.zigzagOrNull(value)))).toBe(expected);
  });

  test('text', () => {
    expect(hex(written((w) => w.text('é!')))).toBe('03c3a921');
  });
});

type Value =
  | { readonly kind: 'byte' | 'varint' | 'zigzag'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string };

const SIGNED_MAX = 2 ** 52 - 1;
const value: fc.Arbitrary<Value> = fc.oneof(
  fc.record({ kind: fc.constant('byte' as const), value: fc.nat(255) }),
  fc.record({ kind: fc.constant('varint' as const), value: fc.maxSafeNat() }),
  fc.record({ kind: fc.constant('zigzag' as const), value: fc.integer({ min: -SIGNED_MAX, max: SIGNED_MAX }) }),
  fc.record({ kind: fc.constant('text' as const), value: fc.string({ unit: 'binary' }) }),
);

test('written bytes are read back, and no shorter input passes', () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1 }), fc.nat(), (values, cut) => {
      const bytes = written((w) => {
        for (const v of values) {
          if (v.kind === 'text') w.text(v.value);
          else w[v.kind](v.value);
        }
      });
      const readAll = (from: Uint8Array): Value[] => {
        const r = new Reader(from);
        const read = values.map(({ kind }) => ({ kind, value: r[kind]() }) as Value);
        r.end();
        return read;
      };
      expect(readAll(bytes)).toEqual(values);
      expect(() => readAll(bytes.slice(0, cut % bytes.length))).toThrow(DecodeError);
      expect(() => readAll(Uint8Array.of(...bytes, 0))).toThrow(DecodeError);
    }),
  );
});

test.each([
  ['a number without an end', [128, 128, 128, 128, 128, 128, 128, 128, 0], (r: Reader) => r.varint()],
  ['a number above 2^53-1', [255, 255, 255, 255, 255, 255, 255, 127], (r: Reader) => r.varint()],
  ['a text longer than the rest', [200, 1, 65], (r: Reader) => r.text()],
  ['a text that is not UTF-8', [1, 255], (r: Reader) => r.text()],
  ['more entries than bytes', [3, 0, 0], (r: Reader) => r.count()],
  ['more bytes than there are', [1], (r: Reader) => r.bytes(2)],
])('%s is refused', (_, bytes, read) => {
  expect(() => read(new Reader(Uint8Array.from(bytes)))).toThrow(DecodeError);
});

test.each([-1, 1.5, 2 ** 53, Number.NaN])('writing %d as a varint throws', (bad) => {
  expect(() => new Writer().varint(bad)).toThrow(InvariantError);
});

test('zigzag refuses numbers that it could not read back', () => {
  expect(() => new Writer().zigzag(2 ** 52)).toThrow(InvariantError);
});
