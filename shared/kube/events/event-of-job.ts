import { CHUNK_INDEXES, chunksFor } from '../../domain/scoreboard/board.ts';
import { type EpochMs, later } from '../../domain/base/time.ts';
import { indexText } from '../../domain/base/shown-index.ts';
import { causeLine, isFailure, isStoppedWithJob } from '../../domain/failures/failures.ts';
import { type JobEventEntry, chunkLength } from '../../domain/scoreboard/status.ts';
import { isFailureOfJob } from '../../domain/scoreboard/why.ts';
import { podName } from '../../domain/task/pod-name.ts';
import type { Occurrence } from './event-object.ts';
import type { PodFacts, PodPick } from '../pods/pod-facts.ts';
import type { JobView, Reads } from '../jobs/job-view.ts';
import { attemptsOf, readFacts } from '../pods/read-pods.ts';
import { podCreatedAt, stoppingSince } from '../pods/render-pod.ts';

/**
 * From this many similar events on, Kubernetes' recorder combines all that follow (EventCorrelator of client-go: the tenth
 * message with the same reason is the first that is combined).
 */
const SINGLE_EVENTS = 9;
/** Ours: why Pods failed, reported for their Job. */
export const POD_FAILED = 'PodFailed';
/**
 * Failed and deleted Pods are searched for among the attempts of this many indexes: a Job's Events never need its whole
 * history.
 */
const WINDOW_INDEXES = 256;

/** What has happened to the Job itself, oldest first. */
export const statusOccurrences = ({
  events,
}: {
  readonly events: readonly JobEventEntry[];
}): readonly (Occurrence & {
  readonly version: number;
})[] => events.map((entry) => ({ ...entry, key: entry.message }));

/**
 * The Pods that the Job has created and deleted, as Kubernetes' recorder would show them: the first ones separately, the rest
 * combined. All of the Job's chunks must be loaded.
 */
export async function podTurnover(view: JobView, reads: Reads): Promise<readonly Occurrence[]> {
  const claims = firstAttempts(view, SINGLE_EVENTS + 1);
  const { total, last } = countAttempts(view);
  const [shown, early] = await Promise.all([
    factsOf(view, [...claims, ...(last === null ? [] : [last])], reads),
    earlyPods(view, reads),
  ]);
  const singly = shown.slice(0, Math.min(claims.length, SINGLE_EVENTS)).map(createdOccurrence);
  const [tenth, newest] = [shown[SINGLE_EVENTS], shown.at(-1)];
  const isMore = total > SINGLE_EVENTS && tenth !== undefined && newest !== undefined;
  const rest = isMore ? [combined(createdOccurrence(newest), podCreatedAt(tenth), total - SINGLE_EVENTS)] : [];
  return [...singly, ...rest, ...failedAlike(early), ...deletedPods(early)];
}

/** A Pod that the Job has created is reported separately, not as one of many. */
export const hasEventOfItsOwn = (view: JobView, { index, attempt }: { index: number; attempt: number }): boolean =>
  firstAttempts(view, SINGLE_EVENTS).some((each) => each.index === index && each.attempt === attempt);

/** `SuccessfulCreate` of one Pod. */
export const createdOccurrence = (pod: PodFacts): Occurrence =>
  turnover(pod, 'SuccessfulCreate', 'Created', podCreatedAt(pod));

/** Why Pods of the first indexes failed. */
export const failedPods = async (view: JobView, reads: Reads): Promise<readonly Occurrence[]> =>
  failedAlike(await earlyPods(view, reads));

/** It is one of those, and failed by itself. */
export const hasFailureEvent = ({ index, record }: PodFacts): boolean =>
  index < WINDOW_INDEXES && record !== null && isFailure(record) && !isStoppedWithJob(record);

/** Every Pod of the first indexes. */
async function earlyPods(view: JobView, reads: Reads): Promise<readonly PodFacts[]> {
  const picks: PodPick[] = [];
  for (let index = 0; index < Math.min(WINDOW_INDEXES, view.board.size); index++)
    picks.push(...attemptsOf(view, index));
  return readFacts(view, picks, reads);
}

/** Causes that are reported; `muster doctor` has more. */
const CAUSES_MAX = 5;

/**
 * Why Pods failed, each cause once with the first Pod that has it, so that `describe` answers without searching for that Pod.
 * Kubernetes has no such Event.
 */
