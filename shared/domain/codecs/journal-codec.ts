import { DecodeError, type Reader, type Writer } from '../base/bytes.ts';
import { invariant } from '../base/invariant.ts';
import { type Codec, SEC, TIME_OR_NULL, notNegative, readBelow } from '../base/stored-values.ts';
import type { EpochMs } from '../base/time.ts';
import type { Journal, JournalEntry } from '../scoreboard/status.ts';
import {
  STEPS,
  type StepField,
  type StepValues,
  type Transition,
  type TransitionOp,
} from '../scoreboard/transition.ts';

// The journal. An entry's first byte: the code of the step's form in the lowest five bits; 32: sequence numbers were skipped before
// it; the highest two: the attempt, if it is 1 to 3, otherwise 0 and the attempt follows. A code from 32 on is 31 there, and the rest
// is in the byte that follows. Indexes count from the one after the last of the same code (from 32 on: of any), because each step
// goes over the board in its own order.

const STEP_CODES = 32;
/** Under this code, the rest of it is in the byte that follows. */
const LONG = 31;
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
    const { code, stored } = formOf(t);
    const step = Math.min(code, LONG);
    const inline = t.attempt <= ATTEMPT_INLINE_MAX ? t.attempt : 0;
    w.byte(step + (seq === expected ? 0 : GAP) + inline * ATTEMPT_UNIT);
    if (step === LONG) w.byte(code - STEP_CODES);
    if (seq !== expected) w.varint(seq - expected);
    if (inline === 0) w.varint(t.attempt);
    w.zigzag(t.index - (nextIndex[step] ?? 0));
    for (const name of stored) (FIELDS[name] as Codec<unknown>).write(w, (t as Said)[name], now);
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
    const code = step === LONG ? STEP_CODES + r.byte() : step;
    const form = BY_CODE[code];
    if (form === undefined) throw new DecodeError(`step ${code} is not known`);
    if ((head & GAP) !== 0) seq = notNegative(seq + r.varint());
    const inline = Math.floor(head / ATTEMPT_UNIT);
    const attempt = inline === 0 ? r.varint() : inline;
    const index = notNegative((nextIndex[step] ?? 0) + r.zigzag());
    nextIndex[step] = index + 1;
    const transition: Said = { index, attempt, op: form.op };
    if (form.saysAnything) readFields(r, transition, form, now);
    return { seq: seq++, transition: transition as Transition };
  });
}

/** A transition, with whatever a step may say. */
type Said = Pick<Transition, 'index' | 'attempt' | 'op'> & { -readonly [F in StepField]?: StepValues[F] | undefined };

/** Fields that take bytes, in the order in which they do. */
const FIELDS: { readonly [F in Exclude<StepField, 'gone'>]: Codec<StepValues[F]> } = {
  notBefore: TIME_OR_NULL,
  since: TIME_OR_NULL,
  podCreatedSec: SEC,
  launchedSec: SEC,
  ranSec: SEC,
};
type Stored = keyof typeof FIELDS;
const STORED = Object.keys(FIELDS) as Stored[];

/** How a step is stored that says certain things. */
type Form = {
  readonly op: TransitionOp;
  readonly code: number;
  readonly fields: readonly StepField[];
  /** Those of them that take bytes: of two times that are the same, the first. */
  readonly stored: readonly Stored[];
  /** The same in all of the op's forms. */
  readonly saysAnything: boolean;
  readonly mayWait: boolean;
};

/** A form for each set of the fields that not all of the op's steps have: a bit each, in their order. */
type FormsOfOp = { readonly optional: readonly StepField[]; readonly bySet: readonly Form[] };

function formsOf(op: TransitionOp): FormsOfOp {
  const forms = Object.entries<readonly StepField[]>(STEPS[op].forms);
  const all = [...new Set(forms.flatMap(([, fields]) => fields))];
  const optional = all.filter((name) => !forms.every(([, fields]) => fields.includes(name)));
  const bySet: Form[] = [];
  for (const [code, fields] of forms) {
    const isTwice = fields.includes('podCreatedSec') && fields.includes('launchedSec');
    const stored = STORED.filter((name) => fields.includes(name) && !(isTwice && name === 'launchedSec'));
    const set = optional.reduce((bits, name, at) => (fields.includes(name) ? bits | (1 << at) : bits), 0);
    const mayWait = all.includes('notBefore');
    bySet[set] = { op, code: Number(code), fields, stored, saysAnything: all.length > 0, mayWait };
  }
  return { optional, bySet };
}

const OPS = Object.keys(STEPS) as TransitionOp[];
const BY_OP = Object.fromEntries(OPS.map((op) => [op, formsOf(op)])) as Readonly<Record<TransitionOp, FormsOfOp>>;
const BY_CODE: Form[] = [];
for (const { bySet } of Object.values(BY_OP)) for (const form of bySet) BY_CODE[form.code] = form;

function formOf(step: Said): Form {
  const { optional, bySet } = BY_OP[step.op];
  let set = 0;
  for (const [at, name] of optional.entries()) if ((step[name] ?? null) !== null) set |= 1 << at;
  const form = bySet[set];
  invariant(form !== undefined, `${step.op} has a form`);
  return form;
}

function readFields(r: Reader, step: Said, { fields, stored, mayWait }: Form, now: EpochMs): void {
  for (const name of stored) (step as Record<string, unknown>)[name] = FIELDS[name].read(r, now);
  if (mayWait) step.notBefore ??= null;
  if (fields.includes('launchedSec')) step.launchedSec ??= step.podCreatedSec;
  if (fields.includes('gone')) step.gone = true;
}
