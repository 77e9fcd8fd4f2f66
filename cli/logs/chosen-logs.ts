import {
  type IndexSet,
  formatIndexSet,
  has,
  indexSetOf,
  parseStatusIndexes,
  size,
  subtract,
} from '../../shared/domain/base/index-set.ts';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { type EndedAttempt, type Job, type Pod, PodSchema } from '../client/api-objects.ts';
import { type KubeClient, podsPath, readAs } from '../client/kube-client.ts';
import { endedAttempts } from './ended-attempts.ts';
import { type PodAttempt, attemptOf, failedInit, podSelector } from '../client/pod-attempt.ts';

/** An attempt whose log is to be printed. */
export type ChosenLog = PodAttempt & {
  /** What it works on; null: its Job has no work list. */
  readonly item: string | null;
  readonly pod: { readonly metadata: Pick<Pod['metadata'], 'namespace' | 'name'> };
  /** The container that decided how the attempt ended; null: none has, or of a listed Pod the main one. */
  readonly decisive: string | null;
  /** True if the server lists the Pod. False if it is gone, and only its record is left. */
  readonly isListed: boolean;
};

export type LogChoice = {
  /** null: all indexes */
  readonly wanted: IndexSet | null;
  /** null: the latest attempt of each */
  readonly attempt: number | null;
  /** Of each index that has failed and not succeeded since, the last attempt that has failed. */
  readonly failed: boolean;
  readonly follow: boolean;
};

/** The attempts to print, by index: those whose Pods are listed, and those that are left in the Job's record alone. */
export async function chooseLogs(job: Job, choice: LogChoice, client: KubeClient): Promise<readonly ChosenLog[]> {
  const found = new Map<number | string, ChosenLog>();
  const add = (each: ChosenLog): void => {
    const key = each.index ?? each.pod.metadata.name;
    if ((found.get(key)?.attempt ?? 0) < each.attempt) found.set(key, each);
  };
  const { attempt, failed, wanted } = choice;
  // What has failed is known from the record: the Pod may be gone, or may be another attempt's.
  if (!failed) for (const each of await listedPods(job, choice, client)) add(each);
  const missing = wanted === null ? null : subtract(wanted, indexesOf(found.values()));
  if (isRecordNeeded(missing, found.size, choice)) {
    const which = failed ? 'failed' : attempt === null ? 'last' : 'all';
    for await (const page of endedAttempts(job.metadata, which, client, { indexes: missing }))
      for (const ended of page) if (attempt === null || ended.attempt === attempt) add(recorded(job, ended));
  }
  return [...found.values()].sort(byIndex);
}

/** A followed log is one of a Pod that is there, unless its index was asked for. */
function isRecordNeeded(missing: IndexSet | null, listed: number, { follow, failed }: LogChoice): boolean {
  if (missing !== null) return size(missing) > 0;
  return failed || !follow || listed === 0;
}

/** Their indexes; none of a NonIndexed Job. */
export const indexesOf = (some: Iterable<ChosenLog>): IndexSet =>
  indexSetOf([...some].flatMap(({ index }) => (index === null ? [] : [index])).sort((a, b) => a - b));

const byIndex = (a: ChosenLog, b: ChosenLog): number => (a.index ?? 0) - (b.index ?? 0);

async function listedPods(job: Job, { wanted, attempt }: LogChoice, client: KubeClient): Promise<readonly ChosenLog[]> {
  // The server filters by one index.
  const [only = null] = wanted !== null && size(wanted) === 1 ? wanted.edges : [];
  const { items } = await client.list(podsPath(job.metadata.namespace), { labelSelector: podSelector(job, only) });
  return items.flatMap((listed) => {
    const pod = readAs(PodSchema, listed, client.target);
    const read = attemptOf(pod);
    if (read === null || (attempt !== null && read.attempt !== attempt)) return [];
    if (wanted !== null && (read.index === null || !has(wanted, read.index))) return [];
    const item = pod.metadata.annotations[ANNOTATIONS.item] ?? null;
    return [{ ...read, pod, item, decisive: failedInit(pod)?.name ?? null, isListed: true }];
  });
}

const recorded = ({ metadata: { namespace } }: Job, ended: EndedAttempt): ChosenLog => ({
  index: ended.index ?? null,
  attempt: ended.attempt,
  item: ended.item ?? null,
  decisive: ended.container,
  isListed: false,
  pod: { metadata: { namespace, name: ended.pod } },
});

/** States of an index that never has an attempt, or has none for now, with words for it. */
const WITHOUT_ATTEMPT = {
  cancelled: 'cancelled',
  excluded: 'excluded from this Job',
  inherited: 'succeeded in the Job that this one repeats',
  held: 'held',
} as const;

/**
 * Says of indexes without an attempt why: `: cancelled`, `: 3-5 cancelled, 7 held, 8 not started`, or ` yet`.
 *
 * @param indexes the indexes of the Job by what they do, as its progress has them
 * @param isOver the Job has ended, so that nothing starts any more
 */
export function whyWithout(
  missing: IndexSet,
  indexes: Readonly<Record<string, string>>,
  completions: number,
  isOver: boolean,
): string {
  let rest = missing;
  const parts: { readonly set: IndexSet; readonly word: string }[] = [];
  for (const [state, word] of Object.entries(WITHOUT_ATTEMPT)) {
    const without = subtract(rest, parseStatusIndexes(indexes[state] ?? '', completions));
    const set = subtract(rest, without);
    rest = without;
    if (size(set) > 0) parts.push({ set, word });
  }
  if (size(rest) > 0) {
    if (parts.length === 0 && !isOver) return ' yet';
    parts.push({ set: rest, word: isOver ? 'not started before the Job ended' : 'not started yet' });
  }
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return `: ${first.word}`;
  return `: ${parts.map(({ set, word }) => `${formatIndexSet(set)} ${word}`).join(', ')}`;
}