function failedAlike(pods: readonly PodFacts[]): readonly Occurrence[] {
  const byCause = new Map<string, { readonly pod: PodFacts; readonly at: EpochMs }[]>();
  for (const pod of pods) {
    const { record, status } = pod;
    if (record === null || !hasFailureEvent(pod)) continue;
    const cause = causeLine(record, status.phase);
    const at = record.times.stoppedAt ?? podCreatedAt(pod);
    byCause.set(cause, [...(byCause.get(cause) ?? []), { pod, at }]);
  }
  return [...byCause].slice(0, CAUSES_MAX).flatMap(([cause, alike]): readonly Occurrence[] => {
    const [first, ...others] = alike.toSorted((a, b) => a.at - b.at);
    if (first === undefined) return [];
    const { index, item } = first.pod;
    // Kubernetes has no such Event, so its words are ours; those of other Events of a Job stay as they are.
    const who = item === null ? '' : `, ${indexText(index, item.line)},`;
    return [
      {
        type: 'Warning',
        reason: POD_FAILED,
        message: `Pod ${nameOf(first.pod)}${who} failed: ${cause}`,
        firstAt: first.at,
        at: others.at(-1)?.at ?? first.at,
        count: alike.length,
        key: cause,
      },
    ];
  });
}

function deletedPods(pods: readonly PodFacts[]): readonly Occurrence[] {
  const occurrences = pods.flatMap((pod) => {
    const at = deletedAt(pod);
    return at === null ? [] : [turnover(pod, 'SuccessfulDelete', 'Deleted', at)];
  });
  const inTime = occurrences.toSorted((a, b) => a.at - b.at);
  const [tenth, last] = [inTime[SINGLE_EVENTS], inTime.at(-1)];
  const rest =
    tenth === undefined || last === undefined ? [] : [combined(last, tenth.at, occurrences.length - SINGLE_EVENTS)];
  return [...inTime.slice(0, SINGLE_EVENTS), ...rest];
}

/** When the Job deleted a Pod; null: it did not. Pods that a user deleted or infrastructure took do not count. */
function deletedAt(pod: PodFacts): EpochMs | null {
  const { record, state } = pod;
  if (state !== 'ended' || record === null) return pod.current?.podDeleted === true ? null : stoppingSince(pod);
  const { ending, judgement, times } = record;
  const byUs = judgement.as === 'released' || isFailureOfJob(judgement.why);
  return byUs && ending.cause === 'Stopped' ? (times.stoppedAt ?? podCreatedAt(pod)) : null;
}

const nameOf = ({ spec: { identity, manifest }, index, attempt }: PodFacts): string =>
  podName({ ...identity, completionMode: manifest.spec.completionMode }, index, attempt);

function turnover(pod: PodFacts, reason: string, verb: string, at: EpochMs): Occurrence {
  const { index, attempt } = pod;
  return {
    type: 'Normal',
    reason,
    message: `${verb} pod: ${nameOf(pod)}`,
    firstAt: at,
    at,
    count: 1,
    key: `${index}/${attempt}`,
  };
}

const combined = (last: Occurrence, firstAt: EpochMs, count: number): Occurrence => ({
  ...last,
  message: `(combined from similar events): ${last.message}`,
  firstAt,
  at: later(firstAt, last.at),
  count,
  key: 'combined',
});

/** The Job's first attempts: the first of each index, then the second of each, and so on. */
function firstAttempts(view: JobView, max: number): readonly PodPick[] {
  const begun: number[] = [];
  for (const { index } of begunIndexes(view)) if (begun.push(index) >= max) break;
  const first: PodPick[] = [];
  for (let attempt = 1; first.length < max; attempt++) {
    const tried = begun.flatMap((index) => attemptsOf(view, index).slice(attempt - 1, attempt));
    if (tried.length === 0) break;
    first.push(...tried);
  }
  return first.slice(0, max);
}

/** The number of attempts, and the newest of the highest index that was tried. */
function countAttempts(view: JobView): { readonly total: number; readonly last: PodPick | null } {
  let total = 0;
  let last: number | null = null;
  for (const { index, attempts } of begunIndexes(view)) {
    total += attempts;
    last = index;
  }
  return { total, last: last === null ? null : (attemptsOf(view, last).at(-1) ?? null) };
}

/** Indexes that were tried, read from the board's columns: a record for each of a million would take too long. */
function* begunIndexes({ board }: JobView): Generator<{ readonly index: number; readonly attempts: number }> {
  for (let no = 0; no < chunksFor(board.size); no++) {
    const columns = board.chunk(no)?.attempts ?? new Uint32Array();
    for (let offset = 0; offset < chunkLength(board.size, no); offset++) {
      const attempts = columns[offset] ?? 0;
      if (attempts > 0) yield { index: no * CHUNK_INDEXES + offset, attempts };
    }
  }
}

/** Facts of attempts in the given order. */
async function factsOf(view: JobView, picks: readonly PodPick[], reads: Reads): Promise<readonly PodFacts[]> {
  const ascending = picks.toSorted((a, b) => a.index - b.index || a.attempt - b.attempt);
  const found = await readFacts(view, ascending, reads);
  return picks.flatMap(({ index, attempt }) => found.find((f) => f.index === index && f.attempt === attempt) ?? []);
}
