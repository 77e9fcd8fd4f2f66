import { type Fault, forbidden } from './fault.ts';

/** A field that Kubernetes knows and we do not support (yet): which values mean nothing here, and what to do instead. */
type Refusal = { readonly path: string; readonly means?: readonly unknown[]; readonly instead: string };

const LATER = 'not supported by this version of Muster';

const refuse = (path: string, instead: string, ...means: readonly unknown[]): Refusal => ({ path, instead, means });

const METADATA: readonly Refusal[] = [
  refuse('finalizers', 'leave it out: nothing would ever remove them'),
  refuse('ownerReferences', 'leave it out: delete the Job itself'),
];

const JOB_SPEC: readonly Refusal[] = [
  refuse('activeDeadlineSeconds', 'delete the Job when its time is up'),
  refuse('podFailurePolicy', 'leave it out: every failure counts towards backoffLimit'),
  refuse('successPolicy', 'leave it out: the Job completes when all completions have succeeded'),
  refuse('backoffLimitPerIndex', 'use backoffLimit'),
  refuse('maxFailedIndexes', 'use backoffLimit'),
  refuse('ttlSecondsAfterFinished', 'delete the Job when you have read its result'),
  refuse('managedBy', 'leave it out', 'kubernetes.io/job-controller'),
];

const POD_SPEC: readonly Refusal[] = [
  refuse('volumes', 'read and write an object store or a shared file system that the image mounts itself'),
  refuse('ephemeralContainers', 'leave it out: it cannot be part of a template'),
  refuse('activeDeadlineSeconds', 'bound the time inside the command, e.g. with timeout(1)'),
  refuse('dnsPolicy', 'leave it out', 'ClusterFirst'),
  refuse('nodeSelector', 'leave it out: Fargate has no nodes to choose from'),
  refuse('serviceAccountName', "leave it out: tasks have the stack's task role", 'default'),
  refuse('serviceAccount', "leave it out: tasks have the stack's task role", 'default'),
  refuse('automountServiceAccountToken', 'leave it out: there is no token', false),
  refuse('nodeName', 'leave it out: Fargate has no nodes to choose from'),
  refuse('hostNetwork', 'leave it out: Fargate has no host network', false),
  refuse('hostPID', 'leave it out: Fargate shares nothing of the host', false),
  refuse('hostIPC', 'leave it out: Fargate shares nothing of the host', false),
  refuse('shareProcessNamespace', 'leave it out', false),
  refuse('securityContext', 'set the user in the image'),
  refuse('imagePullSecrets', 'use a registry that the execution role can read'),
  refuse('hostname', 'leave it out: Fargate does not set hostnames'),
  refuse('subdomain', 'leave it out: tasks have no DNS names'),
  refuse('affinity', 'leave it out: Fargate has no nodes to choose from'),
  refuse('schedulerName', 'leave it out', 'default-scheduler'),
  refuse('tolerations', 'leave it out: Fargate has no nodes, hence no taints'),
  refuse('hostAliases', 'leave it out: Fargate does not allow extra hosts'),
  refuse('priorityClassName', 'leave it out: Fargate has no priorities'),
  refuse('priority', 'leave it out: Fargate has no priorities', 0),
  refuse('dnsConfig', 'leave it out: Fargate does not allow it'),
  refuse('readinessGates', 'leave it out'),
  refuse('runtimeClassName', 'leave it out'),
  refuse('enableServiceLinks', 'leave it out', true, false),
  refuse('preemptionPolicy', 'leave it out', 'PreemptLowerPriority', 'Never'),
  refuse('overhead', 'leave it out'),
  refuse('topologySpreadConstraints', 'leave it out: Fargate spreads tasks over the subnets of the stack'),
  refuse('setHostnameAsFQDN', 'leave it out', false),
  refuse('os', 'leave it out: tasks run on Linux', { name: 'linux' }),
  refuse('hostUsers', 'leave it out', true),
  refuse('schedulingGates', 'create the Job with suspend: true instead'),
  refuse('resourceClaims', 'leave it out'),
  refuse('resources', 'set resources on each container'),
  refuse('hostnameOverride', 'leave it out: Fargate does not set hostnames'),
];

const CONTAINER: readonly Refusal[] = [
  refuse('ports', 'leave it out: every port is open within the security group'),
  refuse('envFrom', 'list the variables in env'),
  refuse('resizePolicy', 'leave it out'),
  refuse('restartPolicy', 'leave it out: a failed Pod is retried as a new task'),
  refuse('restartPolicyRules', 'leave it out: a failed Pod is retried as a new task'),
  refuse('volumeMounts', 'read and write an object store or a shared file system that the image mounts itself'),
  refuse('volumeDevices', 'leave it out'),
  refuse('livenessProbe', 'let the program exit when it is stuck'),
  refuse('readinessProbe', 'leave it out: nothing routes to a Job'),
  refuse('startupProbe', 'leave it out'),
  refuse('lifecycle', 'do it in the command; handle SIGTERM to clean up'),
  refuse('terminationMessagePath', 'leave it out', '/dev/termination-log'),
  refuse('terminationMessagePolicy', 'leave it out', 'File'),
  // Fargate keeps no images between tasks, so "if not present" and "always" are the same there.
  refuse('imagePullPolicy', 'leave it out: Fargate pulls the image for every task', 'Always', 'IfNotPresent'),
  refuse('securityContext', 'set the user in the image'),
  refuse('stdin', 'leave it out: nothing is attached', false),
  refuse('stdinOnce', 'leave it out: nothing is attached', false),
  refuse('tty', 'leave it out: nothing is attached', false),
];

/** Faults for fields of `value` that mean something and that we do not support. */
const sweep =
  (refusals: readonly Refusal[]) =>
  (path: string, value: Readonly<Record<string, unknown>> | undefined): readonly Fault[] =>
    value === undefined
      ? []
      : refusals
          .filter((refusal) => !isHarmless(value[refusal.path], refusal.means ?? []))
          .map((refusal) => forbidden(`${path}.${refusal.path}`, `${LATER}; ${refusal.instead}`));

export const refusedMetadata = sweep(METADATA);
export const refusedInJobSpec = sweep(JOB_SPEC);
export const refusedInPodSpec = sweep(POD_SPEC);
export const refusedInContainer = sweep(CONTAINER);

/** Says that a value of a supported field is not supported. */
export const refusedValue = (path: string, instead: string): Fault => forbidden(path, `${LATER}; ${instead}`);

/** Absent, empty, or what Kubernetes' defaulting writes. */
function isHarmless(value: unknown, means: readonly unknown[]): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (typeof value === 'object' && Object.keys(value).length === 0) return true;
  return means.some((harmless) => JSON.stringify(harmless) === JSON.stringify(value));
}
