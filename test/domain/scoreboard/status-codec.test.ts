import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHUNK_INDEXES, freshSummary } from '../../../shared/domain/scoreboard/board.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { DecodeError } from '../../../shared/domain/base/bytes.ts';
import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import { InvariantError } from '../../../shared/domain/base/invariant.ts';
import { decodeStatus, encodeStatus } from '../../../shared/domain/codecs/status-codec.ts';
import {
  type FailureReason,
  type JournalEntry,
  type Status,
  freshStatus,
} from '../../../shared/domain/scoreboard/status.ts';
import { plainSpec } from '../../support/a-job.ts';
import { anyStatus, dice } from '../../support/arbitrary-board.ts';
import { draws } from '../../verify/draws.ts';
import { EVERYTHING, NOW, at } from './a-full-status.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The status of a new Job of `completions` indexes. */
const fresh = (completions: number): Status =>
  freshStatus(
    {
      uid: asJobUid('8f14e45f-ceea-467f-a0e6-1b2c3d4e5f60'),
      namespace: 'default',
      name: 'tiles',
      createdAt: NOW,
      revision: 1,
      spec: plainSpec({ completionMode: 'Indexed', parallelism: 4, completions }),
    },
    NOW,
  );

test('every field of an encoded status is decoded, and no shorter or longer input passes', () => {
  fc.assert(
    fc.property(anyStatus, fc.nat(), (status, cut) => {
      const bytes = encodeStatus(status);
      expect(decodeStatus(bytes)).toEqual(status);
      expect(() => decodeStatus(bytes.slice(0, cut % bytes.length))).toThrow(DecodeError);
      expect(() => decodeStatus(Uint8Array.of(...bytes, 0))).toThrow(DecodeError);
    }),
    { numRuns: draws(300) },
  );
});

/** Decoding either works or throws DecodeError; a hang or a huge allocation would break the test. */
const decodesOrSaysWhy = (bytes: Uint8Array): boolean => {
  try {
    const { journal, inFlight, chunks } = decodeStatus(bytes);
    const indexes = [...inFlight, ...journal.entries.map((entry) => entry.transition)].map(({ index }) => index);
    return [...indexes, ...chunks.map(({ pending }) => pending)].every((n) => Number.isSafeInteger(n) && n >= 0);
  } catch (error) {
    return error instanceof DecodeError || error instanceof NewerFormatError;
  }
};

test('damaged bytes are a status or a DecodeError', () => {
  fc.assert(
    fc.property(anyStatus, fc.nat(), fc.nat(255), (status, where, value) => {
      const bytes = encodeStatus(status);
      bytes[where % bytes.length] = value;
      expect(decodesOrSaysWhy(bytes)).toBe(true);
    }),
    { numRuns: draws(1000) },
  );
});

test('so are any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
      expect(decodesOrSaysWhy(Uint8Array.of(1, ...bytes))).toBe(true);
    }),
    { numRuns: draws(2000) },
  );
});

test('a format of a later release is distinguished from one that never was', () => {
  const bytes = encodeStatus(fresh(3));
  bytes[0] = 2;
  expect(() => decodeStatus(bytes)).toThrow(new NewerFormatError('a STATUS', 2, 1));
  bytes[0] = 0;
  expect(() => decodeStatus(bytes)).toThrow(new DecodeError('a STATUS of format version 0, where 1 is known'));
});

test('an unordered journal throws', () => {
  const entry: JournalEntry = { seq: 5, transition: { index: 0, attempt: 1, op: 'claim' } };
  const status = { ...fresh(3), journal: { nextSeq: 6, entries: [entry, { ...entry, seq: 4 }] } };
  expect(() => encodeStatus(status)).toThrow(InvariantError);
});

test('golden bytes: future versions must read them', () => {
  const bytes = encodeStatus(EVERYTHING);
  expect(hex(bytes)).toMatchInlineSnapshot(
    `"0180f086c2ee65e8078827ac020202030108746f6f206d616e7913c0a907000e070c02030002080100001861726e3a6177733a6563733a7461736b2f6a6f62732f6161cf8c010902011701620702020611c901d804020ac0a907010571756f746102000953757370656e6465640d4a6f622073757370656e646564c8010f0102010158000000000101040203617070016105782e792f7a000228e7070002ff0703145ae807e807d00f06a09c0101020400020650c0a9070900050714405000040068030ea19c018506500ac1b8024d0ca19c010a491200"`,
  );
  expect(decodeStatus(bytes)).toEqual(EVERYTHING);
});

