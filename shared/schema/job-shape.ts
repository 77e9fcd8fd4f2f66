import { z } from 'zod';

/**
 * What a `batch/v1` Job looks like from outside. Every field that Kubernetes 1.34 knows is here, so that what is left is
 * a spelling mistake; those that we do not support yet pass as `unknown` and are refused by name in refused-fields.ts.
 */

/** Go's JSON takes null for an absent field. */
const opt = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

const some = z.unknown().optional();
/** Names of fields with any content. */
const known = <const K extends string>(...names: readonly K[]): Record<K, typeof some> => {
  const fields = {} as Record<K, typeof some>;
  for (const name of names) fields[name] = some;
  return fields;
};

const text = opt(z.string());
const int32 = opt(z.int32());
const int64 = opt(z.int());
const flag = opt(z.boolean());
const texts = opt(z.array(z.string()));
const textMap = opt(
  z.record(
    z.string(),
    z
      .string()
      .nullable()
      .transform((value) => value ?? ''),
  ),
);
/** A quantity may be written as a number. */
const quantities = opt(z.record(z.string(), z.union([z.string(), z.number()]).transform(String)));

const metadata = z.strictObject({
  name: text,
  generateName: text,
  namespace: text,
  labels: textMap,
  annotations: textMap,
  resourceVersion: text,
  // The server's own: reset by Kubernetes on create, too.
  ...known('uid', 'creationTimestamp', 'generation', 'selfLink', 'managedFields'),
  ...known('deletionTimestamp', 'deletionGracePeriodSeconds'),
  ...known('finalizers', 'ownerReferences'),
});

const env = z.strictObject({ name: text, value: text, ...known('valueFrom') });

const container = z.strictObject({
  name: text,
  image: text,
  command: texts,
  args: texts,
  workingDir: text,
  env: opt(z.array(env)),
  resources: opt(z.strictObject({ requests: quantities, limits: quantities, ...known('claims') })),
  ...known('ports', 'envFrom', 'resizePolicy', 'restartPolicy', 'restartPolicyRules', 'volumeMounts', 'volumeDevices'),
  ...known('livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'),
  ...known('terminationMessagePath', 'terminationMessagePolicy', 'imagePullPolicy', 'securityContext'),
  ...known('stdin', 'stdinOnce', 'tty'),
});

const podSpec = z.strictObject({
  containers: opt(z.array(container)),
  initContainers: opt(z.array(container)),
  restartPolicy: text,
  terminationGracePeriodSeconds: int64,
  ...known(
    'volumes',
    'ephemeralContainers',
    'activeDeadlineSeconds',
    'dnsPolicy',
    'nodeSelector',
    'serviceAccountName',
  ),
  ...known('serviceAccount', 'automountServiceAccountToken', 'nodeName', 'hostNetwork', 'hostPID', 'hostIPC'),
  ...known('shareProcessNamespace', 'securityContext', 'imagePullSecrets', 'hostname', 'subdomain', 'affinity'),
  ...known('schedulerName', 'tolerations', 'hostAliases', 'priorityClassName', 'priority', 'dnsConfig'),
  ...known('readinessGates', 'runtimeClassName', 'enableServiceLinks', 'preemptionPolicy', 'overhead'),
  ...known('topologySpreadConstraints', 'setHostnameAsFQDN', 'os', 'hostUsers', 'schedulingGates'),
  ...known('resourceClaims', 'resources', 'hostnameOverride'),
});

const template = z.strictObject({ metadata: opt(metadata), spec: opt(podSpec) });

const spec = z.strictObject({
  parallelism: int32,
  completions: int32,
  completionMode: text,
  backoffLimit: int32,
  suspend: flag,
  podReplacementPolicy: text,
  manualSelector: flag,
  selector: opt(z.strictObject({ matchLabels: textMap, matchExpressions: opt(z.array(z.unknown())) })),
  template: opt(template),
  ...known('activeDeadlineSeconds', 'podFailurePolicy', 'successPolicy', 'backoffLimitPerIndex', 'maxFailedIndexes'),
  ...known('ttlSecondsAfterFinished', 'managedBy'),
});

export const JobShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(metadata),
  spec: opt(spec),
  // Reset by Kubernetes on create.
  ...known('status'),
});

export type JobShape = z.output<typeof JobShape>;
export type PodSpecShape = z.output<typeof podSpec>;
export type ContainerShape = z.output<typeof container>;

/** What keeps a document from being read as a Job at all. */
export type Decoded =
  | { readonly kind: 'decoded'; readonly job: JobShape; readonly unknownFields: readonly string[] }
  | { readonly kind: 'undecodable'; readonly problems: readonly Problem[] };

export type Problem = { readonly path: string; readonly message: string };

/** Reads an outside document. Unknown fields are listed and left out; it is the caller who decides what they mean. */
export function decodeJob(document: unknown): Decoded {
  const strict = JobShape.safeParse(document);
  if (strict.success) return { kind: 'decoded', job: strict.data, unknownFields: [] };
  const unknown: (readonly PropertyKey[])[] = [];
  const problems: Problem[] = [];
  for (const issue of strict.error.issues) {
    if (issue.code === 'unrecognized_keys') for (const key of issue.keys) unknown.push([...issue.path, key]);
    else problems.push({ path: fieldPath(issue.path), message: typeProblem(issue, document) });
  }
  const unknownFields = unknown.map(fieldPath);
  if (problems.length > 0) {
    const strays = unknownFields.map((path) => ({ path, message: `unknown field ${JSON.stringify(path)}` }));
    return { kind: 'undecodable', problems: [...problems, ...strays] };
  }
  const lenient = structuredClone(document);
  for (const path of unknown) remove(lenient, path);
  return { kind: 'decoded', job: JobShape.parse(lenient), unknownFields };
}

/** `spec.template.spec.containers[0].image`. */
function fieldPath(path: readonly PropertyKey[]): string {
  let out = '';
  for (const part of path) out += typeof part === 'number' ? `[${part}]` : `${out === '' ? '' : '.'}${String(part)}`;
  return out;
}

/** Close to what Go's JSON decoder says, which names Go types; we name the path instead. */
function typeProblem(issue: z.core.$ZodIssue, document: unknown): string {
  const path = fieldPath(issue.path);
  const place = path === '' ? 'the object' : `field ${path}`;
  return `json: cannot unmarshal ${jsonType(at(document, issue.path))} into ${place} of type ${wantedType(issue)}`;
}

/** Every number in a Job is an integer. */
function wantedType(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union') return 'quantity';
  if (issue.code !== 'invalid_type') return 'integer';
  return issue.expected === 'number' || issue.expected === 'int' ? 'integer' : issue.expected;
}

function jsonType(value: unknown): string {
  if (typeof value === 'number') return `number ${value}`;
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'array' : typeof value;
}

const isRecord = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === 'object' && value !== null;

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);

function remove(value: unknown, path: readonly PropertyKey[]): void {
  const owner = at(value, path.slice(0, -1));
  const key = path.at(-1);
  if (isRecord(owner) && key !== undefined) Reflect.deleteProperty(owner, key);
}
