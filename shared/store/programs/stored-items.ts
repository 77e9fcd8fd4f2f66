import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import {
  type ContentHead,
  type ContentId,
  type ItemPart,
  type ItemReservation,
  type ItemRun,
  type ItemStore,
  type PartSummary,
  REMOVAL_AFTER_MS,
  type SealedContent,
} from '../../ports/item-store.ts';
import { ABSENT, either, is } from '../rows/condition.ts';
import { aPut, hasBody, json, jsonIn, versionIn } from '../rows/fields.ts';
import { type Program, get, now, page, rowsIn, write, writeAll, writeAlways, writeNext } from '../rows/program.ts';
import { FIELD, type Row, type RowKey } from '../rows/row.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { runsOf } from './item-runs.ts';
import { ContentHeadSchema, ItemReservationSchema, ItemRunSchema, PartSummarySchema } from './row-bodies.ts';
import {
  CONTENT_PARTITION,
  PARTS_RANGE,
  USES_RANGE,
  contentHeadKey,
  contentListKey,
  contentPartition,
  itemPartKey,
  itemRunKey,
  itemRunSort,
  itemUseKey,
} from './row-keys.ts';

/**
 * {@link ItemStore}: a content is a partition of its own (its head, its parts, the Jobs that use it, its items in runs), and a
 * row in a list of all contents.
 */
export const items = (table: Table): ItemStore =>
  methodsOf(table, {
    begin,
    readHead,
    writePart,
    readPart,
    listParts,
    seal,
    readItems,
    reserve,
    release,
    listReservations,
    listContents,
    remove,
  });

type StoredHead = { readonly head: ContentHead; readonly removingSince: EpochMs | null };

function* begin({ content, ...rest }: Omit<ContentHead, 'sealed'>): Program<void> {
  yield* writeAlways({ kind: 'put', key: contentListKey(content), fields: {} });
  const head: ContentHead = { content, ...rest, sealed: null };
  yield* writeHead(0, { head, removingSince: null });
}

function* readHead(content: ContentId): Program<ContentHead | null> {
  const row = yield* get(contentHeadKey(content));
  const stored = row === null ? null : jsonIn(row, ContentHeadSchema);
  return stored === null || stored.removingSince !== null ? null : stored.head;
}

/** The part is claimed before its items are written, so that two senders never mix theirs. */
function* writePart(head: ContentHead, part: ItemPart): Program<{ readonly kind: 'written' | 'conflict' }> {
  const { rows: _rows, ...summary } = part;
  const key = itemPartKey(head.content, part.no);
  if (!(yield* claimPart(key, part.sha256, null))) return { kind: 'conflict' };
  yield* writeAll(
    runsOf(head, part).map((each) => aPut(itemRunKey(head.content, each.first), each)),
    ROWS,
  );
  return { kind: (yield* claimPart(key, part.sha256, summary)) ? 'written' : 'conflict' };
}

const ROWS = 'rows of items';

/** Claims a part, or (with its summary) says that it is stored whole. False: another part has this number. */
function* claimPart(key: RowKey, sha256: string, summary: PartSummary | null): Program<boolean> {
  const set = { [FIELD.by]: sha256, ...(summary === null ? {} : { [FIELD.body]: json(summary) }) };
  return (yield* write({ kind: 'update', key, set, condition: either(ABSENT, is(FIELD.by, sha256)) })) === null;
}

function* readPart(content: ContentId, no: number): Program<PartSummary | null> {
  const row = yield* get(itemPartKey(content, no));
  return row === null || !hasBody(row) ? null : jsonIn(row, PartSummarySchema);
}

function* listParts(content: ContentId): Program<readonly PartSummary[]> {
  const [from, to] = PARTS_RANGE;
  const rows = yield* rowsIn({ partition: contentPartition(content), from, to });
  return rows.filter(hasBody).map((row) => jsonIn(row, PartSummarySchema));
}

function seal(content: ContentId, sealed: SealedContent): Program<boolean> {
  const decide = ({ head, removingSince }: StoredHead): HeadChange<boolean> => {
    if (removingSince !== null) return { answer: false, next: null };
    return { answer: true, next: head.sealed === null ? { head: { ...head, sealed }, removingSince } : null };
  };
  return changeHead(content, decide, false);
}

