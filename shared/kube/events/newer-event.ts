import { type Parsed, bad, ok } from '../http/query.ts';
import type { Watched, WatchedChange, WatchedRow } from '../feed/watched.ts';
import type { Collection } from '../list/collection.ts';
import type { PageRequest } from '../list/list-page.ts';
import type { Printer } from '../list/printer.ts';
import type { Resource } from '../http/status-error.ts';
import type { EventObject } from './event-object.ts';
import { EVENT_PRINTER } from './event-printer.ts';

const NEWER_VERSION = 'events.k8s.io/v1';
export const NEWER_EVENTS: Resource = { group: 'events.k8s.io', plural: 'events', kind: 'Event' };

export type NewerEvent = ReturnType<typeof newerEvent>;

/** The same Event in the shape of events.k8s.io/v1, by Kubernetes' conversion. */
export function newerEvent(event: EventObject) {
  const { metadata, involvedObject, reason, message, source, type, eventTime } = event;
  return {
    apiVersion: NEWER_VERSION,
    kind: 'Event',
    metadata,
    eventTime,
    reportingController: event.reportingComponent,
    reportingInstance: event.reportingInstance,
    reason,
    regarding: involvedObject,
    note: message,
    type,
    deprecatedSource: source,
    deprecatedFirstTimestamp: event.firstTimestamp,
    deprecatedLastTimestamp: event.lastTimestamp,
    deprecatedCount: event.count,
  };
}

/** The Event that {@link newerEvent} was made of. */
const olderEvent = (event: NewerEvent): EventObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: event.metadata,
  involvedObject: event.regarding,
  reason: event.reason,
  message: event.note,
  source: event.deprecatedSource,
  firstTimestamp: event.deprecatedFirstTimestamp,
  lastTimestamp: event.deprecatedLastTimestamp,
  count: event.deprecatedCount,
  type: event.type,
  eventTime: event.eventTime,
  reportingComponent: event.reportingController,
  reportingInstance: event.reportingInstance,
});

export const NEWER_PRINTER: Printer<NewerEvent> = {
  columns: EVENT_PRINTER.columns,
  cells: (event, now) => EVENT_PRINTER.cells(olderEvent(event), now),
};

/** The fields of a selector, which this version knows by names of its own, as those of core/v1. */
const FIELDS: Readonly<Record<string, string>> = {
  'metadata.name': 'metadata.name',
  'metadata.namespace': 'metadata.namespace',
  reason: 'reason',
  type: 'type',
  reportingController: 'reportingComponent',
  'regarding.kind': 'involvedObject.kind',
  'regarding.namespace': 'involvedObject.namespace',
  'regarding.name': 'involvedObject.name',
  'regarding.uid': 'involvedObject.uid',
  'regarding.apiVersion': 'involvedObject.apiVersion',
  'regarding.resourceVersion': 'involvedObject.resourceVersion',
  'regarding.fieldPath': 'involvedObject.fieldPath',
};

/** A field selector of this version in the words of core/v1. */
export function olderSelector(selector: string): Parsed<string> {
  const requirements: string[] = [];
  for (const requirement of selector.split(',')) {
    const [field, end] = split(requirement);
    const older = FIELDS[field];
    if (older === undefined && field !== '') return bad(`field label not supported: ${field}`);
    requirements.push(`${older ?? ''}${end}`);
  }
  return ok(requirements.join(','));
}

/** The field, and the operator with its value. */
function split(requirement: string): readonly [string, string] {
  const at = requirement.search(/[!=]/);
  return at < 0 ? [requirement, ''] : [requirement.slice(0, at).trim(), requirement.slice(at)];
}

/** What core/v1 lists and watches, in this version's shape. */
export function newerCollection(events: Collection<EventObject>): Collection<NewerEvent> {
  return {
    resource: NEWER_EVENTS,
    apiVersion: NEWER_VERSION,
    printer: NEWER_PRINTER,
    async list(page: PageRequest) {
      const { items, ...rest } = await events.list(page);
      return { ...rest, items: items.map(newerEvent) };
    },
    watch: () => newerWatched(events.watch()),
  };
}

const newerWatched = (events: Watched<EventObject>): Watched<NewerEvent> => ({
  kind: 'Event',
  apiVersion: NEWER_VERSION,
  async *present() {
    for await (const event of events.present()) yield newerEvent(event);
  },
  head: () => events.head(),
  async read(after, limit) {
    const page = await events.read(after, limit);
    if (page.kind === 'expired') return page;
    return { kind: 'rows', rows: page.rows.map((row) => ({ number: row.number, changes: () => newerChanges(row) })) };
  },
  awaitRow: (after, wait) => events.awaitRow(after, wait),
});

async function* newerChanges(row: WatchedRow<EventObject>): AsyncGenerator<WatchedChange<NewerEvent>> {
  for await (const { type, object } of row.changes()) yield { type, object: newerEvent(object) };
}
