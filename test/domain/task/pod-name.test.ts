import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { InvariantError } from '../../../shared/domain/base/invariant.ts';
import type { CompletionMode } from '../../../shared/domain/manifests/job.ts';
import { hostname, parsePodName, podName, podUid } from '../../../shared/domain/task/pod-name.ts';
import { draws } from '../../verify/draws.ts';

const UID = asJobUid('8f14e45f-ceea-467f-a0e6-1b2c3d4e5f60');
const job = (completionMode: CompletionMode, name = 'tiles', uid = UID) => ({ uid, name, completionMode });
const LONG = 'a-very-long-name-for-a-job-that-nobody-would-type-by-hand-at-all';

const anyJob = fc.record({
  uid: fc.uuid().map(asJobUid),
  name: fc.stringMatching(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/),
  completionMode: fc.constantFrom('Indexed' as const, 'NonIndexed' as const),
});
const index = fc.oneof(fc.nat(20), fc.nat(999_999));
const attempt = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 7_000_000 }));

test('an attempt can be read from its name', () => {
  fc.assert(
    fc.property(anyJob, index, attempt, (owner, i, n) => {
      expect(parsePodName(owner, podName(owner, i, n))).toEqual({ index: i, attempt: n });
    }),
    { numRuns: draws(2000) },
  );
});

test('golden names: a Pod keeps its name when Muster is updated', () => {
  const names = [
    podName(job('Indexed'), 3, 1),
    podName(job('Indexed'), 3, 2),
    podName(job('Indexed'), 4, 1),
    podName(job('NonIndexed'), 3, 1),
    podName(job('NonIndexed'), 3, 14),
    podName(job('NonIndexed'), 3, 10_000),
  ];
  expect(names).toMatchInlineSnapshot(`
    [
      "tiles-3-rd746",
      "tiles-3-s4x65",
      "tiles-4-vdw2x",
      "tiles-j47fr",
      "tiles-x8xg4",
      "tiles-qtjn7dx5d",
    ]
  `);
});

test('golden uids: one for each Job, index, and attempt, in the form of a UUID', () => {
  expect([podUid(UID, 0, 1), podUid(UID, 3, 1), podUid(UID, 3, 2), podUid(UID, 2 ** 31, 1)]).toEqual([
    '8f14e45f-ceea-467f-a0e6-1b2c3d4e5f61',
    '8f14e45c-ceea-467f-a0e6-1b2c3d4e5f61',
    '8f14e45c-ceea-467f-a0e6-1b2c3d4e5f62',
    '0f14e45f-ceea-467f-a0e6-1b2c3d4e5f61',
  ]);
});

describe('the form', () => {
  test.each([
    [job('Indexed'), 3, 1, /^tiles-3-[b-df-hj-np-tv-xz24-9]{5}$/, 'as Kubernetes generates it'],
    [job('NonIndexed'), 3, 1, /^tiles-[b-df-hj-np-tv-xz24-9]{5}$/, 'without an index'],
    [job('NonIndexed'), 0, 14, /^tiles-[b-df-hj-np-tv-xz24-9]{5}$/, 'five letters while they suffice'],
    [job('NonIndexed'), 999_999, 14, /^tiles-[b-df-hj-np-tv-xz24-9]{7}$/, 'then seven'],
    [job('NonIndexed'), 0, 9_977, /^tiles-[b-df-hj-np-tv-xz24-9]{9}$/, 'then nine'],
    [
      job('Indexed', LONG),
      123,
      1,
      /^a-very-long-name-for-a-job-that-nobody-would-type-by--123-.{5}$/,
      'the index survives a cut',
    ],
    [job('NonIndexed', LONG), 123, 1, /^a-very-long-name-for-a-job-that-nobody-would-type-by-hand-.{5}$/, 'cut at 58'],
  ])('%o index %i attempt %i → %s: %s', (owner, i, n, form) => {
    const name = podName(owner, i, n);
    expect(name).toMatch(form);
    expect(name.length).toBeLessThanOrEqual(n < 14 ? 63 : 67);
  });

  test('the hostname is the same for every attempt', () => {
    expect(hostname('tiles', 12)).toBe('tiles-12');
  });
});

describe('no two attempts share a name', () => {
  test.each([
    [job('Indexed'), 500, 40],
    [job('NonIndexed'), 500, 40],
    [job('NonIndexed', LONG), 500, 40],
  ])('%o', (owner, indexes, attempts) => {
    const names = new Set<string>();
    for (let i = 0; i < indexes; i++) for (let n = 1; n <= attempts; n++) names.add(podName(owner, i * 2000, n));
    expect(names.size).toBe(indexes * attempts);
  });

  test('consecutive attempts look unrelated', () => {
    const suffixes = Array.from({ length: 200 }, (_, i) => podName(job('NonIndexed'), i, 1).slice(-5));
    for (let place = 0; place < 5; place++) expect(new Set(suffixes.map((s) => s[place])).size).toBeGreaterThan(20);
  });
});

test.each<[CompletionMode, string, string]>([
  ['Indexed', 'tiles', 'nothing after the name'],
  ['Indexed', 'tiles-3', 'no suffix'],
  ['Indexed', 'tiles-3-', 'an empty one'],
  ['Indexed', 'tiles-3-bcdfa', 'a letter that no suffix has'],
  ['Indexed', 'tiles-3-bcdf', 'too short'],
  ['Indexed', 'tiles-3-bcdfgh', 'a length that no suffix has'],
  ['Indexed', 'tiles-03-bcdfg', 'an index written otherwise'],
  ['Indexed', 'tiles-x-bcdfg', 'no index'],
  ['Indexed', 'tiles-1048576-bcdfg', 'an index that no Job has'],
  ['Indexed', 'tiles-99999999999999999999-bcdfg', 'nor this'],
  ['Indexed', 'other-3-bcdfg', 'another Job'],
  ['Indexed', 'xtiles-3-bcdfg', 'another Job whose name ends alike'],
  ['NonIndexed', 'tiles-3-bcdfg', 'an index where there is none'],
  ['NonIndexed', 'tiles-BCDFG', 'capitals'],
  ['NonIndexed', '', 'no name at all'],
])('%s: %j is no Pod of the Job: %s', (mode, name) => {
  expect(parsePodName(job(mode), name)).toBeNull();
});

test('a name has one attempt: seven letters are refused for a code of five', () => {
  const owner = job('NonIndexed');
  const letters = 'bcdfghjklmnpqrstvwxz2456789'.split('');
  const names = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => `tiles-bbbb${a}${b}${c}`)));
  const parsed = names.map((name) => parsePodName(owner, name));
  const renamed = parsed.map((found) => found && podName(owner, found.index, found.attempt));
  expect(renamed).toEqual(names.map((name, i) => (parsed[i] === null ? null : name)));
  // 27^5 of the 27^7 words, one in 729, belong to codes that have five letters
  expect(parsed.filter((found) => found === null).length).toBeGreaterThan(10);
});

test('attempts count from 1', () => {
  expect(() => podName(job('Indexed'), 0, 0)).toThrow(InvariantError);
});
