import { CHUNK_INDEXES, chunkOf } from '../../domain/scoreboard/board.ts';
import { verdictText } from '../../domain/scoreboard/why.ts';
import { type IndexSet, has, intervalsWithin, parseIndexesStrict } from '../../domain/base/index-set.ts';
import type { EpochMs } from '../../domain/base/time.ts';
import type { ItemValues } from '../../domain/base/late-text.ts';
import { causeLine, endWords, isFailure, isStoppedWithJob } from '../../domain/failures/failures.ts';
import { fateOf, lastEndedAttempt, lastFailedAttempt, triesOf } from '../../domain/failures/ended-attempts.ts';
import { attemptValues } from '../../domain/task/attempt-values.ts';
import { forItem } from '../../domain/task/item-template.ts';
import { startWords } from '../../domain/task/launch-overrides.ts';
import { fargateSizeOf, mainContainer } from '../../domain/task/pod-template.ts';
import { podName } from '../../domain/task/pod-name.ts';
import type { AttemptRecord } from '../../ports/job-store.ts';
import { readItemValues } from '../../store/read-items.ts';
import { shownRecords } from '../../store/shown-records.ts';
import { type Parsed, bad, countOf, ok } from '../http/query.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { expired, notFound } from '../http/status-error.ts';
import { type JobView, type Reads, readJobView } from '../jobs/job-view.ts';
import { nodeOf } from '../pods/render-pod.ts';

/** What a page may cost, however few of its indexes have anything to list: indexes listed, and reads of records. */
const INDEXES_MAX = 500;
const READS_MAX = 64;

/**
 * `last`: of each index the last attempt that has ended; `all`: every attempt that has ended; `failed`: of each index that has
 * failed and not succeeded since, the last attempt that has failed.
 */
const SELECTIONS = ['last', 'all', 'failed'] as const;
type Selection = (typeof SELECTIONS)[number];

/** Indexes whose records one read covers, including those in between, which have succeeded if failures are wanted. */
const SPAN_INDEXES: Readonly<Record<Selection, number>> = { last: 256, all: 256, failed: 64 };

/** Items and words may be long: a page ends early, so that it fits an answer of Lambda (6 MB). */
const PAGE_CHARS_MAX = 500_000;
const SPAN_WITH_WORDS = 64;

export type AttemptQuery = {
  readonly which: Selection;
  /** Says with which words each was started. */
  readonly words: boolean;
  /** Only of these indexes; null: of all. */
  readonly indexes: IndexSet | null;
  /** Indexes whose attempts are on a page, at most. */
  readonly limit: number;
  /** Where the page begins; null: at the first index. */
  readonly from: { readonly uid: string; readonly index: number } | null;
};

/** Reads `which`, `indexes`, `limit`, `words`, and `continue`. */
export function parseAttemptQuery(query: Readonly<Record<string, string>>): Parsed<AttemptQuery> {
  const { which: word = 'last', continue: token = '' } = query;
  const which = SELECTIONS.find((each) => each === word);
  if (which === undefined)
    return bad(`which: Unsupported value: ${JSON.stringify(word)}: supported values: ${SELECTIONS.join(', ')}`);
  const limit = countOf('limit', query['limit']);
  if (limit.kind === 'bad') return limit;
  const wanted = limit.value === null || limit.value === 0 ? INDEXES_MAX : Math.min(limit.value, INDEXES_MAX);
  const parsed = parseIndexesStrict(query['indexes'] ?? '', Number.MAX_SAFE_INTEGER);
  if (parsed.kind === 'invalid')
    return bad(`indexes: Invalid value: ${JSON.stringify(query['indexes'])}: ${parsed.reason}`);
  const indexes = parsed.set.edges.length === 0 ? null : parsed.set;
  const asked = { which, words: query['words'] === 'true', indexes, limit: wanted };
  if (token === '') return ok({ ...asked, from: null });
  const [, uid, index] = /^([0-9a-f-]{36})\.(\d{1,7})$/.exec(token) ?? [];
  if (uid === undefined || index === undefined) return bad('continue key is not valid');
  return ok({ ...asked, from: { uid, index: Number(index) } });
}

