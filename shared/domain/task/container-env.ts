import { invariant } from '../base/invariant.ts';
import { type AttemptField, type ItemValues, type LateText, knownText, lateText } from '../base/late-text.ts';
import { jobItemsOf } from '../items/job-items.ts';
import type { JobManifestSpec, Labels } from '../manifests/manifest.ts';
import {
  ADDRESS_FIELDS,
  type Container,
  type DownwardFile,
  type EnvFrom,
  type EnvSource,
  type KeyRef,
  type PodSpec,
  type ResourceFieldRef,
} from '../manifests/pod-spec.ts';
import { type ConfigObject, NO_SOURCES, type PodSources, sourceKey, textOf } from './pod-sources.ts';
import { parseQuantity } from '../base/quantity.ts';
import { expandLate, expandedLength, referredVariables } from '../base/variable-expansion.ts';

/** What a variable of a container holds. */
export type Variable =
  | { readonly kind: 'text'; readonly text: LateText }
  /** ECS reads it when the task starts; Muster never sees it. */
  | { readonly kind: 'secret'; readonly from: SecretSource };

/** One key of a Secret or of a ConfigMap. */
export type SecretSource = {
  readonly kind: 'secret' | 'configMap';
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
  /** The version of the stored object, and how the value is kept. Omitted: what somebody made by hand under the fixed name. */
  readonly object?: { readonly version: string; readonly form: 'text' | 'base64' };
};

/** What the variables of a Job's Pods depend on. */
export type PodOwner = {
  readonly metadata: { readonly namespace: string; readonly annotations?: Labels | undefined };
  readonly spec: Pick<JobManifestSpec, 'completionMode' | 'backoffLimitPerIndex' | 'template'>;
};

export const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
/** How many indexes an Indexed Job has. */
export const COMPLETIONS_VARIABLE = 'MUSTER_COMPLETIONS';
/** The variables of a Job with a work list, besides one for each column. */
export const ITEM_VARIABLE = 'MUSTER_ITEM';
export const RESULT_NAME_VARIABLE = 'MUSTER_RESULT_NAME';
/** Variables that a container has if its command, args, or variables name one: what `fieldRef` would give, without it. */
const ATTEMPT_VARIABLES = {
  MUSTER_POD_NAME: { field: 'podName' },
  /** From 0; MUSTER_ATTEMPT counts from 1, and counts restarts, too. */
  MUSTER_RETRY_INDEX: { field: 'retryIndex' },
  /** JOB_COMPLETION_INDEX comes after a container's own variables, so their values cannot refer to it. */
  MUSTER_INDEX: { field: 'completionIndex' },
  /** From 1, as GNU parallel counts. */
  MUSTER_NUMBER: { field: 'sequence' },
} as const satisfies Readonly<Record<string, AttemptField>>;
export const INDEX_KEY = 'batch.kubernetes.io/job-completion-index';
/** Annotations of a Pod whose index has a limit of its own (KEP-3850). */
export const FAILURE_COUNT_KEY = 'batch.kubernetes.io/job-index-failure-count';
export const IGNORED_FAILURE_COUNT_KEY = 'batch.kubernetes.io/job-index-ignored-failure-count';

/**
 * Names the variables that hold the task's address, one a line. They are empty in the task definition: what starts a task's
 * processes on this machine fills them in, and Fargate has nothing that would.
 */
export const ADDRESS_VARIABLES = 'MUSTER_ADDRESS_VARIABLES';

/** Labels that the Job itself puts on its Pods; they differ by Job. */
export const OWN_LABELS: readonly string[] = [
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'controller-uid',
  'job-name',
];

/**
 * A container's variables in Kubernetes' order: later ones win, and a value may refer to those before it. What the Job's work
 * list gives comes first, how many indexes there are, and what the container refers to of its attempt; then `envFrom`, then `env`.
 * An Indexed Job's containers get their index last, unless they define that variable themselves (`addCompletionIndexEnvVariables`).
 *
 * @param sources omitted: nothing is known of them, so that a key is what somebody has made by hand
 */
