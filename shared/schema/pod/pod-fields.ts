import type { FieldError } from '../object/field-error.ts';
import { type Groups, type PodField, harmless, honoured, refused } from './pod-field.ts';
import { type RefusedField, sweep } from '../object/refused-fields.ts';
import { NOT_SHARED, VOLUME_FIELDS } from './volume-fields.ts';

const SERVER_OWN = harmless('set by the server, ignored in a template');
const NO_NODES = 'leave it out: Fargate has no nodes to choose from';
const FIXED_PROFILE = "leave it out: Fargate's own profile applies";
const LINUX_ONLY = 'leave it out: tasks run on Linux';
const RETRIED = 'leave it out: a failed Pod is retried as a new task';

/**
 * Every field of Kubernetes 1.34's PodTemplateSpec, and how Muster treats it. docs/pod-template.md shows this table.
 */
export const POD_FIELDS: Groups = {
  metadata: {
    labels: honoured('labels of the Pods that kubectl shows; fieldRef reads them'),
    annotations: honoured('annotations of the Pods that kubectl shows; fieldRef reads them'),
    name: harmless('the Job names its Pods'),
    generateName: harmless('the Job names its Pods'),
    namespace: harmless('Pods are in the namespace of their Job'),
    resourceVersion: SERVER_OWN,
    uid: SERVER_OWN,
    creationTimestamp: SERVER_OWN,
    generation: SERVER_OWN,
    selfLink: SERVER_OWN,
    managedFields: SERVER_OWN,
    deletionTimestamp: SERVER_OWN,
    deletionGracePeriodSeconds: SERVER_OWN,
    finalizers: refused('leave it out: nothing would ever remove them'),
    ownerReferences: harmless('a Pod is owned by its Job, as in Kubernetes'),
  },
  spec: {
    containers: honoured('the containers of the task; the first is essential, and the Pod ends when it ends'),
    initContainers: honoured('containers that the others depend on, with condition SUCCESS, or START for a sidecar'),
    volumes: honoured("the task's volumes: files of ConfigMaps, Secrets, and the Pod, file systems, and empty folders"),
    restartPolicy: honoured('Never, or OnFailure: a restart is a new task of the same Pod'),
    terminationGracePeriodSeconds: honoured('stopTimeout of each container, between 2 and 120 seconds'),
    activeDeadlineSeconds: honoured(
      'how long the Pod may run, from the start of its first task; then it is stopped, and has failed with reason DeadlineExceeded',
    ),
    nodeSelector: honoured(
      'kubernetes.io/arch (amd64, arm64): the architecture; muster.run/capacity (spot, on-demand): FARGATE_SPOT or FARGATE; kubernetes.io/os: only linux',
    ),
    affinity: honoured(
      'required node affinity decides as nodeSelector does, between the same labels; what is preferred, or required of other Pods, is accepted with a warning, but for podAffinity by kubernetes.io/hostname: no two tasks share a machine',
    ),
    tolerations: harmless('accepted with a warning: Fargate has no nodes, hence no taints'),
    topologySpreadConstraints: harmless(
      'accepted with a warning, but by kubernetes.io/hostname, which holds: Fargate spreads tasks over the subnets of the stack',
    ),
    priorityClassName: harmless('accepted with a warning: Fargate has no priorities'),
    serviceAccountName: honoured(
      'the task role that it names, or that the stack maps it to; default: the one of the stack',
    ),
    serviceAccount: honoured('the same as serviceAccountName'),
    imagePullSecrets: honoured(
      'repositoryCredentials of each container: the credentials for the registry of its image (see Private images)',
    ),
    securityContext: honoured('runAsUser, runAsGroup, and runAsNonRoot, the defaults of the containers'),
    subdomain: honoured(
      'for an Indexed Job: its tasks have the DNS names <job>-<index>.<subdomain>.<namespace>.<zone> (see hostnames.md)',
    ),
    ephemeralContainers: refused('leave it out: it cannot be part of a template'),
    dnsPolicy: refused('leave it out', 'ClusterFirst', 'ClusterFirstWithHostNet', 'Default'),
    automountServiceAccountToken: honoured(
      'with muster local --users --driver docker: false keeps the token of the ServiceAccount away; elsewhere no token is mounted, and true is accepted with a warning',
    ),
    nodeName: refused(NO_NODES),
    hostNetwork: refused('leave it out: Fargate has no host network', false),
    hostPID: refused(NOT_SHARED, false),
    hostIPC: refused(NOT_SHARED, false),
    shareProcessNamespace: refused(
      'leave it out: each container of a task has processes of its own (kubectl debug takes --share-processes=false)',
      false,
    ),
    hostname: refused(
      'leave it out: with subdomain set, an index has the name <job>-<index>; Fargate sets no hostname',
    ),
    schedulerName: harmless('another than default-scheduler is accepted with a warning: Fargate places the tasks'),
    hostAliases: refused('leave it out: Fargate does not allow extra hosts'),
    priority: harmless('accepted with a warning: Fargate has no priorities'),
    dnsConfig: harmless(
      "options are accepted with a warning; nameservers and searches are refused: Fargate asks the VPC's name servers",
    ),
    readinessGates: harmless('accepted with a warning: nothing routes to a Job'),
    runtimeClassName: refused('leave it out: Fargate has one runtime'),
    enableServiceLinks: refused('leave it out', true, false),
    preemptionPolicy: refused('leave it out', 'PreemptLowerPriority', 'Never'),
    overhead: refused('leave it out: the containers share the whole Fargate size'),
    setHostnameAsFQDN: refused('leave it out', false),
    os: refused(LINUX_ONLY, { name: 'linux' }),
    hostUsers: refused(NOT_SHARED, true),
    schedulingGates: refused('create the Job with suspend: true instead'),
    resourceClaims: refused('leave it out: Fargate has no devices'),
    resources: refused('set resources on each container'),
    hostnameOverride: refused('leave it out: Fargate does not set hostnames'),
  },
  podSecurity: {
    runAsUser: honoured('default user of the containers'),
    runAsGroup: honoured('default group of the containers; requires runAsUser'),
    runAsNonRoot: honoured('checked: runAsUser must be set and not 0'),
    seLinuxOptions: refused(FIXED_PROFILE),
    windowsOptions: refused(LINUX_ONLY),
    supplementalGroups: honoured(
      'groups of the programs in containers on this machine; on Fargate a program has one group, so what adds another is refused',
    ),
    supplementalGroupsPolicy: refused('leave it out', 'Merge'),
    fsGroup: honoured(
      "the group of the volumes that are the Pod's own, made by a container before the others; on Fargate see Owners of volumes",
    ),
    fsGroupChangePolicy: refused('leave it out', 'Always', 'OnRootMismatch'),
    sysctls: refused('leave it out, or set them in the program'),
    seccompProfile: refused(FIXED_PROFILE, { type: 'RuntimeDefault' }),
    appArmorProfile: refused(FIXED_PROFILE, { type: 'RuntimeDefault' }),
    seLinuxChangePolicy: refused('leave it out', 'MountOption', 'Recursive'),
  },
  ...VOLUME_FIELDS,
  container: {
    name: honoured('name of the container'),
    image: honoured('image; processes on this machine ignore it'),
    command: honoured('entryPoint, with $(VAR) replaced'),
    args: honoured('command, with $(VAR) replaced; embedded without `command`: the program and its arguments'),
    workingDir: honoured('workingDirectory'),
    env: honoured('environment and secrets of the definition; what differs by attempt is set at launch'),
    resources: honoured('the Fargate size of the task and its ephemeral storage'),
    ports: honoured('portMappings; informational: the security group decides which ports are open'),
    restartPolicy: honoured('Always, of an init container: a sidecar; a sidecar that ends is not restarted'),
    terminationMessagePolicy: honoured(
      'FallbackToLogsOnError: the end of the log of a container that failed, where a Pod is read by its name; or File',
    ),
    volumeMounts: honoured('mountPoints; embedded: see below'),
    securityContext: honoured('user, readonlyRootFilesystem and capabilities'),
    envFrom: honoured('a variable for each key, before those of `env`; what the object has when the task starts'),
    resizePolicy: harmless('a task is never resized'),
    restartPolicyRules: refused(RETRIED),
    volumeDevices: refused('leave it out: Fargate has no block devices'),
    livenessProbe: harmless('accepted with a warning: a program that is stuck is not restarted'),
    readinessProbe: harmless('accepted with a warning: nothing routes to a Job'),
    startupProbe: harmless(
      'accepted with a warning: a program that does not get ready is not restarted; refused in a sidecar, for which other containers would wait',
    ),
    lifecycle: refused('do it in the command; handle SIGTERM to clean up'),
    terminationMessagePath: harmless(
      'another than /dev/termination-log is accepted with a warning: nobody reads a file of a Fargate task',
    ),
    imagePullPolicy: honoured(
      'as it says in containers on this machine, where an image that is there is taken unless it says Always; Fargate pulls the image for every task, and Never is accepted with a warning',
    ),
    stdin: honoured(
      'only embedded: `true` keeps the input open for those who attach; refused on Fargate, which has none',
    ),
    stdinOnce: honoured('`true`: the input ends when the first client that has attached to it leaves'),
    tty: honoured('pseudoTerminal: the program has a terminal; beside processes it needs `python3`'),
  },
  env: {
    name: honoured('name of the variable; not MUSTER_…'),
    value: honoured('value, with $(VAR) replaced'),
    valueFrom: honoured('one of the sources below'),
  },
  valueFrom: {
    fieldRef: honoured('the value; what differs by attempt or Job is set at launch'),
    resourceFieldRef: honoured('the number'),
    secretKeyRef: honoured('secrets: a key of a Secret, or of what is kept by hand under its name'),
    configMapKeyRef: honoured('environment: a key of a ConfigMap; or secrets: what is kept by hand under its name'),
    fileKeyRef: refused('let a shell read the file'),
  },
  fieldRef: {
    fieldPath: honoured(
      "metadata.name, metadata.namespace, metadata.uid, metadata.labels['…'], metadata.annotations['…'], spec.serviceAccountName; status.podIP, podIPs, hostIP and hostIPs: the task's address, on Fargate empty",
    ),
    apiVersion: honoured('v1, or left out'),
  },
  resourceFieldRef: {
    resource: honoured('limits and requests of cpu, memory and ephemeral-storage that the container sets'),
    containerName: honoured('the container whose resources are read; defaults to this one'),
    divisor: honoured('unit of the number, rounded up'),
  },
  secretKeyRef: {
    name: honoured('the Secret'),
    key: honoured('the key'),
    optional: honoured('true: without the Secret, or the key, there is no such variable'),
  },
  configMapKeyRef: {
    name: honoured('the ConfigMap'),
    key: honoured('the key'),
    optional: honoured('true: without the ConfigMap, or the key, there is no such variable'),
  },
  envFrom: {
    prefix: honoured('what each name begins with; not MUSTER_…'),
    configMapRef: honoured('the keys of a ConfigMap'),
    secretRef: honoured('the keys of a Secret'),
  },
  configMapRef: {
    name: honoured('the ConfigMap'),
    optional: honoured('true: without the ConfigMap, there are no such variables'),
  },
  secretRef: {
    name: honoured('the Secret'),
    optional: honoured('true: without the Secret, there are no such variables'),
  },
  resources: {
    requests: honoured('cpu, memory, ephemeral-storage: summed and rounded up to a Fargate size'),
    limits: honoured(
      'the default of requests; for memory and storage, the larger of the two counts; containers on this machine get no more memory, a task on Fargate gets its size',
    ),
    claims: refused('leave it out: Fargate has no devices'),
  },
  port: {
    containerPort: honoured('containerPort of a portMapping'),
    protocol: honoured('TCP or UDP'),
    name: honoured('shown by kubectl'),
    hostPort: refused('leave it out: every task has its own address', 0),
    hostIP: refused('leave it out: every task has its own address'),
  },
  volumeMount: {
    name: honoured('sourceVolume'),
    mountPath: honoured('containerPath'),
    readOnly: honoured('readOnly'),
    recursiveReadOnly: refused('leave it out', 'Disabled', 'IfPossible'),
    subPath: honoured('the file or folder of the volume that is mounted; on Fargate folders only (see Volumes)'),
    subPathExpr: honoured(
      'the same, with $(VAR) replaced; on Fargate only by what is the same for all Pods of the Job',
    ),
    mountPropagation: refused('leave it out', 'None'),
  },
  containerSecurity: {
    runAsUser: honoured('user'),
    runAsGroup: honoured('user, after a colon; requires runAsUser'),
    runAsNonRoot: honoured('checked: runAsUser must be set and not 0'),
    readOnlyRootFilesystem: honoured('readonlyRootFilesystem'),
    capabilities: honoured('linuxParameters.capabilities'),
    allowPrivilegeEscalation: honoured(
      'true has no effect; false is accepted with a warning: Fargate cannot forbid it',
    ),
    privileged: refused('leave it out: Fargate has no privileged containers', false),
    seLinuxOptions: refused(FIXED_PROFILE),
    windowsOptions: refused(LINUX_ONLY),
    procMount: refused('leave it out', 'Default'),
    seccompProfile: refused(FIXED_PROFILE, { type: 'RuntimeDefault' }),
    appArmorProfile: refused(FIXED_PROFILE, { type: 'RuntimeDefault' }),
  },
  capabilities: {
    add: honoured('SYS_PTRACE, the only one that Fargate adds'),
    drop: honoured('capabilities that ECS knows, or ALL'),
  },
};

type GroupName = keyof Groups;

/** Faults for the refused fields of one object of the template. */
export function refusedFields(
  group: GroupName,
  path: string,
  value: Readonly<Record<string, unknown>> | undefined,
): readonly FieldError[] {
  return sweep(refusalsOf(group))(path, value);
}

const refusalsOf = (group: GroupName): readonly RefusedField[] =>
  Object.entries<PodField>(POD_FIELDS[group]).flatMap(([path, field]) =>
    field.kind === 'refused' ? [{ path, instead: field.instead, means: field.harmless }] : [],
  );
