import type { EpochMs } from '../base/time.ts';
import type { Reader, Writer } from '../base/bytes.ts';
import { invariant } from '../base/invariant.ts';
import type { Journal, JournalEntry } from './status.ts';
import {
  writeSec,
  readSec,
  writeTimeOrNull,
  readTimeOrNull,
  readBelow,
  notNegative,
  codes,
} from '../base/stored-values.ts';
import type { Step, TransitionOp } from './transition.ts';

// The journal. An entry's first byte: the step in the lowest five bits; 32: sequence numbers were skipped before it; the
// highest two: the attempt, if it is 1 to 3, otherwise 0 and the attempt follows. Indexes count from the one after the last of
// the same step, because each step goes over the board in its own order.

type StepWord = ShortWord | LongWord;
type ShortWord =
  | Exclude<TransitionOp, LongWord>
  | 'failedHeld'
  | GoneWord
  | `${'claim' | 'restart' | 'unstarted'}First`;
/** Steps that few Jobs have. */
type LongWord =
  | 'claimLaunched'
  | 'claimBoth'
  | 'runningSince'
  | 'late'
  | 'lateIndex'
  | 'cancel'
  | 'requeue'
  | 'hold'
  | 'release'
  | 'exclude'
  | 'retry'
  | 'expire'
  | 'lingers'
  | 'removed';
type GoneWord = `${'succeeded' | 'failed' | 'failedHeld' | 'failedForGood' | 'ignored' | 'lost' | 'lostToSpot'}Gone`;

const STEPS = codes<ShortWord>({
  claim: 0,
  renonce: 1,
  launched: 2,
  running: 3,
  stopping: 4,
  succeeded: 5,
  failed: 6,
  failedForGood: 7,
  lost: 8,
  lostToSpot: 9,
  released: 10,
  podDeleted: 11,
  restart: 12,
  unstarted: 13,
  relaunch: 14,
  ignored: 15,
  /** `failed` with a back-off of the index itself */
  failedHeld: 16,
  // The same ends, for Pods that were being deleted.
  succeededGone: 17,
  failedGone: 18,
  failedHeldGone: 19,
  failedForGoodGone: 20,
  ignoredGone: 21,
  lostGone: 22,
  lostToSpotGone: 23,
  evicted: 24,
  // The same steps, with the time when the Pod's first task was created.
  restartFirst: 25,
  unstartedFirst: 26,
  // In a Job that says how long a Pod may take to start.
  claimFirst: 27,
  overdue: 28,
});
/** Under this code, the step is in the byte that follows. */
const LONG = 31;
const LONG_STEPS = codes<LongWord>({
  /** with the time of the index's first Pod */
  claimLaunched: 0,
  /** with the times of the index's first Pod and of this one, which are the same */
  claimBoth: 1,
  /** with the time of the Pod's first task */
  runningSince: 2,
  late: 3,
  lateIndex: 4,
  cancel: 5,
  requeue: 6,
  hold: 7,
  release: 8,
  exclude: 9,
  retry: 10,
  expire: 11,
  lingers: 12,
  removed: 13,
});
const STEP_CODES = 32;
const GAP = 32;
const ATTEMPT_UNIT = 64;
const ATTEMPT_INLINE_MAX = 3;

/** Appends a journal; its times count from `now`. */
export function writeEntries(w: Writer, { nextSeq, entries }: Journal, now: EpochMs): void {
  w.varint(entries.length);
  if (entries.length === 0) return;
  let expected = entries[0]?.seq ?? 0;
  w.zigzag(nextSeq - expected);
  const nextIndex = new Uint32Array(STEP_CODES);
  for (const { seq, transition: t } of entries) {
    invariant(seq >= expected, 'the journal is in order');
    const word = wordOf(t);
    const isLongStep = isLong(word);
    const step = isLongStep ? LONG : STEPS.code(word);
    const inline = t.attempt <= ATTEMPT_INLINE_MAX ? t.attempt : 0;
    w.byte(step + (seq === expected ? 0 : GAP) + inline * ATTEMPT_UNIT);
    if (isLongStep) w.byte(LONG_STEPS.code(word));
    if (seq !== expected) w.varint(seq - expected);
    if (inline === 0) w.varint(t.attempt);
    w.zigzag(t.index - (nextIndex[step] ?? 0));
    if ('notBefore' in t && word !== 'failed' && word !== 'failedGone') writeTimeOrNull(w, t.notBefore, now);
    if (t.op === 'unstarted') writeTimeOrNull(w, t.since, now);
    if ('podCreatedSec' in t && t.podCreatedSec !== undefined) writeSec(w, t.podCreatedSec, now);
    else if ('launchedSec' in t && t.launchedSec !== undefined) writeSec(w, t.launchedSec, now);
    if ('ranSec' in t && t.ranSec !== undefined) writeSec(w, t.ranSec, now);
    expected = seq + 1;
    nextIndex[step] = t.index + 1;
  }
}

