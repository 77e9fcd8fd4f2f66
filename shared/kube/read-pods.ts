import { CHUNK_INDEXES, chunkOf, chunksFor } from '../domain/board.ts';
import type { JobUid } from '../domain/brand.ts';
import { isPodDeletion } from '../domain/ending.ts';
import { hasNames } from '../domain/host-names.ts';
import { FRESH, type IndexRecord, hasPod, isActive } from '../domain/index-record.ts';
import { launchRowOf } from '../domain/launch-row.ts';
import { type PodWait, claimWait, pauseWait } from '../domain/pod-wait.ts';
import { podKey } from '../domain/told-pods.ts';
import type { LaunchPace } from '../domain/waits.ts';
import type { PodChange } from '../ports/feed.ts';
import type { AttemptRecord, LaunchSlot } from '../ports/job-store.ts';
import type { JobView, Reads } from './read-job.ts';
import { type ToldView, readTold } from './read-told.ts';
import type { PodFacts, PodPick } from './pod-facts.ts';
import { type PodObject, renderPod } from './render-pod.ts';

/** Indexes whose records and launches are read at once: a page of a large Job must not read its whole history. */
const WINDOW_INDEXES = 256;

/** A Pod with the place that it has in a list. */
export type FoundPod = PodPick & { readonly pod: PodObject };
type From = { readonly index: number; readonly attempt: number };

/** Told of each chunk that was read, and the version in which it was. */
type Seen = (no: number, version: number) => void;

/**
 * The Pods of a Job from (index, attempt) on, in that order, as the feed has told of them last: every attempt there was, but
 * for those that are gone and those whose records have vanished. Each chunk is read when its turn comes.
 */
export async function* podsOf(
  uid: JobUid,
  from: From,
  reads: Reads,
  visible: 'live' | 'evenDeleted' = 'live',
  seen: Seen = () => undefined,
): AsyncGenerator<FoundPod> {
  for await (const { index, attempt, state, ...facts } of podFactsOf(uid, from, reads, visible, seen))
    yield { index, attempt, state, pod: renderPod({ index, attempt, state, ...facts }) };
}

/** The same, not rendered. */
export async function* podFactsOf(
  uid: JobUid,
  from: From,
  reads: Reads,
  visible: 'live' | 'evenDeleted' = 'live',
  seen: Seen = () => undefined,
): AsyncGenerator<PodFacts> {
  let size = Number.POSITIVE_INFINITY;
  for (let no = chunkOf(from.index); no < chunksFor(size); no++) {
    const told = await readTold(uid, no, reads, visible);
    if (told === null) return;
    const { view } = told;
    seen(no, view.version);
    size = view.board.size;
    const end = Math.min((no + 1) * CHUNK_INDEXES, size);
    for (let first = Math.max(no * CHUNK_INDEXES, from.index); first < end; first += WINDOW_INDEXES) {
      const picks: PodPick[] = [];
      for (let index = first; index < Math.min(first + WINDOW_INDEXES, end); index++) {
        const begin = index === from.index ? from.attempt : 1;
        picks.push(...toldAttemptsOf(told, index).filter(({ attempt }) => attempt >= begin));
      }
      for (const facts of await readFacts(view, picks, reads)) if (!isGone(facts)) yield facts;
    }
  }
}

/** The Pod of one attempt, as it is or was; null when there never was one, or nothing is known of it. */
export async function readAttempt(
  uid: JobUid,
  index: number,
  attempt: number,
  reads: Reads,
  visible: 'live' | 'evenDeleted' = 'live',
): Promise<(FoundPod & { readonly view: JobView; readonly facts: PodFacts }) | null> {
  const told = await readTold(uid, chunkOf(index), reads, visible);
  if (told === null) return null;
  const { view } = told;
  const byNumber = (each: PodPick): boolean => each.attempt === attempt;
  const shown = toldAttemptsOf(told, index).find(byNumber);
  const pick = shown ?? attemptsOf(view, index).find(byNumber);
  if (pick === undefined) return null;
  const [facts] = await readFacts(view, [shown ?? { ...pick, state: 'ended' }], reads);
  const isKnown = facts !== undefined && (facts.state !== 'ended' || facts.record !== null);
  return isKnown ? { ...pick, pod: renderPod(facts), facts, view } : null;
}

