import { type ChunkSummary, SUMMARY_FIELDS } from './board.ts';
import { type EpochMs, asEpochMs } from '../base/time.ts';
import { asTaskArn } from '../base/ids.ts';
import { DecodeError, Reader, Writer } from '../base/bytes.ts';
import { NewerFormatError } from '../base/newer-format.ts';
import { readEntries, writeEntries } from './journal-codec.ts';
import { type RareFields, rareFieldsOf, readRareFields, writeRareFields } from './rare-fields.ts';
import { type Claim, type Finished, type Phase, type Status, chunkLength } from './status.ts';
import { readSummaryFields, summaryOf } from './summary-accessors.ts';
import { readVerdict, writeVerdict } from './verdict-codec.ts';
import {
  writeTime,
  readTime,
  writeTimeOrNull,
  readTimeOrNull,
  readBelow,
  readBit,
  notNegative,
  codes,
} from '../base/stored-values.ts';

/**
 * STATUS as bytes. Every commit of a Job writes it, so it is kept small: what changes in steps is stored as the step.
 *
 * version 1 · head · chunk summaries · claims in flight · journal
 *
 * Times count from the status's own `now`, sequence numbers from the journal's next one, indexes from the one before of the
 * same kind. So a claim in the journal takes 2 bytes, because claims go up one by one; an outcome 4, because those come in any
 * order; a lost attempt in back-off 7; a claim in flight 2 to 4; a fresh chunk 1, any other about 10.
 */
const VERSION = 1;

export function encodeStatus(status: Status): Uint8Array {
  const w = new Writer(1024);
  w.byte(VERSION);
  writeHead(w, status);
  writeSummaries(w, status);
  writeClaims(w, status.inFlight, status.now);
  writeEntries(w, status.journal, status.now);
  return w.finish();
}

/** The status that {@link encodeStatus} was given, equal in every field. Throws {@link DecodeError} or {@link NewerFormatError}. */
export function decodeStatus(bytes: Uint8Array): Status {
  const r = new Reader(bytes);
  const format = r.byte();
  if (format > VERSION) throw new NewerFormatError('a STATUS', format, VERSION);
  if (format < VERSION) throw new DecodeError(`a STATUS of format version ${format}, where ${VERSION} is known`);
  const now = asEpochMs(r.zigzag());
  const nextSeq = r.varint();
  const size = r.varint();
  const version = r.varint();
  const head = readHead(r, version, nextSeq, now);
  const rare = readRareFields(r, version, now);
  // Each by its name: with spreads, V8 makes a dictionary of so many fields, which takes five times as long and is slow to read.
  const status: Status = {
    now,
    size,
    version,
    revision: head.revision,
    phase: head.phase,
    startTime: head.startTime,
    resumedAt: head.resumedAt,
    endedSuspendedSince: head.endedSuspendedSince,
    failed: head.failed,
    restarts: head.restarts,
    ruleHits: head.ruleHits,
    replacedTasks: head.replacedTasks,
    backoff: head.backoff,
    stopRound: head.stopRound,
    inspect: head.inspect,
    alarms: head.alarms,
    waitReason: head.waitReason,
    events: head.events,
    relabelled: head.relabelled,
    published: head.published,
    unannounced: rare.unannounced,
    upstreams: rare.upstreams,
    gang: rare.gang,
    achieved: rare.achieved,
    isAwaited: rare.isAwaited,
    chunks: readSummaries(r, size, nextSeq, now),
    inFlight: readClaims(r, now),
    journal: { nextSeq, entries: readEntries(r, nextSeq, now) },
  };
  r.end();
  return status;
}

// The head: what a Job has once.

type Head = Omit<Status, 'now' | 'size' | 'version' | 'chunks' | 'inFlight' | 'journal' | keyof RareFields>;

