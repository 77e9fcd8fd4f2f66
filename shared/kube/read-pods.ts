import { CHUNK_INDEXES, chunkOf, chunksFor } from '../domain/board.ts';
import type { JobUid } from '../domain/brand.ts';
import { isPodDeletion } from '../domain/ending.ts';
import { hasPod, isActive } from '../domain/index-record.ts';
import { launchRowOf } from '../domain/launch-row.ts';
import type { AttemptRecord, LaunchSlot } from '../ports/job-store.ts';
import { type JobView, type Reads, readJob } from './read-job.ts';
import type { PodPick } from './pod-facts.ts';
import { type PodObject, renderPod } from './render-pod.ts';

/** Indexes whose records and launches are read at once: a page of a large Job must not read its whole history. */
const WINDOW_INDEXES = 256;

/** A Pod with the place that it has in a list. */
export type FoundPod = PodPick & { readonly pod: PodObject };

/**
 * The Pods of a Job from (index, attempt) on, in that order: every attempt there was, but for those that never became a
 * task and those whose records have vanished. Each chunk is read when its turn comes.
 */
export async function* podsOf(
  uid: JobUid,
  from: { readonly index: number; readonly attempt: number },
  reads: Reads,
  visible: 'live' | 'evenDeleted' = 'live',
): AsyncGenerator<FoundPod> {
  let size = Number.POSITIVE_INFINITY;
  for (let no = chunkOf(from.index); no < chunksFor(size); no++) {
    const view = await readJob(uid, reads, () => [no], visible);
    if (view === null) return;
    size = view.board.size;
    const end = Math.min((no + 1) * CHUNK_INDEXES, size);
    for (let first = Math.max(no * CHUNK_INDEXES, from.index); first < end; first += WINDOW_INDEXES) {
      const picks: PodPick[] = [];
      for (let index = first; index < Math.min(first + WINDOW_INDEXES, end); index++) {
        const begin = index === from.index ? from.attempt : 1;
        picks.push(...attemptsOf(view, index).filter(({ attempt }) => attempt >= begin));
      }
      for (const found of await renderPicks(view, picks, reads)) if (found.kind === 'pod') yield found;
    }
  }
}

/** The Pod of one attempt; null when there is none. */
export async function readPod(
  uid: JobUid,
  index: number,
  attempt: number,
  reads: Reads,
): Promise<(FoundPod & { readonly view: JobView }) | null> {
  const view = await readJob(uid, reads, ({ size }) => (index < size ? [chunkOf(index)] : []));
  const pick = view === null ? undefined : attemptsOf(view, index).find((each) => each.attempt === attempt);
  if (view === null || pick === undefined) return null;
  const [found] = await renderPicks(view, [pick], reads);
  return found?.kind === 'pod' ? { ...found, view } : null;
}

/** Every attempt that an index has had, by what the board says of it. */
function attemptsOf({ board }: JobView, index: number): readonly PodPick[] {
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
  const [records, launches] = await Promise.all([readRecords(view, picks, reads), readLaunches(view, picks, reads)]);
  const { spec, status, version } = view;
  return picks.map((pick) => {
    const record = records.get(keyOf(pick)) ?? null;
    const launch = launches.get(keyOf(pick)) ?? null;
    const gone = pick.state === 'ended' && (record === null || isPodDeletion(record.ending));
    const kind = gone ? 'gone' : 'pod';
    const onBoard = view.board.record(pick.index);
    const current = onBoard?.attempt === pick.attempt && hasPod(onBoard.state) ? onBoard : null;
    return { kind, ...pick, pod: renderPod({ ...pick, spec, status, version, record, launch, current }) };
  });
}

const keyOf = ({ index, attempt }: { readonly index: number; readonly attempt: number }): string =>
  `${index}/${attempt}`;

async function readRecords({ spec }: JobView, picks: readonly PodPick[], { jobs }: Reads) {
  const found = new Map<string, AttemptRecord>();
  for (const { from, to } of spans(picks.filter(({ state }) => !isLive(state))))
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
