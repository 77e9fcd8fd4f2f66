import type { AttemptId } from '../base/fact.ts';
import { hasReadyName, hostnameOf, hostsPattern, readyNameOf } from './host-names.ts';
import type { JobManifestSpec, Labels } from '../manifests/manifest.ts';

/** Environment variables that every task has, in addition to its completion index. */
export const TASK_ENV = {
  jobName: 'MUSTER_JOB_NAME',
  namespace: 'MUSTER_NAMESPACE',
  attempt: 'MUSTER_ATTEMPT',
  /** a folder that all tasks share; embedded only */
  workspace: 'MUSTER_WORKSPACE',
  /** the names of all tasks of the Job, `%d` in place of the index; only for Jobs with a subdomain, like the next */
  hostsPattern: 'MUSTER_HOSTS_PATTERN',
  /** the task's own name */
  hostname: 'MUSTER_HOSTNAME',
  /** the name that exists while all tasks of the Job run; only if they belong together */
  ready: 'MUSTER_READY_HOSTNAME',
  /** address and port of the DNS server for the names; embedded only */
  dns: 'MUSTER_DNS',
} as const;

/** What tasks are given about their Job. */
export type TaskOwner = {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Labels | undefined;
  };
  readonly spec: Pick<JobManifestSpec, 'template'>;
};

/**
 * The variables of every container of an attempt's task. Always the same for the same arguments, in the same order, because a
 * repeated RunTask call must be identical.
 *
 * @param restarts how often Pods of the index were restarted before this task, frozen with the launch: each was a try
 * @param zone the end of the tasks' names, frozen with the Job's launch template; undefined: there are no names
 */
export function taskEnvironment(
  owner: TaskOwner,
  { index, attempt, restarts }: Pick<AttemptId, 'index' | 'attempt'> & { readonly restarts: number },
  zone: string | undefined,
): readonly { readonly name: string; readonly value: string }[] {
  const { name, namespace } = owner.metadata;
  const { subdomain = '' } = owner.spec.template.spec;
  const named = { namespace, name, subdomain };
  return [
    { name: TASK_ENV.jobName, value: name },
    { name: TASK_ENV.namespace, value: namespace },
    { name: TASK_ENV.attempt, value: String(attempt + restarts) },
    ...(subdomain === '' || zone === undefined
      ? []
      : [
          { name: TASK_ENV.hostsPattern, value: hostsPattern(named, zone) },
          { name: TASK_ENV.hostname, value: hostnameOf(named, index, zone) },
          ...(hasReadyName(owner) ? [{ name: TASK_ENV.ready, value: readyNameOf(named, zone) }] : []),
        ]),
  ];
}