function writeHead(w: Writer, status: Status): void {
  const { now, journal, backoff, stopRound, inspect, published } = status;
  w.zigzag(now);
  w.varint(journal.nextSeq);
  w.varint(status.size);
  w.varint(status.version);
  w.varint(status.revision);
  writePhase(w, status.phase, now);
  writeTimeOrNull(w, status.startTime, now);
  writeTimeOrNull(w, status.resumedAt, now);
  writeTimeOrNull(w, status.endedSuspendedSince, now);
  w.varint(status.failed);
  w.varint(status.restarts);
  w.varint(status.ruleHits.length);
  for (const hits of status.ruleHits) w.varint(hits);
  writeReplacedTasks(w, status.replacedTasks, now);
  w.varint(backoff.failures);
  writeTimeOrNull(w, backoff.lastFailureAt, now);
  writeTimeOrNull(w, stopRound?.startedAt ?? null, now);
  if (stopRound !== null) w.varint(stopRound.cursor);
  writeTimeOrNull(w, inspect?.at ?? null, now);
  if (inspect !== null) w.varint(inspect.intervalMs);
  w.varint(status.alarms.length);
  for (const at of status.alarms) writeTime(w, at, now);
  w.byte(status.waitReason === null ? 0 : 1);
  if (status.waitReason !== null) w.text(status.waitReason);
  writeEvents(w, status);
  writeRelabelled(w, status);
  w.zigzag(status.version - published.version);
  w.zigzag(journal.nextSeq - published.seq);
  writeTime(w, published.at, now);
  w.varint(rareFieldsOf(status));
  writeRareFields(w, status);
}

const readHead = (r: Reader, version: number, nextSeq: number, now: EpochMs): Head => ({
  revision: r.varint(),
  phase: readPhase(r, now),
  startTime: readTimeOrNull(r, now),
  resumedAt: readTimeOrNull(r, now),
  endedSuspendedSince: readTimeOrNull(r, now),
  failed: r.varint(),
  restarts: r.varint(),
  ruleHits: Array.from({ length: r.count() }, () => r.varint()),
  replacedTasks: readReplacedTasks(r, now),
  backoff: { failures: r.varint(), lastFailureAt: readTimeOrNull(r, now) },
  stopRound: readStopRound(r, now),
  inspect: readInspect(r, now),
  alarms: Array.from({ length: r.count() }, () => readTime(r, now)),
  waitReason: readBit(r) ? r.text() : null,
  events: readEvents(r, version, now),
  relabelled: readRelabelled(r, version),
  published: { version: readBelow(r, version), seq: readBelow(r, nextSeq), at: readTime(r, now) },
});

function readStopRound(r: Reader, now: EpochMs): Status['stopRound'] {
  const startedAt = readTimeOrNull(r, now);
  return startedAt === null ? null : { cursor: r.varint(), startedAt };
}

function readInspect(r: Reader, now: EpochMs): Status['inspect'] {
  const at = readTimeOrNull(r, now);
  return at === null ? null : { at, intervalMs: r.varint() };
}

// Codes are part of the stored format: new words get new numbers, old numbers are never used again.

const PHASES = codes<Phase['kind'] | 'purgingEnded' | 'deletedEnded' | 'held'>({
  running: 0,
  suspended: 1,
  draining: 2,
  finished: 3,
  purging: 4,
  deleted: 5,
  terminating: 6,
  purgingEnded: 7,
  deletedEnded: 8,
  held: 9,
  regrouping: 10,
});
function writePhase(w: Writer, phase: Phase, now: EpochMs): void {
  if ((phase.kind === 'purging' || phase.kind === 'deleted') && phase.ended !== undefined) {
    const { ended, ...rest } = phase;
    w.byte(PHASES.code(`${phase.kind}Ended`));
    writePhase(w, ended, now);
    writePhase(w, rest, now);
    return;
  }
  w.byte(PHASES.code(phase.kind === 'suspended' && phase.held === true ? 'held' : phase.kind));
  if (phase.kind === 'running') return;
  writeTime(w, phase.since, now);
  if (phase.kind === 'regrouping') w.text(phase.message);
  if (phase.kind === 'terminating') {
    w.byte(phase.ended === null ? 0 : 1);
    if (phase.ended !== null) writePhase(w, phase.ended, now);
  }
  if (phase.kind === 'finished' || phase.kind === 'deleted') writeTime(w, phase.at, now);
  if (phase.kind === 'draining' || phase.kind === 'finished') writeVerdict(w, phase.verdict);
}

