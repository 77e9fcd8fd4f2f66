import { type EpochMs, asTime } from '../../domain/base/time.ts';
import { type ApiKind, apiVersionOf } from '../../domain/kinds/api-kind.ts';
import { API_KINDS, type EventfulKind } from '../../domain/kinds/api-kinds.ts';
import type { JobIdentity } from '../../domain/manifests/job.ts';
import { eventIdentity } from './event-name.ts';
import type { Resource } from '../http/status-error.ts';

export const EVENTS: Resource = { group: '', plural: 'events', kind: 'Event' };

/** Something that has happened to an object, as an Event reports it. */
export type Occurrence = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly firstAt: EpochMs;
  readonly at: EpochMs;
  readonly count: number;
  /** Distinguishes it permanently from the object's other news with this reason. */
  readonly key: string;
  /** `spec.containers{main}` */
  readonly fieldPath?: string | undefined;
};

/** The object of the news, in the version that is shown. */
export type Subject = {
  readonly kind: 'Job' | 'Pod' | 'Namespace' | EventfulKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly version: number;
  /** Where its feed is not that of Events: its own version. */
  readonly objectVersion?: number;
};

const OUR_COMPONENT = 'muster';

/** The core/v1 Event that a user sees. It is not stored: it is derived from its object. */
export function renderEvent(subject: Subject, occurrence: Occurrence) {
  const { kind, namespace, name, uid, version, objectVersion = version } = subject;
  const { type, reason, message, firstAt, at, count, key, fieldPath } = occurrence;
  const resourceVersion = String(version);
  const row: ApiKind = API_KINDS[kind];
  const apiVersion = apiVersionOf(row);
  const { component = OUR_COMPONENT } = row;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      ...eventIdentity(name, `${uid}/${reason}/${key}`),
      namespace,
      resourceVersion,
      creationTimestamp: asTime(firstAt),
    },
    involvedObject: {
      kind,
      namespace,
      name,
      uid,
      apiVersion,
      resourceVersion: String(objectVersion),
      ...(fieldPath === undefined ? {} : { fieldPath }),
    },
    reason,
    message,
    source: { component },
    firstTimestamp: asTime(firstAt),
    lastTimestamp: asTime(at),
    count,
    type,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: '',
  };
}

export type EventObject = ReturnType<typeof renderEvent>;

export const jobSubject = ({ uid, namespace, name }: JobIdentity, version: number): Subject => ({
  kind: 'Job',
  uid,
  namespace,
  name,
  version,
});
