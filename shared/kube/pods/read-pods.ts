import { CHUNK_INDEXES, chunkOf, chunksFor } from '../../domain/scoreboard/board.ts';
import type { JobUid, TaskArn } from '../../domain/base/ids.ts';
import type { EpochMs } from '../../domain/base/time.ts';
import { hasNames } from '../../domain/task/host-names.ts';
import { FRESH, type IndexRecord, hasPod, isActive, podStateOf } from '../../domain/scoreboard/index-record.ts';
import { launchRowOf } from '../../domain/scoreboard/launch-row.ts';
import { type PodWait, claimWait, delayWait, pauseWait } from '../../domain/pending/pod-wait.ts';
import { isBarePod } from '../../domain/manifests/bare-pod.ts';
import { podKey } from '../../domain/scoreboard/published-pods.ts';
import { type UnpublishedStop, asPublished } from '../../domain/scoreboard/shown-status.ts';
import type { LaunchPace } from '../../domain/pending/waits.ts';
import type { PodChange } from '../../ports/feed.ts';
import type { AttemptRecord, LaunchSlot } from '../../ports/job-store.ts';
import { readItemValues } from '../../store/read-items.ts';
import { shownRecords } from '../../store/shown-records.ts';
import type { JobView, Reads } from '../jobs/job-view.ts';
import { type PublishedView, readPublishedPods } from './read-published.ts';
import type { PodFacts, PodPick } from './pod-facts.ts';
import { type PodObject, renderPod } from './render-pod.ts';

/** Indexes whose records and launches are read at once: a page of a large Job must not read its whole history. */
const WINDOW_INDEXES = 256;

/** A Pod with its position in a list. */
export type FoundPod = PodPick & { readonly pod: PodObject };
type From = { readonly index: number; readonly attempt: number };

/** Called with each chunk that was read, and its version. */
type Seen = (no: number, version: number) => void;

/**
 * The Pods of a Job from (index, attempt) on, in that order, as the feed last published them: every attempt, except Pods that
 * are gone and attempts whose records have expired. Each chunk is read when its turn comes.
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
    const published = await readPublishedPods(uid, no, reads, visible);
    if (published === null) return;
    const { view } = published;
    seen(no, view.version);
    size = view.board.size;
    const end = Math.min((no + 1) * CHUNK_INDEXES, size);
    for (let first = Math.max(no * CHUNK_INDEXES, from.index); first < end; first += WINDOW_INDEXES) {
      const picks: PodPick[] = [];
      for (let index = first; index < Math.min(first + WINDOW_INDEXES, end); index++) {
        const begin = index === from.index ? from.attempt : 1;
        picks.push(...publishedAttemptsOf(published, index).filter(({ attempt }) => attempt >= begin));
      }
      for (const facts of await readFacts(view, picks, reads)) if (!isGone(facts)) yield facts;
    }
  }
}

/** The Pod of one attempt, as it is or was; null if it never existed, or nothing is known about it. */
export async function readAttempt(
  uid: JobUid,
  index: number,
  attempt: number,
  reads: Reads,
  visible: 'live' | 'evenDeleted' = 'live',
): Promise<(FoundPod & { readonly view: JobView; readonly facts: PodFacts; readonly isListed: boolean }) | null> {
  const published = await readPublishedPods(uid, chunkOf(index), reads, visible);
  if (published === null) return null;
  const { view } = published;
  const byNumber = (each: PodPick): boolean => each.attempt === attempt;
  const shown = publishedAttemptsOf(published, index).find(byNumber);
  const pick = shown ?? attemptsOf(view, index).find(byNumber);
  if (pick === undefined) return null;
  const [facts] = await readFacts(view, [shown ?? { ...pick, state: 'ended' }], reads);
  const isKnown = facts !== undefined && (facts.state !== 'ended' || facts.record !== null);
  return isKnown ? { ...pick, pod: renderPod(facts), facts, view, isListed: shown !== undefined } : null;
}

/** The attempts of an index that users see, as last published. */
export function publishedAttemptsOf(published: PublishedView, index: number): readonly PodPick[] {
  const shown = shownAttemptsOf(published, index);
  const { spec, status } = published.view;
  // A bare Pod whose launch was refused for good had no task. It stays, to say why.
  const neverRan = isBarePod(spec.identity) && index === 0 && status.phase.kind === 'finished' && shown.length === 0;
  return neverRan ? [{ index, attempt: 1, state: 'failed' }] : shown;
}

