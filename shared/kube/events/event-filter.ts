import { apiVersionOf } from '../../domain/kinds/api-kind.ts';
import { JOB_KINDS, EVENTFUL, type EventfulKind } from '../../domain/kinds/api-kinds.ts';
import type { EventObject } from './event-object.ts';
import { POD_FAILED } from './event-of-job.ts';
import { objectOfEvent } from './event-name.ts';
import { type Parsed, ok } from '../http/query.ts';
import {
  type FieldSelector,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
} from '../selectors/label-selector.ts';

/** The fields that Kubernetes allows in a field selector for Events. */
const FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'reason',
  'reportingComponent',
  'source',
  'type',
] as const;

/** What a Job is in the APIs that show it, which its Events are about. */
const JOB_VERSIONS = JOB_KINDS.map(apiVersionOf);

/** Which Events a list or a watch shows, and what does not have to be read for it. */
export type EventFilter = {
  readonly namespace: string | null;
  /** The only object that the Events are about; undefined: any. */
  readonly objectName: string | undefined;
  readonly ofJobs: boolean;
  readonly ofPods: boolean;
  /** Of those that are stored as they are shown, these kinds. */
  readonly ofStored: readonly EventfulKind[];
  readonly ofNamespaces: boolean;
  /** Pods created, failed, and deleted may be among them. */
  readonly turnover: boolean;
  readonly fields: FieldSelector<(typeof FIELDS)[number]>;
  readonly labels: LabelSelector;
};

/** @param namespace null: all namespaces */
export function parseEventFilter(
  namespace: string | null,
  query: { readonly labelSelector?: string; readonly fieldSelector?: string },
): Parsed<EventFilter> {
  const labels = parseLabelSelector(query.labelSelector);
  if (labels.kind === 'bad') return labels;
  const fields = parseFieldSelector(query.fieldSelector, FIELDS);
  if (fields.kind === 'bad') return fields;
  const exact = (field: (typeof FIELDS)[number], values: readonly string[]): boolean =>
    values.includes(fields.value.exact(field) ?? values[0] ?? '');
  const eventName = fields.value.exact('metadata.name');
  return ok({
    namespace:
      namespace ?? fields.value.exact('metadata.namespace') ?? fields.value.exact('involvedObject.namespace') ?? null,
    objectName:
      fields.value.exact('involvedObject.name') ?? (eventName === undefined ? undefined : objectOfEvent(eventName)),
    ofJobs: exact('involvedObject.kind', ['Job']) && exact('involvedObject.apiVersion', JOB_VERSIONS),
    ofPods: exact('involvedObject.kind', ['Pod']) && exact('involvedObject.apiVersion', ['v1']),
    ofStored: EVENTFUL.filter(
      (row) => exact('involvedObject.kind', [row.kind]) && exact('involvedObject.apiVersion', [apiVersionOf(row)]),
    ).map(({ name }) => name),
    ofNamespaces: exact('involvedObject.kind', ['Namespace']) && exact('involvedObject.apiVersion', ['v1']),
    turnover:
      exact('type', ['Normal', 'Warning']) && exact('reason', ['SuccessfulCreate', 'SuccessfulDelete', POD_FAILED]),
    fields: fields.value,
    labels: labels.value,
  });
}

/** The filter lets this Event through; Events have no labels. */
export const showsEvent = (filter: EventFilter, event: EventObject): boolean =>
  (filter.namespace ?? event.metadata.namespace) === event.metadata.namespace &&
  filter.labels.matches({}) &&
  filter.fields.matches({
    'metadata.name': event.metadata.name,
    'metadata.namespace': event.metadata.namespace,
    'involvedObject.kind': event.involvedObject.kind,
    'involvedObject.namespace': event.involvedObject.namespace,
    'involvedObject.name': event.involvedObject.name,
    'involvedObject.uid': event.involvedObject.uid,
    'involvedObject.apiVersion': apiVersionFor(filter, event),
    'involvedObject.resourceVersion': event.involvedObject.resourceVersion,
    'involvedObject.fieldPath': event.involvedObject.fieldPath ?? '',
    reason: event.reason,
    reportingComponent: event.reportingComponent,
    source: event.source.component,
    type: event.type,
  });

/** What the selector is compared with: about a Job, both kinds that it is are right. */
function apiVersionFor({ fields }: EventFilter, { involvedObject: { kind, apiVersion } }: EventObject): string {
  const wanted = fields.exact('involvedObject.apiVersion');
  return kind === 'Job' && JOB_VERSIONS.some((each) => each === wanted) ? (wanted ?? apiVersion) : apiVersion;
}
