import { z } from 'zod';
import { fieldPath } from './fault.ts';
import { flag, int32, int64, known, opt, text, textMap, texts } from './json-fields.ts';
import { metadataShape, templateShape } from './pod-shape.ts';

/** What a `batch/v1` Job looks like from outside: every field that Kubernetes 1.34 knows, so that what is left is a spelling mistake. */

const labelSelector = z.strictObject({
  matchLabels: textMap,
  matchExpressions: opt(z.array(z.strictObject({ key: text, operator: text, values: texts }))),
});

const podFailureRule = z.strictObject({
  action: text,
  onExitCodes: opt(z.strictObject({ containerName: text, operator: text, values: opt(z.array(z.int32())) })),
  onPodConditions: opt(z.array(z.strictObject({ type: text, status: text }))),
});

const successRule = z.strictObject({ succeededIndexes: text, succeededCount: int32 });

const specShape = z.strictObject({
  parallelism: int32,
  completions: int32,
  completionMode: text,
  backoffLimit: int32,
  backoffLimitPerIndex: int32,
  maxFailedIndexes: int32,
  podFailurePolicy: opt(z.strictObject({ rules: opt(z.array(podFailureRule)) })),
  successPolicy: opt(z.strictObject({ rules: opt(z.array(successRule)) })),
  activeDeadlineSeconds: int64,
  ttlSecondsAfterFinished: int32,
  suspend: flag,
  podReplacementPolicy: text,
  managedBy: text,
  manualSelector: flag,
  selector: opt(labelSelector),
  template: opt(templateShape),
});

export const JobShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(metadataShape),
  // No spec is an empty one, as in Go.
  spec: opt(specShape).transform((given) => given ?? specShape.parse({})),
  // Reset by Kubernetes on create.
  ...known('status'),
});

export type JobShape = z.output<typeof JobShape>;
export type JobSpecShape = z.output<typeof specShape>;
export type LabelSelectorShape = z.output<typeof labelSelector>;
export type PodFailureRuleShape = z.output<typeof podFailureRule>;
export type SuccessRuleShape = z.output<typeof successRule>;

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
  const unknownFields = unknown.map((path) => fieldPath(path));
  if (problems.length > 0) {
    const strays = unknownFields.map((path) => ({ path, message: `unknown field ${JSON.stringify(path)}` }));
    return { kind: 'undecodable', problems: [...problems, ...strays] };
  }
  const lenient = structuredClone(document);
  for (const path of unknown) remove(lenient, path);
  return { kind: 'decoded', job: JobShape.parse(lenient), unknownFields };
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