function shownAttemptsOf({ view, pods, stops }: PublishedView, index: number): readonly PodPick[] {
  const base = view.published?.base ?? 0;
  return attemptsOf(view, index).flatMap((pick): readonly PodPick[] => {
    const published = pods?.get(podKey(pick));
    if (published === undefined) return pods === null ? [pick] : base > 0 ? [{ ...pick, version: base }] : [];
    if (published.state === 'gone') return [];
    const shown = pickOf(view, published);
    // A single row publishes that all of a Job's Pods are being deleted.
    const isPublishedStopping = published.state === 'stopping';
    const isOver = !isPublishedStopping && hasEnded(shown.state);
    return [
      {
        ...shown,
        isPublishedStopping,
        mayStop: isPublishedStopping || wasToEnd(view, pick, stops.get(podKey(pick))),
        version: isOver ? published.number : Math.max(published.number, view.published?.ending ?? 0),
      },
    ];
  });
}

/** Whether a Pod was to end already when it was published: it has a mark that it has not got since. */
function wasToEnd({ board }: JobView, { index, attempt }: PodPick, since: UnpublishedStop | undefined): boolean {
  const record = board.record(index);
  if (since === undefined || record === null || !('podDeleted' in record) || record.attempt !== attempt)
    return since === undefined;
  return (record.stopping && !since.stopping) || (record.podDeleted && !since.podDeleted);
}

/** A Pod as a row of the feed publishes it. For one that is being deleted, the board has its state. */
export function pickOf({ board }: JobView, { index, attempt, state }: Omit<PodChange, 'isNew'>): PodPick {
  if (state !== 'stopping') return { index, attempt, state: state === 'pending' || state === 'gone' ? 'ended' : state };
  const record = board.record(index);
  const current = record?.attempt === attempt ? podStateOf(record.state) : null;
  return { index, attempt, state: current ?? 'ended' };
}

/** Every attempt that an index has had, according to the board. */
export function attemptsOf({ board }: JobView, index: number): readonly PodPick[] {
  const record = board.record(index);
  if (record === null) return [];
  return Array.from({ length: record.attempt }, (_, i): PodPick => {
    const isLatest = i + 1 === record.attempt;
    return { index, attempt: i + 1, state: (isLatest ? podStateOf(record.state) : null) ?? 'ended' };
  });
}

export type Rendered =
  | (FoundPod & { readonly kind: 'pod' })
  /** Nothing ran, because the claim was withdrawn; or the Pod was deleted; or the record has expired. */
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

/** Users do not see this Pod (any more): it was being deleted when it ended, or never had a task. */
export function isGone({ state, record, isPublishedStopping = false }: PodFacts): boolean {
  // Its end is not published yet: a row for it, or the row of its Job's deletion, will do so.
  if (isPublishedStopping) return false;
  if (record === null) return state === 'ended';
  if (!hasEnded(state)) return false;
  const { as } = record.judgement;
  // For an attempt that ended between two tasks, the last task's end is known; only a deletion ends it like that.
  const hasEndedSo = state === 'ended' && (as === 'released' || as === 'restarted' || as === 'unstarted');
  return record.gone === true || hasEndedSo || record.ending.podDeleted === true;
}

const hasEnded = (state: PodPick['state']): boolean => state === 'ended' || state === 'succeeded' || state === 'failed';

/** Everything that is known about attempts, which come by index, with their records and launches. */
export async function readFacts(view: JobView, picks: readonly PodPick[], reads: Reads): Promise<readonly PodFacts[]> {
  const [records, launches, items, addresses, pace] = await Promise.all([
    readRecords(view, picks, reads),
    readLaunches(view, picks, reads),
    readItemValues(view.spec.manifest, indexesOf(picks), reads),
    readAddresses(view, picks, reads),
    // Most Pods wait for nothing, and then nothing has to be read.
    picks.some((pick) => mayWait(pick, view)) ? reads.launchPace() : null,
  ]);
  const delays = delaysOf(launches, reads);
  const { spec, version, shown = null } = view;
  const status = shown === null ? view.status : asPublished(view.status, shown);
  return picks.map((pick) => {
    const published = records.get(keyOf(pick)) ?? null;
    const launch = launches.get(keyOf(pick)) ?? null;
    const current = currentOf(view, pick);
    // Users may be shown a Pod as it was while it ran, although its record already has its end.
    const before = published !== null && isBetweenTasks(pick) && hasGoneOn(published) ? published : null;
    const record = isLive(pick.state) ? null : published;
    const delay = pick.state === 'launched' && launch?.state === 'launched' ? delays?.get(launch.taskArn) : undefined;
    const held = pace === null ? null : waitOf({ ...pick, current, record, spec, status }, pace);
    const wait = delay === undefined ? held : delayWait(delay);
    const { failures, ignored } = published ?? current ?? FRESH;
    const madeAfter = { failures, ignored };
    return asStopping({
      ...pick,
      spec,
      status,
      // All that is published of the Job of a bare Pod is about the Pod.
      version: isBarePod(spec.identity) ? version : (pick.version ?? version),
      record,
      before,
      launch,
      current,
      madeAfter,
      item: items.get(pick.index) ?? null,
      ip: addresses.get(keyOf(pick)) ?? null,
      wait,
    });
  });
}

