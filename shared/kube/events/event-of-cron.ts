import type { CronEvent } from '../../domain/schedulers/scheduler-event.ts';
import type { CronStore } from '../../ports/cron-store.ts';
import type { ObjectStore, StoredObject } from '../../ports/object-store.ts';
import type { LeftOut } from '../list/left-out.ts';
import type { ListPlace } from '../../schema/object/list-place.ts';
import { type EventfulKind, isOwnerKind } from '../../domain/kinds/api-kinds.ts';
import { newsIn } from '../../domain/schedulers/news-in-ledger.ts';
import type { EventFilter } from './event-filter.ts';
import { type EventObject, type Subject, renderEvent } from './event-object.ts';

export type CronReads = { readonly objects: ObjectStore; readonly crons: Pick<CronStore, 'read'> };

const CRONS_PER_READ = 200;

/** An object that makes Jobs, and the store's cursor of the page that it was on. */
export type CronRef = { readonly stored: StoredObject; readonly after: string | null };

/** The objects of one kind that a filter may show Events of, in order of (namespace, name), from a position on. */
export async function* cronRefs(
  kind: EventfulKind,
  { namespace, objectName }: EventFilter,
  from: ListPlace | null,
  { objects }: Pick<CronReads, 'objects'>,
  leftOut: LeftOut,
): AsyncGenerator<CronRef> {
  if (namespace !== null && objectName !== undefined) {
    const stored = await objects.read(kind, { namespace, name: objectName });
    if (stored !== null) yield { stored, after: null };
    return;
  }
  let after = from?.after ?? null;
  do {
    const onNewer = (key: StoredObject['key']): void => leftOut.add(key);
    const page = await objects.list(kind, { namespace, after, limit: CRONS_PER_READ, onNewer });
    for (const stored of page.objects)
      if ((objectName ?? stored.key.name) === stored.key.name && !isBefore(stored.key, from)) yield { stored, after };
    after = page.next;
  } while (after !== null);
}

const isBefore = (key: StoredObject['key'], from: ListPlace | null): boolean =>
  from !== null &&
  (key.namespace === from.job.namespace ? key.name < from.job.name : key.namespace < from.job.namespace);

/**
 * The Events of an object, oldest first: the newest that its scheduler has kept, or it has itself.
 *
 * @param version the number in the feed of Jobs, which all Events are numbered by
 */
export async function eventsOfCron(
  kind: EventfulKind,
  { key, version: objectVersion, document }: StoredObject,
  version: number,
  { crons }: Pick<CronReads, 'crons'>,
): Promise<readonly EventObject[]> {
  const { uid } = document.metadata;
  const events = isOwnerKind(kind) ? ((await crons.read(uid))?.state.events ?? []) : newsIn(document);
  const subject: Subject = { kind, ...key, uid, version, objectVersion };
  return events.map((event) => renderEvent(subject, { ...event, key: keyOf(event) }));
}

/** An Event that was forgotten and happens again is another one. */
const keyOf = ({ firstAt, message }: CronEvent): string => `${firstAt}/${message}`;