export function variablesOf(
  container: Container,
  manifest: PodOwner,
  sources: PodSources = NO_SOURCES,
): ReadonlyMap<string, Variable> {
  const texts = new Map<string, LateText>(givenTexts(container, manifest));
  const variables = new Map<string, Variable>([...texts].map(([name, text]) => [name, { kind: 'text', text }]));
  const set = (name: string, variable: Variable): void => {
    variables.set(name, variable);
    if (variable.kind === 'text') texts.set(name, variable.text);
    else texts.delete(name);
  };
  for (const from of container.envFrom ?? [])
    for (const [name, variable] of allOf(from, manifest, sources)) set(name, variable);
  for (const { name, value = '', valueFrom } of container.env ?? []) {
    const variable: Variable | null =
      valueFrom === undefined
        ? { kind: 'text', text: expandLate(value, texts) }
        : sourced(valueFrom, container, manifest, sources);
    // Without what is optional, what stood there before stays.
    if (variable !== null) set(name, variable);
  }
  const addresses = addressVariables(container);
  if (addresses.length > 0) variables.set(ADDRESS_VARIABLES, { kind: 'text', text: [addresses.join('\n')] });
  if (manifest.spec.completionMode === 'Indexed' && !variables.has(INDEX_VARIABLE))
    variables.set(INDEX_VARIABLE, { kind: 'text', text: [{ field: 'completionIndex' }] });
  return variables;
}

/** Those whose last definition is an address. */
function addressVariables({ env = [] }: Container): readonly string[] {
  const last = new Map(env.map(({ name, valueFrom }) => [name, valueFrom?.fieldRef?.fieldPath ?? '']));
  return [...last].filter(([, fieldPath]) => ADDRESS_FIELDS.has(fieldPath)).map(([name]) => name);
}

type GivenTexts = readonly (readonly [name: string, text: LateText])[];

const givenTexts = (container: Container, manifest: PodOwner): GivenTexts => [
  ...itemTexts(manifest),
  ...(manifest.spec.completionMode === 'Indexed' ? [[COMPLETIONS_VARIABLE, [{ field: 'completions' }]] as const] : []),
  ...attemptTexts(container, manifest),
];

/** Those of the attempt's own variables that the container refers to. */
function attemptTexts({ command = [], args = [], env = [] }: Container, { spec }: PodOwner): GivenTexts {
  const words = [...command, ...args, ...env.map(({ value = '' }) => value)].filter((word) => word.includes(RESERVED));
  if (words.length === 0) return [];
  const referred = new Set(words.flatMap(referredVariables));
  const isIndexed = spec.completionMode === 'Indexed';
  return Object.entries(ATTEMPT_VARIABLES)
    .filter(([name, { field }]) => referred.has(name) && (isIndexed || !OF_AN_INDEX.includes(field)))
    .map(([name, field]) => [name, [field]]);
}

/** What only the Pods of an Indexed Job have. */
const OF_AN_INDEX: readonly AttemptField['field'][] = ['completionIndex', 'sequence'];

const RESERVED = 'MUSTER_';

/** What a work list gives to every container; nothing without one. */
function itemTexts(manifest: PodOwner): GivenTexts {
  const items = jobItemsOf(manifest);
  if (items === null) return [];
  return [
    ...items.columns.map((name) => [name, [{ field: 'column', name }]] as const),
    [ITEM_VARIABLE, [{ field: 'item' }]],
    [RESULT_NAME_VARIABLE, [{ field: 'resultName' }]],
  ];
}

/** A function that expands the container's variables in a word of `command` or `args`. */
export function wordExpander(variables: ReadonlyMap<string, Variable>): (word: string) => LateText {
  const texts = textsOf(variables);
  return (word) => expandLate(word, texts);
}

/** A value that is known only at launch counts as this long. */
const LATE_CHARS = 16;

/**
 * How many characters a container's variables and words have once each `$(NAME)` is replaced. The texts are not built: a
 * variable may name the one before it twice, and forty such variables exceed any memory.
 *
 * @param widest the longest values of the Job's work list
 * @param sources omitted: nothing is known of them yet
 */
export function expandedChars(
  container: Container,
  manifest: PodOwner,
  widest: ItemValues | null = null,
  sources: PodSources = NO_SOURCES,
): number {
  const charsOf = (text: LateText): number => text.reduce((sum, part) => sum + partChars(part, widest), 0);
  const lengths = new Map<string, number>(givenTexts(container, manifest).map(([name, text]) => [name, charsOf(text)]));
  let chars = 0;
  for (const from of container.envFrom ?? [])
    for (const [name, variable] of allOf(from, manifest, sources)) {
      const length = charsOf(textOfSource(variable) ?? []);
      lengths.set(name, length);
      chars += length;
    }
  for (const { name, value = '', valueFrom } of container.env ?? []) {
    const text = valueFrom === undefined ? null : textOfSource(sourced(valueFrom, container, manifest, sources));
    if (valueFrom !== undefined && text === null) {
      lengths.delete(name);
      continue;
    }
    const length = text === null ? expandedLength(value, lengths) : charsOf(text);
    lengths.set(name, length);
    chars += length;
  }
  const words = [...(container.command ?? []), ...(container.args ?? [])];
  return words.reduce((sum, word) => sum + expandedLength(word, lengths), chars);
}