function readPhase(r: Reader, now: EpochMs): Phase {
  const kind = PHASES.word(r.byte());
  if (kind === 'running') return { kind };
  if (kind === 'purgingEnded' || kind === 'deletedEnded') {
    const ended = readEnd(r, now);
    const phase = readPhase(r, now);
    if (phase.kind !== 'purging' && phase.kind !== 'deleted') throw new DecodeError('an ended Job that is not deleted');
    return { ...phase, ended };
  }
  const since = readTime(r, now);
  switch (kind) {
    case 'held':
      return { kind: 'suspended', since, held: true };
    case 'suspended':
    case 'purging':
      return { kind, since };
    case 'regrouping':
      return { kind, since, message: r.text() };
    case 'terminating': {
      return { kind, since, ended: readBit(r) ? readEnd(r, now) : null };
    }
    case 'deleted':
      return { kind, since, at: readTime(r, now) };
    case 'finished': {
      const at = readTime(r, now);
      return { kind, since, at, verdict: readVerdict(r) };
    }
    case 'draining':
      return { kind, since, verdict: readVerdict(r) };
  }
}

function readEnd(r: Reader, now: EpochMs): Finished {
  const ended = readPhase(r, now);
  if (ended.kind !== 'finished') throw new DecodeError('a Job that goes after no end');
  return ended;
}

// Events and labels: what users see of a Job's life apart from its state.

function writeEvents(w: Writer, { events, version, now }: Status): void {
  w.varint(events.length);
  for (const event of events) {
    w.byte(event.type === 'Normal' ? 0 : 1);
    w.text(event.reason);
    w.text(event.message);
    w.zigzag(version - event.version);
    writeTime(w, event.at, now);
    writeTime(w, event.firstAt, event.at);
    w.varint(event.count);
  }
}

function readEvents(r: Reader, version: number, now: EpochMs): Status['events'] {
  return Array.from({ length: r.count() }, () => {
    const type = readBit(r) ? 'Warning' : 'Normal';
    const said = { type, reason: r.text(), message: r.text() } as const;
    const shownAt = readBelow(r, version);
    const at = readTime(r, now);
    return { ...said, version: shownAt, at, firstAt: readTime(r, at), count: r.varint() };
  });
}

function writeRelabelled(w: Writer, { relabelled, version }: Status): void {
  w.byte(relabelled === null ? 0 : 1);
  if (relabelled === null) return;
  w.zigzag(version - relabelled.version);
  const labels = Object.entries(relabelled.labels);
  w.varint(labels.length);
  for (const [key, value] of labels) {
    w.text(key);
    w.text(value);
  }
}

function readRelabelled(r: Reader, version: number): Status['relabelled'] {
  if (!readBit(r)) return null;
  const changed = readBelow(r, version);
  return {
    version: changed,
    labels: Object.fromEntries(Array.from({ length: r.count() }, () => [r.text(), r.text()])),
  };
}

// Replaced attempts: their ARNs have a common prefix, so each leaves out what it shares with the one before.

function writeReplacedTasks(w: Writer, replacedTasks: Status['replacedTasks'], now: EpochMs): void {
  w.varint(replacedTasks.length);
  let before = '';
  for (const { index, attempt, nonce, taskArn, since } of replacedTasks) {
    w.varint(index);
    w.varint(attempt);
    w.varint(nonce);
    let shared = 0;
    while (shared < taskArn.length && taskArn[shared] === before[shared]) shared++;
    w.varint(shared);
    w.text(taskArn.slice(shared));
    before = taskArn;
    writeTime(w, since, now);
  }
}

