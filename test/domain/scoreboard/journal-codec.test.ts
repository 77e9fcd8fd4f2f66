import { expect, test } from 'vitest';
import { Reader, Writer } from '../../../shared/domain/base/bytes.ts';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { readEntries, writeEntries } from '../../../shared/domain/codecs/journal-codec.ts';
import {
  STEPS,
  type StepField,
  type Transition,
  type TransitionOp,
} from '../../../shared/domain/scoreboard/transition.ts';

const NOW = asEpochMs(1_750_000_000_000);
const SEC = NOW / 1000 - 60;
const SAID = { notBefore: NOW, since: NOW, podCreatedSec: SEC, launchedSec: SEC, ranSec: SEC, gone: true };

const FORMS = (Object.keys(STEPS) as TransitionOp[]).flatMap((op) =>
  Object.entries<readonly StepField[]>(STEPS[op].forms).map(([code, fields]) => ({ op, code: Number(code), fields })),
);

/** A step of a form, which says all that it may. */
const stepOf = (op: TransitionOp, fields: readonly StepField[]): Transition =>
  ({
    ...(op === 'failed' ? { notBefore: null } : {}),
    ...Object.fromEntries(fields.map((name) => [name, SAID[name]])),
    index: 3,
    attempt: 1,
    op,
  }) as Transition;

test('golden bytes of every form of a step: future versions must read them', () => {
  const rows = FORMS.toSorted((a, b) => a.code - b.code).map(({ op, code, fields }) => {
    const journal = { nextSeq: 1, entries: [{ seq: 0, transition: stepOf(op, fields) }] };
    const w = new Writer();
    writeEntries(w, journal, NOW);
    const bytes = w.finish();
    expect(readEntries(new Reader(bytes), 1, NOW)).toEqual(journal.entries);
    return `${code} ${[op, ...fields].join(' ')}: ${Buffer.from(bytes.subarray(2)).toString('hex')}`;
  });
  expect(rows).toMatchInlineSnapshot(`
    [
      "0 claim: 4006",
      "1 renonce: 4106",
      "2 launched: 4206",
      "3 running: 4306",
      "4 stopping: 4406",
      "5 succeeded: 4506",
      "6 failed: 4606",
      "7 failedForGood: 4706",
      "8 lost notBefore: 480601",
      "9 lostToSpot notBefore: 490601",
      "10 released: 4a06",
      "11 podDeleted: 4b06",
      "12 restart notBefore: 4c0601",
      "13 unstarted notBefore since: 4d060101",
      "14 relaunch: 4e06",
      "15 ignored notBefore: 4f0601",
      "16 failed notBefore: 500601",
      "17 succeeded gone: 5106",
      "18 failed gone: 5206",
      "19 failed notBefore gone: 530601",
      "20 failedForGood gone: 5406",
      "21 ignored notBefore gone: 550601",
      "22 lost notBefore gone: 560601",
      "23 lostToSpot notBefore gone: 570601",
      "24 evicted: 5806",
      "25 restart notBefore podCreatedSec: 59060177",
      "26 unstarted notBefore since podCreatedSec: 5a06010177",
      "27 claim podCreatedSec: 5b0677",
      "28 overdue: 5c06",
      "32 claim launchedSec: 5f000677",
      "33 claim podCreatedSec launchedSec: 5f010677",
      "34 running ranSec: 5f020677",
      "35 late: 5f0306",
      "36 lateIndex: 5f0406",
      "37 cancel: 5f0506",
      "38 requeue: 5f0606",
      "39 hold: 5f0706",
      "40 release: 5f0806",
      "41 exclude: 5f0906",
      "42 retry: 5f0a06",
      "43 expire: 5f0b06",
      "44 lingers: 5f0c06",
      "45 removed: 5f0d06",
    ]
  `);
});

test('no code is used twice, and each has a place in the bytes', () => {
  const codes = FORMS.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  expect(codes.filter((code) => code === 31 || code >= 32 + 256)).toEqual([]);
});