const textOfSource = (variable: Variable | null): LateText | null => (variable?.kind === 'text' ? variable.text : null);

function partChars(part: LateText[number], widest: ItemValues | null): number {
  if (typeof part === 'string') return part.length;
  if (part.field === 'column') return widest?.columns.get(part.name)?.length ?? LATE_CHARS;
  return part.field === 'item' ? (widest?.line.length ?? LATE_CHARS) : LATE_CHARS;
}

/** Secrets are omitted: admission refuses references to them, because Muster cannot read their values. */
function textsOf(variables: ReadonlyMap<string, Variable>): ReadonlyMap<string, LateText> {
  const texts = new Map<string, LateText>();
  for (const [name, variable] of variables) if (variable.kind === 'text') texts.set(name, variable.text);
  return texts;
}

/** null: it is optional, and not there. */
function sourced(from: EnvSource, container: Container, manifest: PodOwner, sources: PodSources): Variable | null {
  if (from.secretKeyRef !== undefined) return keyOf('secret', from.secretKeyRef, manifest, sources);
  if (from.configMapKeyRef !== undefined) return keyOf('configMap', from.configMapKeyRef, manifest, sources);
  if (from.fieldRef !== undefined) return { kind: 'text', text: fieldText(from.fieldRef.fieldPath, manifest) };
  invariant(from.resourceFieldRef !== undefined, 'admission takes known sources only');
  return { kind: 'text', text: [resourceText(from.resourceFieldRef, container.name, manifest.spec.template.spec)] };
}

function resourceText(
  { containerName, resource, divisor }: ResourceFieldRef,
  ownName: string,
  { containers, initContainers = [] }: PodSpec,
): string {
  const owner = [...containers, ...initContainers].find(({ name }) => name === (containerName ?? ownName));
  const amount = owner === undefined ? null : resourceAmount(owner, resource, divisor);
  invariant(amount !== null, 'admission takes resources only that a container sets');
  return String(amount);
}

/** A key of the stored object, or else of what somebody has made by hand, unless it is optional. */
function keyOf(
  kind: SecretSource['kind'],
  { name, key, optional = false }: KeyRef,
  { metadata: { namespace } }: PodOwner,
  { configs }: PodSources,
): Variable | null {
  const object = configs.get(sourceKey({ kind, name }));
  if (object === undefined) return optional ? null : { kind: 'secret', from: { kind, namespace, name, key } };
  return valueOf(object, { kind, namespace, name, key });
}

/** null: there is no such key, or its bytes are no text. */
function valueOf({ version, keys }: ConfigObject, from: SecretSource): Variable | null {
  const value = keys.get(from.key);
  const text = value === undefined ? null : textOf(value);
  if (value === undefined || text === null) return null;
  return value.kind === 'bytes'
    ? { kind: 'text', text: lateText([text]) }
    : { kind: 'secret', from: { ...from, object: { version, form: value.form } } };
}

/** A variable for each key whose name a variable may have. Muster's own names are not to be had in this way either. */
function allOf(
  { prefix = '', configMapRef, secretRef }: EnvFrom,
  { metadata: { namespace } }: PodOwner,
  { configs }: PodSources,
): readonly (readonly [name: string, variable: Variable])[] {
  const kind = secretRef === undefined ? 'configMap' : 'secret';
  const name = (secretRef ?? configMapRef)?.name ?? '';
  const object = configs.get(sourceKey({ kind, name }));
  return [...(object?.keys.keys() ?? [])].toSorted().flatMap((key) => {
    const variable = object === undefined ? null : valueOf(object, { kind, namespace, name, key });
    const named = `${prefix}${key}`;
    return variable === null || named.startsWith(RESERVED) || !VARIABLE_NAME.test(named) ? [] : [[named, variable]];
  });
}

/** Printable ASCII without `=` (Kubernetes' `IsRelaxedEnvVarName`). */
const VARIABLE_NAME = /^[ -<>-~]+$/;

/** What a file of the downward API holds. Unlike a variable, it may have all labels, or all annotations. */
export function downwardText(
  { fieldRef, resourceFieldRef }: DownwardFile,
  spec: PodSpec,
  manifest: PodOwner,
): LateText {
  if (resourceFieldRef !== undefined) return [resourceText(resourceFieldRef, '', spec)];
  const { fieldPath } = fieldRef ?? { fieldPath: '' };
  if (fieldPath === 'metadata.labels') return linesOf('labels', labelKeys(manifest), manifest);
  if (fieldPath === 'metadata.annotations') return linesOf('annotations', annotationKeys(manifest), manifest);
  return fieldText(fieldPath, manifest);
}