function readReplacedTasks(r: Reader, now: EpochMs): Status['replacedTasks'] {
  let before = '';
  return Array.from({ length: r.count() }, () => {
    const id = { index: r.varint(), attempt: r.varint(), nonce: r.varint() };
    const shared = r.varint();
    if (shared > before.length) throw new DecodeError('an ARN that shares more than there is');
    const taskArn = asTaskArn(before.slice(0, shared) + r.text());
    before = taskArn;
    return { ...id, taskArn, since: readTime(r, now) };
  });
}

// Chunk summaries: one number says which fields do not have their usual value, then the stored item, these fields, and `pending`,
// which is usually the rest of the chunk's length. The bits that a running Job needs come first, so that the number takes one byte.

const STORED = 1;
const PENDING = 256;

function writeSummaries(w: Writer, { chunks, size, journal, now }: Status): void {
  w.varint(chunks.length);
  for (const [no, c] of chunks.entries()) {
    const stored = c.version !== 0 || c.foldedSeq !== 0;
    const pendingBeside = c.pending - leftOver(c, size, no);
    const has = SUMMARY_FIELDS.bitsOf(c);
    w.varint(has | (stored ? STORED : 0) | (pendingBeside === 0 ? 0 : PENDING));
    if (stored) {
      w.varint(c.version);
      w.zigzag(journal.nextSeq - c.foldedSeq);
    }
    SUMMARY_FIELDS.write(w, c, has, now);
    if (pendingBeside !== 0) w.zigzag(pendingBeside);
  }
}

function readSummaries(r: Reader, size: number, nextSeq: number, now: EpochMs): ChunkSummary[] {
  return Array.from({ length: r.count() }, (_, no) => {
    const has = r.varint();
    const stored = (has & STORED) !== 0;
    const version = stored ? r.varint() : 0;
    const foldedSeq = stored ? readBelow(r, nextSeq) : 0;
    SUMMARY_FIELDS.check(has - (has & (STORED | PENDING)));
    const fields = readSummaryFields(r, has, now);
    const beside = (has & PENDING) !== 0 ? r.zigzag() : 0;
    return summaryOf(version, foldedSeq, notNegative(beside + leftOver(fields, size, no)), fields);
  });
}

type NotPending = Pick<ChunkSummary, 'held' | 'starting' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'excluded'>;
const leftOver = (c: NotPending, size: number, no: number): number =>
  chunkLength(size, no) - c.held - c.starting - c.running - c.waiting - c.succeeded - c.failed - c.excluded;

// Claims in flight: usually the next index, due at the same time as the one before. One number holds the attempt, whether it
// has a nonce (1), and whether it is due at another time (2).

function writeClaims(w: Writer, claims: readonly Claim[], now: EpochMs): void {
  w.varint(claims.length);
  let next = 0;
  let due = now;
  for (const { index, attempt, nonce, dueAt } of claims) {
    w.varint(attempt * 4 + (nonce === 0 ? 0 : 1) + (dueAt === due ? 0 : 2));
    w.zigzag(index - next);
    if (nonce !== 0) w.varint(nonce);
    if (dueAt !== due) writeTime(w, dueAt, due);
    next = index + 1;
    due = dueAt;
  }
}

function readClaims(r: Reader, now: EpochMs): Claim[] {
  let next = 0;
  let dueAt = now;
  return Array.from({ length: r.count() }, () => {
    const head = r.varint();
    const attempt = Math.floor(head / 4);
    const index = notNegative(next + r.zigzag());
    const nonce = (head & 1) !== 0 ? r.varint() : 0;
    if ((head & 2) !== 0) dueAt = readTime(r, dueAt);
    next = index + 1;
    return { index, attempt, nonce, dueAt };
  });
}
