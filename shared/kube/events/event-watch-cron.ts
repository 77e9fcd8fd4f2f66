import { type EpochMs, asEpochMs, plusMs } from '../../domain/base/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ObjectChange, StoredObject } from '../../ports/object-store.ts';
import type { AwaitedRow, Tail } from '../feed/feed-tail.ts';
import type { WatchedChange, Tails, Watched, WatchedRow } from '../feed/watched.ts';
import type { EventfulKind } from '../../domain/kinds/api-kinds.ts';
import { type EventFilter, showsEvent } from './event-filter.ts';
import type { EventObject } from './event-object.ts';
import { type CronReads, eventsOfCron } from './event-of-cron.ts';

type Deps = CronReads & { readonly clock: Clock; readonly tails: Tails };

/**
 * A watch of Events, and those of objects that make Jobs with it: `others` gives all Events their number, which is that of the feed
 * of Jobs; beside it this follows the feed of the kind, in which each change of a status is a row. Events without such a change come with the next
 * row of their object.
 *
 * A client that goes on from a number does not say how far it knows such objects. It gets what has happened since a moment before it
 * asked; some of that may come to it twice.
 */
export function withCronEvents(
  kind: EventfulKind,
  others: Watched<EventObject>,
  filter: EventFilter,
  deps: Deps,
): Watched<EventObject> {
  const crons = new CronEvents(kind, filter, deps);
  return {
    kind: others.kind,
    apiVersion: others.apiVersion,
    async *present() {
      await crons.begin('atPresent');
      for await (const event of others.present()) {
        crons.note(event);
        yield event;
      }
    },
    head: () => others.head(),
    async read(after, limit) {
      const page = await others.read(after, limit);
      if (page.kind === 'expired' || page.rows.length >= limit) return page;
      const number = page.rows.at(-1)?.number ?? after;
      const row: WatchedRow<EventObject> = { number, changes: () => crons.changes(number) };
      return { kind: 'rows', rows: [...page.rows, row] };
    },
    async awaitRow(after, { until, isCancelled }) {
      let isOver = false;
      const wait = { until, isCancelled: () => isOver || isCancelled() };
      const awaited = others.awaitRow(after, wait);
      const news = crons.awaitNews(wait).then((isThere): AwaitedRow | Promise<AwaitedRow> => {
        return isThere ? { at: after, isThere } : awaited;
      });
      for (const each of [awaited, news]) each.catch(() => undefined); // the first one is heard
      return Promise.race([awaited, news]).finally(() => {
        isOver = true;
      });
    },
  };
}

/** How long after its moment an Event may be sent. */
const LATE_MS = 5_000;
/** Times are shown in whole seconds. */
const SECOND_MS = 1_000;
/** Rows before a watch from a number in which the objects of its last seconds are looked for. */
const ROWS_BACK = [100, 10, 1] as const;
const ROWS_PER_READ = 100;

/** What one watch sends about objects of a kind that make Jobs. */
class CronEvents {
  readonly #kind: EventfulKind;
  readonly #tail: Tail<ObjectChange>;
  readonly #filter: EventFilter;
  readonly #deps: Deps;
  /** Up to which number of the feed of the kind; null: it has not begun. */
  #at: number | null = null;
  /** What happened before is not news. */
  #since: EpochMs = asEpochMs(0);
  /** By object, the newest Event that the client has. */
  readonly #newest = new Map<string, EventObject>();

  constructor(kind: EventfulKind, filter: EventFilter, deps: Deps) {
    this.#kind = kind;
    this.#tail = deps.tails.of(kind);
    this.#filter = filter;
    this.#deps = deps;
  }

  /** Finds out where to begin, the first time. */
  async begin(from: 'atPresent' | 'atNumber'): Promise<void> {
    if (this.#at !== null) return;
    const head = await this.#tail.head();
    if (from === 'atNumber') this.#since = plusMs(this.#deps.clock.now(), -LATE_MS - SECOND_MS);
    this.#at = from === 'atPresent' ? head : await this.#before(head);
  }

  /** A number some rows before, whose rows are still there. */
  async #before(head: number): Promise<number> {
    for (const rows of ROWS_BACK) {
      const at = Math.max(0, head - rows);
      if ((await this.#tail.read(at, 1)).kind === 'rows') return at;
    }
    return head;
  }

  /** The client has this Event, and those of its object before it. */
  note(event: EventObject): void {
    if (event.involvedObject.kind === this.#kind) this.#newest.set(event.involvedObject.uid, event);
  }

  /** Resolves with true when an object that matters has changed; false: not until then. */
  async awaitNews(wait: { readonly until: number; readonly isCancelled: () => boolean }): Promise<boolean> {
    const from = this.#at ?? (await this.#tail.head());
    const { at, isThere } = await this.#tail.awaitRow(from, { ...wait, concerns: (row) => this.#concerns(row) });
    if (this.#at !== null && at > this.#at) this.#at = at;
    return isThere;
  }

  #concerns({ object: { key } }: ObjectChange): boolean {
    const { namespace, objectName } = this.#filter;
    return (namespace ?? key.namespace) === key.namespace && (objectName ?? key.name) === key.name;
  }

  /** Reads on, and tells what is new. `version`: the number of the feed of Jobs that is reached. */
  async *changes(version: number): AsyncGenerator<WatchedChange<EventObject>> {
    await this.begin('atNumber');
    for (const { type, object } of await this.#changed()) {
      const { uid } = object.document.metadata;
      if (type === 'DELETED') this.#newest.delete(uid);
      else for (const event of await this.#newEvents(object, version)) yield changeOf(event);
    }
  }

  /** The objects that have changed since the last call, each once. */
  async #changed(): Promise<readonly ObjectChange[]> {
    const changed = new Map<string, ObjectChange>();
    for (;;) {
      const page = await this.#tail.read(this.#at ?? 0, ROWS_PER_READ);
      if (page.kind === 'expired') {
        this.#at = await this.#tail.head();
        break;
      }
      for (const row of page.rows) {
        this.#at = this.#tail.numberOf(row);
        if (this.#concerns(row)) changed.set(row.object.document.metadata.uid, row);
      }
      if (page.rows.length < ROWS_PER_READ) break;
    }
    return [...changed.values()];
  }

  /** What comes after the Event that the client has; they are in the order in which they happened last. */
  async #newEvents(cron: StoredObject, version: number): Promise<readonly EventObject[]> {
    const events = await eventsOfCron(this.#kind, cron, version, this.#deps);
    const newest = this.#newest.get(cron.document.metadata.uid);
    const known = events.findIndex(
      ({ metadata, count }) => metadata.name === newest?.metadata.name && count === newest.count,
    );
    const since = newest === undefined ? this.#since : Date.parse(newest.lastTimestamp);
    const news = known < 0 ? events.filter((each) => Date.parse(each.lastTimestamp) >= since) : events.slice(known + 1);
    const last = events.at(-1);
    if (last !== undefined) this.note(last);
    return news.filter((event) => showsEvent(this.#filter, event));
  }
}

const changeOf = (object: EventObject): WatchedChange<EventObject> => ({
  type: object.count === 1 ? 'ADDED' : 'MODIFIED',
  object,
});
