import {
  ASKED_KINDS,
  CAPABILITY_KINDS,
  KINDS_BEFORE_JOBS,
  LEADING_KINDS,
  MEASURED_KINDS,
} from '../../capabilities/lists/kind-rows.ts';
import { type ApiKind, READ, WRITE, WRITTEN, grant, statusOf } from './api-kind.ts';

const CORE = { group: '', version: 'v1' } as const;
const BATCH = { group: 'batch', version: 'v1' } as const;

/**
 * Every kind that the API serves, by its name in the table of API shapes (`shared/schema/kinds`).
 *
 * The order is that in which the objects of a file are created, so that each finds what it needs: a binding names a role and an
 * account, limits and quotas hold for what comes after them, and a Job may name a list. A namespace is emptied the other way
 * round.
 */
export const API_KINDS = {
  Namespace: {
    ...CORE,
    kind: 'Namespace',
    plural: 'namespaces',
    isNamespaced: false,
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['ns'],
    subresources: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }, statusOf('Namespace')],
    stored: true,
    grants: [grant('view', READ, '', 'status')],
  },
  ServiceAccount: {
    ...CORE,
    ...WRITTEN,
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    shortNames: ['sa'],
    stored: true,
    showsDeleted: true,
    counted: 'serviceAccounts',
    grants: [grant('view', READ), grant('edit', WRITE), grant('edit', ['use']), grant('edit', ['create'], 'token')],
  },
  ...LEADING_KINDS,
  Service: {
    ...CORE,
    ...WRITTEN,
    kind: 'Service',
    plural: 'services',
    shortNames: ['svc'],
    categories: ['all'],
    stored: true,
    showsDeleted: true,
    counted: 'services',
    grants: [grant('view', READ), grant('edit', WRITE)],
  },
  ...KINDS_BEFORE_JOBS,
  // Jobs have rows of their own, and count for their Pods, too.
  Job: {
    ...BATCH,
    ...WRITTEN,
    component: 'job-controller',
    kind: 'Job',
    plural: 'jobs',
    categories: ['all'],
    subresources: [statusOf('Job')],
    grants: [
      grant('view', READ, '', 'status'),
      grant('view', ['get'], 'waits', 'failures', 'progress', 'attempts', 'items', 'diagnosis'),
      grant('view', ['get'], 'grid', 'durations', 'timeline'),
      grant('view', ['list'], 'diagnosis'),
      grant('edit', WRITE),
      grant('edit', ['update'], 'indexes'),
    ],
  },
  ...CAPABILITY_KINDS,
  // Pods are attempts of Jobs, or are stored as Jobs.
  Pod: {
    ...CORE,
    ...WRITTEN,
    kind: 'Pod',
    plural: 'pods',
    shortNames: ['po'],
    categories: ['all'],
    subresources: [
      { name: 'eviction', kind: 'Eviction', verbs: ['create'], group: 'policy' },
      { name: 'log', kind: 'Pod', verbs: ['get'] },
      statusOf('Pod', ['get']),
    ],
    showsDeleted: true,
    grants: [
      grant('view', READ, '', 'log', 'status'),
      grant('edit', WRITE),
      grant('edit', ['create'], 'eviction'),
      grant('edit', ['create', 'get'], 'attach', 'exec', 'portforward'),
    ],
  },
  // Not created by users.
  Event: {
    ...CORE,
    kind: 'Event',
    plural: 'events',
    isNamespaced: true,
    verbs: READ,
    shortNames: ['ev'],
    grants: [grant('view', READ)],
  },
  // The same Events in another shape. Its short name would make kubectl warn that `ev` is of two kinds.
  NewerEvent: {
    group: 'events.k8s.io',
    version: 'v1',
    kind: 'Event',
    plural: 'events',
    isNamespaced: true,
    verbs: READ,
    grants: [grant('view', READ)],
  },
  ...ASKED_KINDS,
} as const satisfies Readonly<Record<string, ApiKind>>;

/** The name of a row, which is that of its type in the table of API shapes. */
export type KindName = keyof typeof API_KINDS;

/** A kind whose objects are stored as they are shown, by the name that their rows have. */
export type StoredKind = { [K in KindName]: (typeof API_KINDS)[K] extends { stored: true } ? K : never }[KindName];

/** A kind whose objects make Jobs, and own them. */
export type OwnerKind = { [K in KindName]: (typeof API_KINDS)[K] extends { ownsJobs: string } ? K : never }[KindName];

/** A kind whose objects have the news of their Events in their ledger. */
export type NewsKind = { [K in KindName]: (typeof API_KINDS)[K] extends { keepsNews: true } ? K : never }[KindName];

/** A kind whose objects have Events, and are stored as they are shown. */
export type EventfulKind = OwnerKind | NewsKind;

/** A row with its name. */
export type NamedKind = ApiKind & { readonly name: KindName };

/** Every row, in the order of the table. */
export const ALL_KINDS: readonly NamedKind[] = (Object.keys(API_KINDS) as KindName[]).map((name) => ({
  name,
  ...API_KINDS[name],
}));

/** Kinds that are served only where something measures them: no object of theirs is written, or stored. */
export const MEASURED: readonly (ApiKind & { readonly name: string })[] = Object.entries<ApiKind>(MEASURED_KINDS).map(
  ([name, row]) => ({ name, ...row }),
);

/** Those whose objects make Jobs, in the order in which their Events are listed. */
export const OWNERS: readonly (NamedKind & { readonly name: OwnerKind })[] = ALL_KINDS.filter(
  (kind): kind is NamedKind & { readonly name: OwnerKind } => kind.ownsJobs !== undefined,
);

/** Those whose objects have Events, in the order in which these are listed. */
export const EVENTFUL: readonly (NamedKind & { readonly name: EventfulKind })[] = ALL_KINDS.filter(
  (kind): kind is NamedKind & { readonly name: EventfulKind } => kind.ownsJobs !== undefined || kind.keepsNews === true,
);

export const isOwnerKind = (name: KindName): name is OwnerKind => OWNERS.some((kind) => kind.name === name);

/** The Jobs of batch, and what else a Job is in another API. */
export const JOB_KINDS: readonly NamedKind[] = ALL_KINDS.filter(({ kind }) => kind === 'Job');

/** Whether nothing of what an object holds may be repeated: see {@link ApiKind.isConfidential}. */
export const isConfidential = (name: string): boolean =>
  ALL_KINDS.some((kind) => kind.name === name && kind.isConfidential === true);

const isStoredKind = (kind: NamedKind): kind is NamedKind & { readonly name: StoredKind } => kind.stored === true;

/** Those whose objects are stored as they are shown. */
export const STORED: readonly (NamedKind & { readonly name: StoredKind })[] = ALL_KINDS.filter(isStoredKind);