/**
 * A page of a Job's ended attempts, by index and attempt: Muster's own object. It has those whose Pods are gone, too. Reads at
 * most the records of a few thousand indexes.
 *
 * @returns 404 if the Job does not exist, 410 if the page before was another Job's of this name
 */
export async function findAttempts(namespace: string, name: string, query: AttemptQuery, reads: Reads) {
  const uid = await reads.jobs.findJob(namespace, name);
  const first = nextWanted(query.from?.index ?? 0, query.indexes);
  const view = uid === null ? null : await readJobView(uid, reads, (status) => chunkWithin(first, status.size));
  if (uid === null || view === null) return { kind: 'bad', error: notFound(API_KINDS.Job, name) } as const;
  if (query.from !== null && query.from.uid !== uid)
    return { kind: 'bad', error: expired(`job ${JSON.stringify(name)} was replaced by another: list again`) } as const;
  const { items, next } = await pageOf(view, query, reads);
  return ok({
    apiVersion: 'muster.run/v1',
    kind: 'JobAttempts',
    metadata: { namespace, name, uid, continue: next === null ? '' : `${uid}.${next}` },
    items,
  });
}

const chunkWithin = (index: number, size: number): readonly number[] => (index < size ? [chunkOf(index)] : []);

async function pageOf(first: JobView, query: AttemptQuery, reads: Reads) {
  const { which, limit, from, indexes } = query;
  const { uid } = first.spec.identity;
  const items: ReturnType<typeof renderAttempt>[] = [];
  let view: JobView = first;
  let index = nextWanted(from?.index ?? 0, indexes);
  let chars = 0;
  const span = query.words ? SPAN_WITH_WORDS : SPAN_INDEXES[which];
  for (let read = 0; index < sizeOf(view); ) {
    if (items.length >= limit || read >= READS_MAX || chars >= PAGE_CHARS_MAX) return { items, next: index };
    if (view.board.chunk(chunkOf(index)) === undefined) {
      const again = await readJobView(uid, reads, (status) => chunkWithin(index, status.size));
      if (again === null) return { items, next: null }; // deleted meanwhile
      view = again;
      continue;
    }
    const next = spanFrom(index, view, query, Math.min(span, limit - items.length));
    if (next.wanted.size > 0) {
      read++;
      const found = await attemptsIn(next.wanted, view, query, reads);
      chars += found.reduce((sum, each) => sum + charsOf(each), 0);
      items.push(...found);
    }
    index = nextWanted(next.after, indexes);
  }
  return { items, next: null };
}

/** The first of these indexes from `from` on. */
function nextWanted(from: number, indexes: IndexSet | null): number {
  const [[first = Number.MAX_SAFE_INTEGER] = []] =
    indexes === null ? [[from]] : intervalsWithin(indexes, from, Number.MAX_SAFE_INTEGER);
  return first;
}

/** Of the parts that may be long. */
const charsOf = ({ item = '', words = [] }: ReturnType<typeof renderAttempt>): number =>
  words.reduce((sum, word) => sum + word.length, item.length);

/** A smaller Job no longer has the indexes beyond. */
function sizeOf({ spec, board }: JobView): number {
  const { completionMode, completions = board.size } = spec.manifest.spec;
  return completionMode === 'Indexed' ? Math.min(completions, board.size) : board.size;
}

/** The next indexes that one read can cover, each with the newest of its attempts to list, and the index after them. */
function spanFrom(from: number, view: JobView, { which, indexes }: AttemptQuery, indexesMax: number) {
  const end = Math.min((chunkOf(from) + 1) * CHUNK_INDEXES, sizeOf(view));
  const wanted = new Map<number, number>();
  let first: number | null = null;
  let index = from;
  for (; index < end && (first === null || index - first < indexesMax); index++) {
    const newest = indexes === null || has(indexes, index) ? newestOf(index, view, which) : 0;
    if (newest === 0) continue;
    first ??= index;
    wanted.set(index, newest);
  }
  return { wanted, after: index };
}