/** The entries that {@link writeEntries} was given. Throws {@link DecodeError}. */
export function readEntries(r: Reader, nextSeq: number, now: EpochMs): JournalEntry[] {
  const count = r.count();
  if (count === 0) return [];
  let seq = readBelow(r, nextSeq);
  const nextIndex = new Uint32Array(STEP_CODES);
  return Array.from({ length: count }, () => {
    const head = r.byte();
    const step = head % STEP_CODES;
    const op = step === LONG ? LONG_STEPS.word(r.byte()) : STEPS.word(step);
    if ((head & GAP) !== 0) seq = notNegative(seq + r.varint());
    const inline = Math.floor(head / ATTEMPT_UNIT);
    const attempt = inline === 0 ? r.varint() : inline;
    const index = notNegative((nextIndex[step] ?? 0) + r.zigzag());
    nextIndex[step] = index + 1;
    return { seq: seq++, transition: { index, attempt, ...readStep(r, op, now) } };
  });
}

const LONG_WORDS: ReadonlySet<string> = new Set<LongWord>([
  'claimLaunched',
  'claimBoth',
  'runningSince',
  'late',
  'lateIndex',
  'cancel',
  'requeue',
  'hold',
  'release',
  'exclude',
  'retry',
  'expire',
  'lingers',
  'removed',
]);
const isLong = (word: StepWord): word is LongWord => LONG_WORDS.has(word);

/** The word under which a step is stored. */
function wordOf(step: Step): StepWord {
  if (step.op === 'claim' && step.launchedSec !== undefined)
    return step.podCreatedSec === undefined ? 'claimLaunched' : 'claimBoth';
  if (step.op === 'running' && step.ranSec !== undefined) return 'runningSince';
  if ('podCreatedSec' in step && step.podCreatedSec !== undefined) return `${step.op}First`;
  const word = step.op === 'failed' && step.notBefore !== null ? 'failedHeld' : step.op;
  if (!('gone' in step) || step.gone !== true) return word;
  return word === 'failedHeld' ? 'failedHeldGone' : `${step.op}Gone`;
}

function readStep(r: Reader, word: StepWord, now: EpochMs): Step {
  const held = (): { readonly notBefore: EpochMs | null } => ({ notBefore: readTimeOrNull(r, now) });
  if (word === 'failed') return { op: word, notBefore: null };
  if (word === 'failedGone') return { op: 'failed', notBefore: null, gone: true };
  if (word === 'failedHeld') return { op: 'failed', ...held() };
  if (word === 'failedHeldGone') return { op: 'failed', ...held(), gone: true };
  if (word === 'unstarted') return { op: word, ...held(), since: readTimeOrNull(r, now) };
  if (word === 'runningSince') return { op: 'running', ranSec: readSec(r, now) };
  if (word === 'claimLaunched') return { op: 'claim', launchedSec: readSec(r, now) };
  if (word === 'claimBoth') {
    const sec = readSec(r, now);
    return { op: 'claim', podCreatedSec: sec, launchedSec: sec };
  }
  if (word === 'claimFirst') return { op: 'claim', podCreatedSec: readSec(r, now) };
  if (word === 'restartFirst') return { op: 'restart', ...held(), podCreatedSec: readSec(r, now) };
  if (word === 'unstartedFirst')
    return { op: 'unstarted', ...held(), since: readTimeOrNull(r, now), podCreatedSec: readSec(r, now) };
  if (word === 'restart' || word === 'ignored' || word === 'lost' || word === 'lostToSpot')
    return { op: word, ...held() };
  if (word === 'ignoredGone') return { op: 'ignored', ...held(), gone: true };
  if (word === 'lostGone') return { op: 'lost', ...held(), gone: true };
  if (word === 'lostToSpotGone') return { op: 'lostToSpot', ...held(), gone: true };
  if (word === 'succeededGone') return { op: 'succeeded', gone: true };
  if (word === 'failedForGoodGone') return { op: 'failedForGood', gone: true };
  return { op: word };
}
