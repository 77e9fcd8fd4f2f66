const part = encodeURIComponent;

/** A list of one kind, of one namespace or of all (null). */
const listIn = (group: string, plural: string) => (namespace: string | null) =>
  `${group}${namespace === null ? '' : `/namespaces/${part(namespace)}`}/${plural}`;

export const LISTS = {
  jobs: listIn('/apis/batch/v1', 'jobs'),
  cronJobs: listIn('/apis/batch/v1', 'cronjobs'),
  workLists: listIn('/apis/muster.run/v1', 'worklists'),
  quotas: listIn('/api/v1', 'resourcequotas'),
  events: listIn('/api/v1', 'events'),
  pods: listIn('/api/v1', 'pods'),
  jobConfigs: listIn('/apis/execution.furiko.io/v1alpha1', 'jobconfigs'),
  furikoJobs: listIn('/apis/execution.furiko.io/v1alpha1', 'jobs'),
} as const;

/** One object of a list. */
export const oneOf = (kind: keyof typeof LISTS, namespace: string, name: string): string =>
  `${LISTS[kind](namespace)}/${part(name)}`;

/** What Muster says of a Job beside the Job itself. */
export const ofJob = (namespace: string, name: string, what: string): string =>
  `/muster/v1/namespaces/${part(namespace)}/jobs/${part(name)}/${what}`;
