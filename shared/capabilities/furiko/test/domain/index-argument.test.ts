import { describe, expect, it } from 'vitest';
import type { Parallelism } from '../../domain/furiko-job.ts';
import { parseIndexArgument } from '../../domain/index-argument.ts';
import { parallelIndexAt } from '../../domain/parallel-index.ts';

const all = { completionStrategy: 'AllSuccessful' } as const;
const COUNT: Parallelism = { ...all, withCount: 3 };
const KEYS: Parallelism = { ...all, withKeys: ['a', 'b c', '{x'] };
const NUMBERS: Parallelism = { ...all, withKeys: ['2', '1'] };
const MATRIX: Parallelism = {
  ...all,
  withMatrix: { os: ['linux', 'mac', 'win,11'], node: ['18', '20'], arch: ['arm'] },
};

describe('the index that a user names', () => {
  it.each<[string, Parallelism | undefined, number]>([
    ['0', undefined, 0],
    ['{"indexNumber":0}', undefined, 0],
    ['2', COUNT, 2],
    ['{"indexNumber":1}', COUNT, 1],
    ['b c', KEYS, 1],
    ['2', KEYS, 2],
    ['{x', KEYS, 2],
    ['{"indexKey":"a"}', KEYS, 0],
    ['1', NUMBERS, 1],
    ['os=mac,node=20,arch=arm', MATRIX, 4],
    ['node=18, os=mac', MATRIX, 1],
    ['5', MATRIX, 5],
    ['{"matrixValues":{"node":"20","os":"win,11"}}', MATRIX, 5],
  ])('%s', (text, parallelism, index) => {
    expect(parseIndexArgument(text, parallelism)).toEqual({ kind: 'ok', index });
  });

  it.each<[string, Parallelism | undefined, string]>([
    ['1', undefined, 'there is no index 1: the last one is 0'],
    ['x', COUNT, '"x" is no index: say a number from 0 to 2'],
    ['3', COUNT, 'there is no index 3: the last one is 2'],
    ['d', KEYS, 'there is no key "d": the keys are "a", "b c", "{x"'],
    ['0', NUMBERS, 'there is no key "0": the keys are "2", "1"'],
    ['{"indexKey":"d"}', KEYS, 'there is no key "d": the keys are "a", "b c", "{x"'],
    ['{"indexNumber":0}', KEYS, '{"indexNumber":0} names no index of this Job: say it like {"indexKey":"a"}'],
    ['{"indexNumber":-1}', COUNT, '{"indexNumber":-1} names no index of this Job: say it like {"indexNumber":0}'],
    ['{nonsense', COUNT, '"{nonsense" is no JSON: say it like {"indexNumber":0}'],
    ['mac', MATRIX, '"mac" is no name=value: say it like arch=arm,node=18,os=linux'],
    ['os=mac', MATRIX, 'node is missing: it is one of "18", "20"'],
    ['os=mac,os=linux', MATRIX, 'os is said twice'],
    ['os=bsd,node=18', MATRIX, 'os is never "bsd": it is one of "linux", "mac", "win,11"'],
    ['cpu=1', MATRIX, 'the matrix has no "cpu": its names are "arch", "node", "os"'],
  ])('not %s', (text, parallelism, message) => {
    expect(parseIndexArgument(text, parallelism)).toEqual({ kind: 'bad', message });
  });

  it('is found again as the status shows it', () => {
    for (const parallelism of [undefined, COUNT, KEYS, NUMBERS, MATRIX])
      for (const index of [0, 1]) {
        if (parallelism === undefined && index > 0) continue;
        const text = JSON.stringify(parallelIndexAt(parallelism, index));
        expect(parseIndexArgument(text, parallelism)).toEqual({ kind: 'ok', index });
      }
  });
});