test('what few Jobs have costs the others a byte together', () => {
  const changes = [
    { version: 298, state: 'Resumed', at: at(-3_000) },
    { version: 300, state: 'Failed', at: at(0) },
  ] as const;
  const uid = asJobUid('8f14e45f-ceea-467f-a0e6-1b2c3d4e5f60');
  const enough = { kind: 'complete', reason: 'SuccessPolicy', message: 'enough', decidedBy: 7 } as const;
  const own = { ...enough, ownReason: 'LeaderSucceeded' };
  const rare: readonly (readonly [Partial<Status>, string])[] = [
    [{ unannounced: { changes, dueAt: at(60_000) } }, '01' + '02' + '0402ef2e' + '000400' + 'c0a907'],
    [{ upstreams: [{ name: 'f', uid: null, isMet: false }] }, '02' + '01' + '016600'],
    [{ upstreams: [{ name: 'f', uid, isMet: true }] }, `020101660324${Buffer.from(uid).toString('hex')}`],
    [{ gang: { restarts: 3, since: at(-4), isReady: true } }, '04' + '07' + '08'],
    [{ achieved: { verdict: enough, since: at(-2) } }, `080303${hex(Uint8Array.of(6, ...Buffer.from('enough')))}0f`],
    [{ achieved: { verdict: own, since: at(-2) } }, `08030b06${Buffer.from('enough').toString('hex')}0f0f4c`],
    [{ isAwaited: true }, '10'],
  ];
  const usual = hex(encodeStatus(EVERYTHING));
  const place = usual.indexOf('0228e707') + '0228e707'.length;
  expect(usual.slice(place, place + 2)).toBe('00');
  for (const [part, bytes] of rare) {
    const status = { ...EVERYTHING, ...part };
    expect(hex(encodeStatus(status)).slice(place, place + bytes.length)).toBe(bytes);
    expect(decodeStatus(encodeStatus(status))).toEqual(status);
  }
});

test('a reason of the user’s is read, wherever the Job’s end is', () => {
  const verdict = {
    kind: 'complete',
    reason: 'SuccessPolicy',
    message: 'enough',
    decidedBy: 7,
    ownReason: 'R',
  } as const;
  const finished = { kind: 'finished', verdict, since: at(-2), at: at(-1) } as const;
  for (const phase of [finished, { kind: 'terminating', since: at(0), ended: finished } as const])
    expect(decodeStatus(encodeStatus({ ...EVERYTHING, phase })).phase).toEqual(phase);
});

const STEP_ORDER = [
  'claim',
  'renonce',
  'launched',
  'running',
  'stopping',
  'succeeded',
  'failed',
  'failedForGood',
  'lost',
  'lostToSpot',
  'released',
  'podDeleted',
  'restart',
  'unstarted',
  'relaunch',
  'ignored',
] as const;