/** The attempts of an index that users see, as they were told of last. */
function toldAttemptsOf({ view, pods }: ToldView, index: number): readonly PodPick[] {
  const base = view.told?.base ?? 0;
  return attemptsOf(view, index).flatMap((pick): readonly PodPick[] => {
    const told = pods?.get(podKey(pick));
    if (told === undefined) return pods === null ? [pick] : base > 0 ? [{ ...pick, version: base }] : [];
    if (told.state === 'gone') return [];
    const shown = pickOf(view, told);
    const isOver = shown.state === 'ended' || shown.state === 'succeeded' || shown.state === 'failed';
    // That all of a Job's Pods are being deleted is told once, by one row.
    const isToldStopping = told.state === 'stopping';
    return [
      { ...shown, isToldStopping, version: isOver ? told.number : Math.max(told.number, view.told?.ending ?? 0) },
    ];
  });
}

/** A Pod as a row of the feed tells of it. One that is being deleted is what the board says. */
export function pickOf({ board }: JobView, { index, attempt, state }: Omit<PodChange, 'isNew'>): PodPick {
  if (state !== 'stopping') return { index, attempt, state: state === 'pending' || state === 'gone' ? 'ended' : state };
  const record = board.record(index);
  const isCurrent = record?.attempt === attempt && record.state !== 'pending';
  return { index, attempt, state: isCurrent ? record.state : 'ended' };
}

/** Every attempt that an index has had, by what the board says of it. */
export function attemptsOf({ board }: JobView, index: number): readonly PodPick[] {
  const record = board.record(index);
  if (record === null) return [];
  return Array.from({ length: record.attempt }, (_, i): PodPick => {
    const isLatest = i + 1 === record.attempt;
    return { index, attempt: i + 1, state: !isLatest || record.state === 'pending' ? 'ended' : record.state };
  });
}

export type Rendered =
  | (FoundPod & { readonly kind: 'pod' })
  /** Nothing ran, for the claim was withdrawn; or the Pod was deleted; or the record has vanished with its time. */
  | (FoundPod & { readonly kind: 'gone' });

/** Renders attempts, by index, with their records and launches. */
export async function renderPicks(
  view: JobView,
  picks: readonly PodPick[],
  reads: Reads,
): Promise<readonly Rendered[]> {
  const found = await readFacts(view, picks, reads);
  return found.map((facts) => {
    const { index, attempt, state } = facts;
    return { kind: isGone(facts) ? 'gone' : 'pod', index, attempt, state, pod: renderPod(facts) };
  });
}

/** For users there is no such Pod (any more): it was being deleted when it ended, or never had a task. */
export function isGone({ state, record, isToldStopping = false }: PodFacts): boolean {
  // Its end is still to be told: by the row that tells it, or by that of its Job's deletion.
  if (isToldStopping) return false;
  if (record === null) return state === 'ended';
  if (state !== 'ended' && state !== 'succeeded' && state !== 'failed') return false;
  const { as } = record.judgement;
  // Of an attempt that has ended between two tasks the last task's end is known; nothing but a deletion ends it so.
  const hasEndedSo = state === 'ended' && (as === 'released' || as === 'restarted' || as === 'unstarted');
  return record.gone === true || hasEndedSo || isPodDeletion(record.ending);
}

