import type { EpochMs } from '../../domain/base/time.ts';
import type { DeadLetterStore, SubmissionRefusal } from '../../ports/dead-letters.ts';
import type { ObjectStore, StoredObject } from '../../ports/object-store.ts';
import type { EventFilter } from './event-filter.ts';
import { type EventObject, type Subject, renderEvent } from './event-object.ts';

export type NamespaceReads = {
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly deadLetters: Pick<DeadLetterStore, 'newest'>;
};

/** A namespace, and its Events, oldest first. */
export type NamespaceNews = { readonly name: string; readonly uid: string; readonly events: readonly EventObject[] };

/** Reason of the Event that reports a submission that has made no Job. */
const SUBMISSION_REFUSED = 'SubmissionRefused';

/** Dead letters of all namespaces that are looked through: the newest. They are kept for two weeks. */
const LETTERS_MAX = 200;

/**
 * The Events of namespaces: the submissions to them that were refused, by reason. They are derived from dead letters, as no other
 * object could have them.
 *
 * @param version the number in the feed of Jobs, which all Events are numbered by
 */
export async function newsOfNamespaces(
  { namespace, objectName }: EventFilter,
  version: number,
  { objects, deadLetters }: NamespaceReads,
): Promise<readonly NamespaceNews[]> {
  const { deadLetters: letters } = await deadLetters.newest(LETTERS_MAX);
  const byNamespace = new Map<string, Map<string, News>>();
  for (const { refusal, reason, sentAt } of letters.toReversed()) {
    const name = placeOf(refusal);
    if (name === null || (namespace ?? name) !== name || (objectName ?? name) !== name) continue;
    const news = byNamespace.get(name) ?? new Map<string, News>();
    byNamespace.set(name, news);
    const before = news.get(reason);
    news.set(reason, { firstAt: before?.firstAt ?? sentAt, at: sentAt, count: (before?.count ?? 0) + 1 });
  }
  const found = await Promise.all(
    [...byNamespace].map(async ([name, news]) => {
      const object = await objects.read('Namespace', { namespace: '', name });
      return object === null ? null : render(name, object, news, version);
    }),
  );
  return found.filter((each) => each !== null).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

type News = { readonly firstAt: EpochMs; readonly at: EpochMs; readonly count: number };

const placeOf = (refusal: SubmissionRefusal | undefined): string | null => refusal?.namespace ?? null;

function render(
  name: string,
  { document, version: objectVersion }: StoredObject,
  news: ReadonlyMap<string, News>,
  version: number,
): NamespaceNews {
  const { uid } = document.metadata;
  const subject: Subject = { kind: 'Namespace', namespace: name, name, uid, version, objectVersion };
  const events = [...news].map(([message, { firstAt, at, count }]) =>
    renderEvent(subject, { type: 'Warning', reason: SUBMISSION_REFUSED, message, firstAt, at, count, key: message }),
  );
  return { name, uid, events: events.toSorted((a, b) => (a.lastTimestamp < b.lastTimestamp ? -1 : 1)) };
}