const labelKeys = ({ spec: { template, completionMode } }: PodOwner): readonly string[] => [
  ...Object.keys(template.metadata.labels),
  ...OWN_LABELS,
  ...(completionMode === 'Indexed' ? [INDEX_KEY] : []),
];

const annotationKeys = ({ spec: { template, completionMode, backoffLimitPerIndex } }: PodOwner): readonly string[] => [
  ...Object.keys(template.metadata.annotations ?? {}),
  ...(completionMode === 'Indexed' ? [INDEX_KEY] : []),
  ...(backoffLimitPerIndex === undefined ? [] : [FAILURE_COUNT_KEY]),
];

/** `key="value"` in order of the keys (Kubernetes' `FormatMap`); a value as Go quotes it. */
function linesOf(map: 'labels' | 'annotations', keys: readonly string[], manifest: PodOwner): LateText {
  const lines = [...new Set(keys)].toSorted().map((key): LateText => {
    const value = fieldText(`metadata.${map}['${key}']`, manifest);
    return [`${key}="`, ...value.map((part) => (typeof part === 'string' ? quoted(part) : part)), '"'];
  });
  return lateText(lines.flatMap((line, i) => (i === 0 ? line : ['\n', ...line])));
}

/** Without the marks around it. JSON's escapes are those of Go for all that labels and annotations usually hold. */
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Of the form `metadata.labels['key']` or `metadata.annotations['key']`. */
export const SUBSCRIPT = /^metadata\.(labels|annotations)\['(.+)'\]$/;

/** The fields that the downward API provides, as text. Absent labels and annotations are empty, as in Kubernetes. */
function fieldText(fieldPath: string, { metadata, spec }: PodOwner): LateText {
  const { template } = spec;
  if (ADDRESS_FIELDS.has(fieldPath)) return [];
  switch (fieldPath) {
    case 'metadata.name':
      return [{ field: 'podName' }];
    case 'metadata.uid':
      return [{ field: 'podUid' }];
    case 'metadata.namespace':
      return [metadata.namespace];
    case 'spec.serviceAccountName':
      return [template.spec.serviceAccountName ?? 'default'];
    default: {
      const [, map, key = ''] = SUBSCRIPT.exec(fieldPath) ?? [];
      invariant(map !== undefined, `admission takes known fields only: ${fieldPath}`);
      if (key === INDEX_KEY && spec.completionMode === 'Indexed') return [{ field: 'completionIndex' }];
      if (map === 'annotations' && spec.backoffLimitPerIndex !== undefined) {
        if (key === FAILURE_COUNT_KEY) return [{ field: 'failureCount' }];
        if (key === IGNORED_FAILURE_COUNT_KEY) return [{ field: 'ignoredFailureCount' }];
      }
      if (map === 'annotations') return lateText([valueAt(template.metadata.annotations ?? {}, key)]);
      return OWN_LABELS.includes(key) ? [{ field: 'label', key }] : lateText([valueAt(template.metadata.labels, key)]);
    }
  }
}

/** A key may have the name of a property that every object inherits (`constructor`). */
const valueAt = (map: Readonly<Record<string, string>>, key: string): string =>
  Object.hasOwn(map, key) ? (map[key] ?? '') : '';

/**
 * What `resourceFieldRef` shows: the container's quantity in divisors, rounded up (Kubernetes' `convertResource...ToString`).
 * null: the container does not set it (Kubernetes would show the node's amount), or the divisor is not a quantity.
 */
export function resourceAmount({ resources }: Container, resource: string, divisor = '1'): number | null {
  const [, list, name] = /^(limits|requests)\.(cpu|memory|ephemeral-storage)$/.exec(resource) ?? [];
  if ((list !== 'limits' && list !== 'requests') || name === undefined) return null;
  // A Pod's limit replaces a missing request.
  const amounts = list === 'limits' ? resources?.limits : { ...resources?.limits, ...resources?.requests };
  const text = Object.entries(amounts ?? {}).find(([key]) => key === name)?.[1];
  const quantity = text === undefined ? null : parseQuantity(text);
  const unit = parseQuantity(divisor === '0' || divisor === '' ? '1' : divisor);
  return quantity === null || unit === null || unit <= 0 ? null : Math.ceil(quantity / unit - 1e-9);
}

/** Variables that are entirely known before any attempt. */
export function expandedVariables(
  variables: ReadonlyMap<string, Variable>,
): readonly { readonly name: string; readonly value: string }[] {
  return [...variables].flatMap(([name, variable]) => {
    const value = variable.kind === 'text' ? knownText(variable.text) : null;
    return value === null ? [] : [{ name, value }];
  });
}