test('golden codes of steps, phases and reasons', () => {
  const entries = STEP_ORDER.map((op, seq): JournalEntry => {
    const id = { index: 0, attempt: 1 };
    if (op === 'unstarted') return { seq, transition: { ...id, op, notBefore: null, since: null } };
    const holds = op === 'failed' || op === 'restart' || op === 'ignored' || op === 'lost' || op === 'lostToSpot';
    return { seq, transition: holds ? { ...id, op, notBefore: null } : { ...id, op } };
  });
  entries.push({ seq: STEP_ORDER.length, transition: { index: 0, attempt: 1, op: 'failed', notBefore: NOW } });
  const bytes = hex(encodeStatus({ ...fresh(1), journal: { nextSeq: entries.length, entries } }));
  const stored = '400041004200430044004500460047004800004900004a004b004c00004d0000004e004f0000500001';
  expect(bytes.slice(-stored.length)).toBe(stored);

  const gone: readonly JournalEntry[] = (
    [
      { op: 'succeeded' },
      { op: 'failed', notBefore: null },
      { op: 'failed', notBefore: NOW },
      { op: 'failedForGood' },
      { op: 'ignored', notBefore: null },
      { op: 'lost', notBefore: null },
      { op: 'lostToSpot', notBefore: null },
    ] as const
  ).map((step, seq) => ({ seq, transition: { index: 0, attempt: 1, ...step, gone: true } }));
  const status = { ...fresh(1), journal: { nextSeq: gone.length, entries: gone } };
  const goneStored = '5100520053000154005500005600005700' + '00';
  expect(hex(encodeStatus(status)).slice(-goneStored.length)).toBe(goneStored);
  expect(decodeStatus(encodeStatus(status))).toEqual(status);

  const firsts: readonly JournalEntry[] = (
    [
      { op: 'restart', notBefore: NOW, podCreatedSec: NOW / 1000 - 1 },
      { op: 'unstarted', notBefore: null, since: at(-1), podCreatedSec: NOW / 1000 - 3600 },
      { op: 'restart', notBefore: null },
    ] as const
  ).map((step, seq) => ({ seq, transition: { index: 0, attempt: 1, ...step } }));
  const goesOn = { ...fresh(1), journal: { nextSeq: firsts.length, entries: firsts } };
  const goesOnStored = '59000101' + '5a0000029f38' + '4c0000';
  expect(hex(encodeStatus(goesOn)).slice(-goesOnStored.length)).toBe(goesOnStored);
  expect(decodeStatus(encodeStatus(goesOn))).toEqual(goesOn);

  const since = NOW;
  const failed = (reason: FailureReason) => ({ kind: 'failed', reason, message: '', decidedBy: null }) as const;
  const complete = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null } as const;
  const policy = { ...complete, reason: 'SuccessPolicy', decidedBy: 9 } as const;
  const phases: readonly (readonly [Status['phase'], string])[] = [
    [{ kind: 'running' }, '00'],
    [{ kind: 'suspended', since }, '0100'],
    [{ kind: 'draining', since, verdict: complete }, '0200000000'],
    [{ kind: 'draining', since, verdict: policy }, '0200030013'],
    [{ kind: 'draining', since, verdict: failed('DeadlineExceeded') }, '0200040000'],
    [{ kind: 'draining', since, verdict: failed('PodFailurePolicy') }, '0200050000'],
    [{ kind: 'draining', since, verdict: failed('MaxFailedIndexesExceeded') }, '0200060000'],
    [{ kind: 'draining', since, verdict: failed('FailedIndexes') }, '0200070000'],
    [{ kind: 'draining', since, verdict: failed('BackoffLimitExceeded') }, '02000100'],
    [{ kind: 'finished', since, at: since, verdict: failed('LaunchRefused') }, '0300000200'],
    [{ kind: 'purging', since }, '0400'],
    [{ kind: 'deleted', since, at: since }, '050000'],
    [
      { kind: 'purging', since, ended: { kind: 'finished', since, at: since, verdict: complete } },
      '070300000000000400',
    ],
    [
      { kind: 'deleted', since, at: since, ended: { kind: 'finished', since, at: since, verdict: complete } },
      '08030000000000050000',
    ],
    [{ kind: 'terminating', since, ended: null }, '060000'],
    [
      { kind: 'terminating', since, ended: { kind: 'finished', since, at: since, verdict: complete } },
      '060001030000000000',
    ],
  ];
  const start = (1 + 6 + 1 + 1 + 1 + 1) * 2; // version, now, next sequence number, size, version, revision
  for (const [phase, code] of phases)
    expect(hex(encodeStatus({ ...fresh(1), phase })).slice(start)).toMatch(new RegExp(`^${code}`));
});

test('a new Job of a million: its 245 chunks take a byte each', () => {
  const bytes = encodeStatus(fresh(1_000_000));
  expect(bytes.length).toBeLessThan(245 + 45);
});

describe('sizes', () => {
  const bytesOf = (part: Partial<Status>): number =>
    encodeStatus({ ...fresh(100_000), ...part }).length - encodeStatus(fresh(100_000)).length;
  const roll = dice(1);
  const far = Array.from({ length: 500 }, () => roll(100_000));

  test('500 claims in order and 500 outcomes in any order', () => {
    const ordered = far.map(
      (_, seq): JournalEntry => ({ seq, transition: { index: 70_000 + seq, attempt: 1, op: 'claim' } }),
    );
    const shuffled = far.map(
      (index, seq): JournalEntry => ({ seq, transition: { index, attempt: 1, op: 'succeeded' } }),
    );
    const woven = far.flatMap((_, i) => [ordered[i]!, shuffled[i]!].map((e, k) => ({ ...e, seq: 2 * i + k })));
    const journal = (entries: JournalEntry[]): number => bytesOf({ journal: { nextSeq: entries.length, entries } });
    expect(journal(ordered)).toBeLessThan(500 * 2 + 10);
    expect(journal(shuffled)).toBeLessThan(500 * 4 + 10);
    expect(journal(woven)).toBeLessThan(500 * 6 + 10);
  });

  test('500 claims in flight', () => {
    const claims = (indexes: number[]): number =>
      bytesOf({
        inFlight: indexes.map((index, i) => ({ index, attempt: 1, nonce: 0, dueAt: at(60_000 + Math.floor(i / 50)) })),
      });
    expect(claims(far.map((_, i) => 70_000 + i))).toBeLessThan(500 * 2 + 50);
    expect(claims(far)).toBeLessThan(500 * 4 + 50);
  });

  test('25 chunks, each at work', () => {
    const chunks = Array.from({ length: 24 }, (_, no) => ({
      ...freshSummary(0),
      version: 40 + no,
      foldedSeq: 90_000 + no,
      starting: 20,
      running: 1500,
      succeeded: 2576,
      firstPending: CHUNK_INDEXES,
    }));
    const journal = { nextSeq: 100_000, entries: [] };
    const grown = bytesOf({ chunks: [...chunks, freshSummary(1696)], journal }) - bytesOf({ journal });
    expect(grown).toBeLessThanOrEqual(24 * 11);
  });
});