/**
 * A Pod that was published as being deleted, and whose end is not published yet: users see it as it was while its task ended. It may
 * have a replacement by then, which has its launch slot.
 */
function asStopping(pod: PodFacts): PodFacts {
  const { index, attempt, record, isPublishedStopping = false } = pod;
  if (!isPublishedStopping || !hasEnded(pod.state)) return pod;
  const replaced = pod.status.replacedTasks.find((each) => each.index === index && each.attempt === attempt);
  if (record === null && replaced !== undefined)
    return { ...pod, state: 'running', launch: { ...replaced, state: 'launched' } };
  const { createdAt = null, startedAt = null } = record?.times ?? {};
  const [since, taskArn] = [startedAt ?? createdAt, record?.taskArn ?? null];
  const state = startedAt === null ? 'launched' : 'running';
  const launch = record === null || since === null || taskArn === null ? null : launchOf(record, taskArn, since);
  return { ...pod, state, record: null, launch };
}

const launchOf = ({ index, attempt, nonce }: AttemptRecord, taskArn: TaskArn, since: EpochMs): LaunchSlot => ({
  index,
  attempt,
  nonce,
  state: 'launched',
  taskArn,
  since,
});

/** Addresses of running tasks, as far as names lead to them: nothing else keeps an address. */
async function readAddresses(
  { spec, board }: JobView,
  picks: readonly PodPick[],
  { taskNames }: Reads,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const running = hasNames(spec.manifest) ? picks.filter(({ state }) => state === 'running') : [];
  const rows = [...new Set(running.map(({ index }) => launchRowOf(index)))];
  const read = await Promise.all(rows.map(async (row) => taskNames.readHosts(spec.identity.uid, row)));
  const hosts = new Map(read.flatMap((row) => row.hosts.map((host) => [host.index, host.tasks])));
  for (const pick of running) {
    const nonce = board.record(pick.index)?.nonce;
    const task = hosts.get(pick.index)?.find((each) => each.attempt === pick.attempt && each.nonce === nonce);
    if (task !== undefined) found.set(keyOf(pick), task.ip);
  }
  return found;
}

/** Tasks that ECS has accepted: where it is one of this machine, it says what delays them. */
const delaysOf = (launches: ReadonlyMap<string, LaunchSlot>, { startDelays }: Reads) =>
  startDelays?.ofTasks([...launches.values()].flatMap((slot) => (slot.state === 'launched' ? [slot.taskArn] : [])));

const indexesOf = (picks: readonly PodPick[]): readonly number[] => [...new Set(picks.map(({ index }) => index))];

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

/** The board's record of an attempt that is its index's newest and is not over. */
function currentOf({ board }: JobView, { index, attempt }: PodPick): IndexRecord | null {
  const record = board.record(index);
  return record?.attempt === attempt && hasPod(record.state) ? record : null;
}

const keyOf = ({ index, attempt }: { readonly index: number; readonly attempt: number }): string =>
  `${index}/${attempt}`;

/** For attempts that have ended, whether shown yet or not, and for those that had a task before this one. */
async function readRecords(view: JobView, picks: readonly PodPick[], reads: Reads) {
  const { spec } = view;
  const found = new Map<string, AttemptRecord>();
  const hasRecord = (pick: PodPick): boolean => !isLive(pick.state) || (currentOf(view, pick)?.restarts ?? 1) > 0;
  for (const { from, to } of spans(picks.filter(hasRecord)))
    for (const record of await shownRecords(
      await reads.jobs.readAttempts(spec.identity.uid, from, to),
      spec.manifest,
      reads,
    ))
      found.set(keyOf(record), record);
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

export const isLive = (state: PodPick['state']): boolean => state !== 'ended' && isActive(state);

/** Covers the picks, in ascending order, with ranges that are short enough for one read and within one chunk. */
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