/** All that is known of attempts, which come by index, with their records and launches. */
export async function readFacts(view: JobView, picks: readonly PodPick[], reads: Reads): Promise<readonly PodFacts[]> {
  const [records, launches, pace] = await Promise.all([
    readRecords(view, picks, reads),
    readLaunches(view, picks, reads),
    // Most Pods wait for nothing, and then nobody needs to know.
    picks.some((pick) => mayWait(pick, view)) ? reads.launchPace() : null,
  ]);
  const { spec, status, version } = view;
  return picks.map((pick) => {
    const told = records.get(keyOf(pick)) ?? null;
    const launch = launches.get(keyOf(pick)) ?? null;
    const current = currentOf(view, pick);
    // Users may be shown a Pod as it was while it ran, though its record tells its end by now.
    const before = told !== null && isBetweenTasks(pick) && hasGoneOn(told) ? told : null;
    const record = isLive(pick.state) ? null : told;
    const wait = pace === null ? null : waitOf({ ...pick, current, record, spec, status }, pace);
    const { failures, ignored } = told ?? current ?? FRESH;
    const madeAfter = { failures, ignored };
    return {
      ...pick,
      spec,
      status,
      version: pick.version ?? version,
      record,
      before,
      launch,
      current,
      madeAfter,
      wait,
    };
  });
}

const isBetweenTasks = ({ state }: PodPick): boolean => state === 'waiting' || isLive(state);
const hasGoneOn = ({ judgement: { as } }: AttemptRecord): boolean => as === 'restarted' || as === 'unstarted';

const mayWait = ({ state }: PodPick, { status }: JobView): boolean =>
  state === 'waiting' || (state === 'claimed' && status.inFlight.length > 0);

function waitOf(
  pod: PodPick & Pick<PodFacts, 'current' | 'record' | 'spec' | 'status'>,
  pace: LaunchPace,
): PodWait | null {
  const { current, record, spec, status } = pod;
  if (pod.state === 'claimed') return claimWait({ ...pod, hasNames: hasNames(spec.manifest) }, status, pace);
  return pod.state !== 'waiting' || current === null || record === null
    ? null
    : pauseWait(current, record.ending, pace);
}

/** What the board says of an attempt that is its index's newest and is not over. */
function currentOf({ board }: JobView, { index, attempt }: PodPick): IndexRecord | null {
  const record = board.record(index);
  return record?.attempt === attempt && hasPod(record.state) ? record : null;
}

const keyOf = ({ index, attempt }: { readonly index: number; readonly attempt: number }): string =>
  `${index}/${attempt}`;

/** Of what has ended, be it shown yet or not, and of what has had a task before this one. */
async function readRecords(view: JobView, picks: readonly PodPick[], { jobs }: Reads) {
  const { spec } = view;
  const found = new Map<string, AttemptRecord>();
  const hasRecord = (pick: PodPick): boolean => !isLive(pick.state) || (currentOf(view, pick)?.restarts ?? 1) > 0;
  for (const { from, to } of spans(picks.filter(hasRecord)))
    for (const record of await jobs.readAttempts(spec.identity.uid, from, to)) found.set(keyOf(record), record);
  return found;
}

async function readLaunches({ spec }: JobView, picks: readonly PodPick[], { jobs }: Reads) {
  const found = new Map<string, LaunchSlot>();
  for (const { from, to } of spans(picks.filter(({ state }) => isLive(state)))) {
    const [first, last] = [launchRowOf(from), launchRowOf(to)];
    for (const row of await jobs.readLaunchRange(spec.identity.uid, first, last))
      for (const slot of row.slots) found.set(keyOf(slot), slot);
  }
  return found;
}

const isLive = (state: PodPick['state']): boolean => state !== 'ended' && isActive(state);

/** Covers the picks, which ascend, with ranges that no single read finds too long and no chunk's border cuts. */
function spans(picks: readonly PodPick[]): readonly { readonly from: number; readonly to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const { index } of picks) {
    const last = ranges.at(-1);
    const fits = last !== undefined && index - last.from < WINDOW_INDEXES && chunkOf(index) === chunkOf(last.from);
    if (fits) last.to = index;
    else ranges.push({ from: index, to: index });
  }
  return ranges;
}
