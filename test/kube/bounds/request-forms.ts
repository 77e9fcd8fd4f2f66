/** A request that a reader of manifests may send, and that is as expensive as one of its size can be. */
export type NastyRequest = {
  readonly what: string;
  readonly method?: 'POST' | 'PATCH' | 'GET' | 'DELETE';
  readonly path: string;
  /** Of PATCH. */
  readonly type?: string;
  readonly body?: unknown;
};

export const BATCH = '/apis/batch/v1/namespaces/default';
const FURIKO = '/apis/execution.furiko.io/v1alpha1/namespaces/default';
export const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
export const CORE = '/api/v1/namespaces/default';
export const MUSTER = '/apis/muster.run/v1/namespaces/default';

/** Names with a number behind them. */
export const named = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`);
export const times = <T>(count: number, make: (i: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => make(i));
export const mapOf = <T>(keys: readonly string[], value: T): Readonly<Record<string, T>> =>
  Object.fromEntries(keys.map((key) => [key, value]));

export const MAIN = { name: 'main', image: 'busybox', command: ['true'] };
const metadata = (more: object = {}) => ({ name: 'nasty', ...more });

export const pod = (more: object = {}) => ({ restartPolicy: 'Never', containers: [MAIN], ...more });
export const job = (
  what: string,
  podSpec: object,
  more: { readonly meta?: object; readonly spec?: object } = {},
): NastyRequest => ({
  what: `a Job with ${what}`,
  path: `${BATCH}/jobs`,
  body: { metadata: metadata(more.meta), spec: { ...more.spec, template: { spec: pod(podSpec) } } },
});
export const main = (what: string, more: object): NastyRequest => job(what, { containers: [{ ...MAIN, ...more }] });
export const annotated = (what: string, annotations: object, spec: object = {}): NastyRequest =>
  job(what, {}, { meta: { annotations }, spec });
export const list = (what: string, spec: object): NastyRequest => ({
  what: `a WorkList with ${what}`,
  path: `${MUSTER}/worklists`,
  body: { metadata: metadata(), spec },
});
export const config = (what: string, spec: object, template: object = {}): NastyRequest => ({
  what: `a JobConfig with ${what}`,
  path: `${FURIKO}/jobconfigs`,
  body: {
    metadata: metadata(),
    spec: {
      template: { spec: { taskTemplate: { pod: { spec: { containers: [MAIN] } } }, ...template } },
      concurrency: { policy: 'Allow' },
      ...spec,
    },
  },
});
export const patch = (what: string, type: string, body: unknown, path = `${BATCH}/jobs/sums`): NastyRequest => ({
  what: `a patch with ${what}`,
  method: 'PATCH',
  path: `${path}${type.includes('apply') ? '?fieldManager=nasty' : ''}`,
  type: `application/${type}+${type.startsWith('apply') ? 'yaml' : 'json'}`,
  body,
});
export const role = (what: string, rules: readonly object[]): NastyRequest => ({
  what: `a Role with ${what}`,
  path: `${RBAC}/roles`,
  body: { metadata: metadata(), rules },
});
export const other = (kind: string, what: string, path: string, body: object): NastyRequest => ({
  what: `a ${kind} with ${what}`,
  path,
  body: { metadata: metadata(), ...body },
});