/** At half the price. What is missing there may have been written a moment ago, so it is looked for once more at the full one. */
function* readItems(content: ContentId, wanted: number): Program<ItemRun | null> {
  return (yield* runWith(content, wanted, true)) ?? (yield* runWith(content, wanted, false));
}

function* runWith(content: ContentId, wanted: number, isEventual: boolean): Program<ItemRun | null> {
  const range = { partition: contentPartition(content), from: itemRunSort(0), to: itemRunSort(wanted) };
  const { rows } = yield* page({ ...range, limit: 1, reverse: true, isEventual });
  const [row] = rows;
  const found = row === undefined ? null : jsonIn(row, ItemRunSchema);
  return found === null || wanted >= found.first + found.rows.length ? null : found;
}

/** Written first and then checked, while a removal marks first and then looks for reservations: one sees the other. */
function* reserve(content: ContentId, job: JobUid, at: EpochMs): Program<boolean> {
  yield* writeAlways(aPut(itemUseKey(content, job), { job, at }));
  const head = yield* readHead(content);
  if (head !== null && head.sealed !== null) return true;
  yield* release(content, job);
  return false;
}

function* release(content: ContentId, job: JobUid): Program<void> {
  yield* writeAlways({ kind: 'delete', key: itemUseKey(content, job) });
}

function* listReservations(content: ContentId): Program<readonly ItemReservation[]> {
  const [from, to] = USES_RANGE;
  const rows = yield* rowsIn({ partition: contentPartition(content), from, to });
  return rows.map((row) => jsonIn(row, ItemReservationSchema));
}

type ContentPage = Parameters<ItemStore['listContents']>[0];

function* listContents({ after, limit }: ContentPage): Program<Awaited<ReturnType<ItemStore['listContents']>>> {
  const from = after === null ? ' ' : `${after}!`;
  const { rows, next } = yield* page({ partition: CONTENT_PARTITION, from, to: '~', limit });
  return { contents: rows.map(({ key }) => key.sort), next: next?.sort ?? null };
}

function* remove(content: ContentId): Program<Awaited<ReturnType<ItemStore['remove']>>> {
  const at = yield* now();
  const since = yield* changeHead<EpochMs | null>(
    content,
    (stored) => {
      const next = stored.removingSince === null ? { ...stored, removingSince: at } : null;
      return { answer: stored.removingSince ?? at, next };
    },
    null,
  );
  if (since !== null && (yield* listReservations(content)).length > 0) {
    const unmarked = ({ head }: StoredHead) => ({ answer: null, next: { head, removingSince: null } });
    yield* changeHead<null>(content, unmarked, null);
    return { kind: 'reserved' };
  }
  if (since !== null && at < plusMs(since, REMOVAL_AFTER_MS)) return { kind: 'marked' };
  yield* deleteRows(content);
  return { kind: 'removed' };
}

/** The head goes last but one, and then the row by which the content is found. */
function* deleteRows(content: ContentId): Program<void> {
  const partition = contentPartition(content);
  for (const [from, to] of [
    ['PART#', 'USED#~'],
    ['HEAD', 'HEAD'],
  ] as const) {
    const rows = yield* rowsIn({ partition, from, to, keysOnly: true });
    yield* writeAll(
      rows.map(({ key }) => ({ kind: 'delete', key })),
      ROWS,
    );
  }
  yield* writeAlways({ kind: 'delete', key: contentListKey(content) });
}

/** False: another writer was faster. */
function* writeHead(version: number, stored: StoredHead): Program<boolean> {
  const key = contentHeadKey(stored.head.content);
  return (yield* writeNext(key, version, { [FIELD.body]: json(stored) })) === null;
}

/** What a change of a head comes to; `next` null: nothing is written. */
type HeadChange<T> = { readonly answer: T; readonly next: StoredHead | null };

const TRIES_MAX = 20;

/** Writes `next` if the head has not changed; otherwise decides again. `gone`: there is no such content. */
function* changeHead<T>(content: ContentId, decide: (stored: StoredHead) => HeadChange<T>, gone: T): Program<T> {
  for (let nth = 0; nth < TRIES_MAX; nth++) {
    const row: Row | null = yield* get(contentHeadKey(content));
    if (row === null) return gone;
    const { answer, next } = decide(jsonIn(row, ContentHeadSchema));
    if (next === null || (yield* writeHead(versionIn(row), next))) return answer;
  }
  throw new Error(`others changed content ${content} during each of ${TRIES_MAX} tries`);
}
