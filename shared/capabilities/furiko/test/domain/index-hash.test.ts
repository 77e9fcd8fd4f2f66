import { describe, expect, it } from 'vitest';
import { indexHash } from '../../domain/index-hash.ts';

describe('indexHash', () => {
  it.each([
    [0, 'gezdqo'],
    [6, 'ge3tgm'],
    [58, 'ge3dqm'],
    [69, 'ge3dqm'],
  ])('shows the number %i as Furiko does: %s', (indexNumber, hash) => {
    expect(indexHash({ indexNumber })).toBe(hash);
  });

  it('differs by number', () => {
    expect(indexHash({ indexNumber: 1 })).not.toBe(indexHash({ indexNumber: 0 }));
  });

  it('differs by key', () => {
    expect(indexHash({ indexKey: 'key' })).toBe(indexHash({ indexKey: 'key' }));
    expect(indexHash({ indexKey: 'diff' })).not.toBe(indexHash({ indexKey: 'key' }));
  });

  it('gives the keys that share a hash upstream the same one', () => {
    expect(indexHash({ indexKey: 'ai' })).toBe(indexHash({ indexKey: 'bh' }));
  });

  it('differs by the values of a matrix, whatever their order', () => {
    const hash = (matrixValues: Record<string, string>): string => indexHash({ matrixValues });
    expect(hash({ key1: 'value1', key2: 'value2' })).toBe(hash({ key2: 'value2', key1: 'value1' }));
    expect(hash({ key1: 'value1', key2: 'value3' })).not.toBe(hash({ key1: 'value1', key2: 'value2' }));
  });

  it('is shared from 70 indexes on, as upstream', () => {
    const distinct = (count: number): number =>
      new Set(Array.from({ length: count }, (_, indexNumber) => indexHash({ indexNumber }))).size;
    expect([distinct(69), distinct(70), distinct(100), distinct(500), distinct(1_000)]).toEqual([69, 69, 97, 389, 667]);
  });
});