function newestOf(index: number, { board }: JobView, which: Selection): number {
  const record = board.record(index);
  if (record === null) return 0;
  return which === 'failed' ? (lastFailedAttempt(record) ?? 0) : lastEndedAttempt(record);
}

async function attemptsIn(
  wanted: ReadonlyMap<number, number>,
  view: JobView,
  { which, words }: AttemptQuery,
  reads: Reads,
) {
  const indexes = [...wanted.keys()];
  const [from = 0, to = from] = [indexes[0], indexes.at(-1)];
  const known = await reads.jobs.readAttempts(view.spec.identity.uid, from, to);
  const last = new Map(known.map((record) => [record.index, record]));
  const records = known.filter(
    (record) => record.attempt <= (wanted.get(record.index) ?? 0) && (which !== 'failed' || isFailure(record)),
  );
  // By index and attempt: a later one of the same index takes the place of the one before.
  const shown = which === 'all' ? records : [...new Map(records.map((record) => [record.index, record])).values()];
  const named = [...new Set(shown.map(({ index }) => index))];
  const { manifest } = view.spec;
  const items = await readItemValues(manifest, named, reads);
  return (await shownRecords(shown, manifest, reads)).map((record) => {
    const item = items.get(record.index);
    const end = { last: last.get(record.index) ?? null, words: words ? wordsOf(record, view, item) : null };
    return renderAttempt(record, view, item, end);
  });
}

/** With which words its main container was started; null: as the manifest has them. */
function wordsOf(record: AttemptRecord, { spec }: JobView, item: ItemValues | undefined): readonly string[] | null {
  const main = mainContainer(spec.manifest);
  const words = startWords(
    main,
    spec.manifest,
    attemptValues(spec, record, record, item ?? null, spec.manifest.spec.completions ?? null),
  );
  const written = [...(main.command ?? []), ...(main.args ?? [])];
  return words.every((word, i) => word === written[i]) ? null : words;
}

function renderAttempt(
  record: AttemptRecord,
  { spec, status, board }: JobView,
  item: ItemValues | undefined,
  { last, words }: { readonly last: AttemptRecord | null; readonly words: readonly string[] | null },
) {
  const { index, attempt, taskArn, ending, times, judgement } = record;
  const { identity, manifest } = spec;
  const { completionMode } = manifest.spec;
  const now = board.record(index);
  const size = fargateSizeOf(forItem(manifest, item ?? null));
  return {
    ...(completionMode === 'Indexed' ? { index } : {}),
    attempt,
    pod: podName({ ...identity, completionMode }, index, attempt),
    ...(item === undefined ? {} : { item: item.line, resultName: item.resultName }),
    ...(words === null ? {} : { words }),
    /** What has become of its index. */
    fate: now === null ? 'open' : fateOf(now, status.phase),
    /** How often the containers of the index were started. */
    tries: now === null ? attempt : triesOf(now, last),
    node: taskArn === null ? null : nodeOf(taskArn),
    vcpu: size.kind === 'fits' ? size.cpu / 1024 : null,
    createdAt: momentOf(times.createdAt),
    startedAt: momentOf(times.startedAt),
    stoppedAt: momentOf(times.stoppedAt),
    /** Of this container; null: none of ours has exited. */
    exitCode: ending.exitCode,
    container: ending.container,
    /** The kubelet's word, and one line. */
    reason: endWords(record, status.phase).reason,
    cause: causeLine(record, status.phase),
    verdict: verdictText(judgement),
    /** The same as data. */
    outcome: judgement.as,
    why: judgement.why,
    /** It ran when the Job failed: a consequence, not a cause. */
    stoppedWithJob: isStoppedWithJob(record),
  };
}

/** To the millisecond, because run times are differences. */
const momentOf = (at: EpochMs | null): string | null => (at === null ? null : new Date(at).toISOString());
