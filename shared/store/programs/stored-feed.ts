import { type EpochMs, asEpochMs, plusMs } from '../../domain/base/time.ts';
import { invariant } from '../../domain/base/invariant.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { type PartName, type PublishedPart, numbered } from '../../domain/scoreboard/published-pods.ts';
import { type Feed, type FeedMark, type FeedRow, type Publication } from '../../ports/feed.ts';
import { ABSENT, below, either, versionIs } from '../rows/condition.ts';
import { hasBody, json, jsonIn, numberIn, until, versionIn } from '../rows/fields.ts';
import { type Program, all, get, getAll, isBy, newToken, transact, unlessConflict, write } from '../rows/program.ts';
import { FIELD, type Row, type Write } from '../rows/row.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { feedPage, headAfterLoss, headIn, moveHead } from './feed-pages.ts';
import {
  EntriesSchema,
  MarkBodySchema,
  PublishedPodListSchema,
  packMark,
  packPods,
  packPublished,
} from './row-bodies.ts';
import { FEED_PARTITION, feedHeadKey, feedKey, markKey, partNameIn, publishedKey } from './row-keys.ts';

/** Jobs in one row: DynamoDB takes 100 writes at once, one for the head and one for the row. */
const FEED_ENTRIES_MAX = 98;

/**
 * {@link Feed} as one row per number, plus a row that holds the head. The head is a separate row, because numbers must continue
 * when everything else has expired, and the loser of a race learns the head from the refusal.
 */
export function feed(table: Table, retentionMs: number): Feed {
  /** As this process last saw the head; the transaction detects whether it is stale. */
  const seen = { head: 0 };
  return methodsOf(table, {
    readMark,
    append: (entries: readonly Publication[], at: EpochMs) => append(seen, entries, at, plusMs(at, retentionMs)),
    readPublished,
    writePublished,
    head: () => readHead(seen),
    read,
  });
}

type Seen = { head: number };

function* readMark(uid: JobUid): Program<FeedMark | null> {
  const row = yield* get(markKey(uid));
  return row === null ? null : markIn(row);
}

function* append(
  seen: Seen,
  entries: readonly Publication[],
  at: EpochMs,
  expireAt: EpochMs,
): Program<Awaited<ReturnType<Feed['append']>>> {
  const fits = entries.length > 0 && entries.length <= FEED_ENTRIES_MAX;
  invariant(fits, `a row of the feed has 1 to ${FEED_ENTRIES_MAX} Jobs, not ${entries.length}`);
  for (let nth = 1; ; nth++) {
    const token = yield* newToken();
    const outcome = yield* tryAppend(token, seen.head, entries, at, expireAt);
    if (outcome.kind === 'outrun') return outcome;
    seen.head = outcome.head;
    if (outcome.kind === 'appended') return { kind: 'appended', number: outcome.head };
    seen.head = yield* headAfterLoss({ key: feedHeadKey(), feed: 'Job', seen: outcome.head }, token, nth);
  }
}

type Tried =
  | { readonly kind: 'appended'; readonly head: number }
  | { readonly kind: 'outrun' }
  /** Nothing was written; `head` is where it is now, or was a moment ago. */
  | { readonly kind: 'taken'; readonly head: number };

/**
 * The row after `head`, the head itself, and the mark of every Job in it: all or nothing. The condition that a mark is where its
 * entry says publishes every change once.
 */
function* tryAppend(
  token: string,
  head: number,
  entries: readonly Publication[],
  at: EpochMs,
  expireAt: EpochMs,
): Program<Tried> {
  const n = head + 1;
  const listed = entries.map(({ published: _published, ...entry }) => ({ ...entry, pods: packPods(entry.pods) }));
  const refusals = yield* transact(token, [
    moveHead(feedHeadKey(), head, n),
    { kind: 'put', key: feedKey(n), fields: { at, [FIELD.body]: json(listed), ...until(expireAt) } },
    ...entries.map((entry) => moveMark(token, n, entry, at)),
  ]);
  if (refusals === null) return { kind: 'appended', head: n };
  const [ofHead, , ...ofMarks] = refusals;
  if (ofMarks.some((refusal) => isBy(refusal, token))) return { kind: 'appended', head: n };
  if (ofMarks.some((refusal) => refusal?.kind === 'condition')) return { kind: 'outrun' };
  return { kind: 'taken', head: ofHead?.kind === 'condition' ? headIn(ofHead.row) : head };
}

const moveMark = (token: string, number: number, entry: Publication, at: EpochMs): Write => {
  const { uid, after, version, seq, published, shown } = entry;
  return {
    kind: 'update',
    key: markKey(uid),
    set: {
      [FIELD.version]: version,
      [FIELD.by]: token,
      seq,
      number,
      at,
      ...(published === undefined ? {} : { [FIELD.body]: json({ ...packMark(published), shown }) }),
    },
    condition: versionIs(after),
    returnOld: true,
  };
};

function* readPublished(uid: JobUid, parts: readonly PartName[]): Program<ReadonlyMap<PartName, PublishedPart>> {
  const rows = yield* getAll(parts.map((part) => publishedKey(uid, part)));
  return new Map(
    rows.map((row) => [
      partNameIn(row.key),
      { through: numberIn(row, 'through'), pods: jsonIn(row, PublishedPodListSchema) },
    ]),
  );
}

function* writePublished(uid: JobUid, parts: ReadonlyMap<PartName, PublishedPart>): Program<void> {
  yield* all(
    [...parts].map(([name, part]) =>
      unlessConflict(`what was published about ${uid}`, () => writePart(uid, name, part)),
    ),
  );
}

function* writePart(uid: JobUid, name: PartName, { through, pods }: PublishedPart): Program<'done' | 'conflict'> {
  const refusal = yield* write({
    kind: 'update',
    key: publishedKey(uid, name),
    set: { through, [FIELD.body]: json(packPublished(pods)) },
    condition: either(ABSENT, below('through', through)),
  });
  return refusal?.kind === 'conflict' ? 'conflict' : 'done';
}

function* readHead(seen: Seen): Program<number> {
  seen.head = headIn(yield* get(feedHeadKey()));
  return seen.head;
}

function* read(after: number, limit: number): Program<Awaited<ReturnType<Feed['read']>>> {
  const found = yield* feedPage(FEED_PARTITION, after, limit);
  return found.kind === 'expired' ? found : { kind: 'rows', rows: found.rows.map(feedRowIn) };
}

const feedRowIn = (row: Row): FeedRow => ({
  number: Number(row.key.sort),
  at: asEpochMs(numberIn(row, 'at')),
  entries: jsonIn(row, EntriesSchema),
});

function markIn(row: Row): FeedMark {
  const number = numberIn(row, 'number');
  const mark = { version: versionIn(row), seq: numberIn(row, 'seq'), number, at: asEpochMs(numberIn(row, 'at')) };
  if (!hasBody(row)) return { ...mark, published: null };
  const { shown, ...published } = jsonIn(row, MarkBodySchema);
  // The number of its newest row was not known when it was packed.
  return { ...mark, published: numbered(published, number), ...(shown === undefined ? {} : { shown }) };
}
