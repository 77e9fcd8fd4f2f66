import { ANNOTATIONS, SUBMITTED_FROM_LABEL } from '../../domain/manifests/annotations.ts';
import { LIST_KEYS } from '../../domain/manifests/annotations/lists.ts';
import { ANNOTATION_ROWS, leftOutOf } from '../../domain/manifests/annotations/rows.ts';
import type { JobManifest, Labels } from '../../domain/manifests/manifest.ts';
import type { StoredKind } from '../../domain/kinds/api-kinds.ts';
import type { Container, EnvVar } from '../../domain/manifests/pod-spec.ts';
import { generatedLabels } from '../job/job-defaults.ts';
import type { StoredTemplate, TemplateParts, TemplateSpec } from './stored-template.ts';
import type { Additions, CreatedObject, SubmittedItems, SubmittedVariable } from './submission.ts';

/** The object whose template a Job gets. */
export type Template =
  | ({ readonly kind: StoredKind } & StoredTemplate)
  | { readonly kind: 'Job'; readonly manifest: JobManifest };

/** A part of the name that is made of a submission's source: 62 bits. */
const SUFFIX_CHARS = 12;
/** With the suffix and a large index's number, 63 characters are enough. */
const PREFIX_CHARS_MAX = 40;

/** The name of a Job that its message does not name: one for each submission, whenever it is made. */
function submittedName(prefix: string, hash: string): string {
  const suffix = BigInt(`0x${hash.slice(0, 16)}`)
    .toString(36)
    .padStart(SUFFIX_CHARS, '0')
    .slice(-SUFFIX_CHARS);
  return `${prefix.slice(0, PREFIX_CHARS_MAX).replace(/[-.]+$/, '')}-${suffix}`;
}

/** A manifest as it was sent, with a name, and the token that waits for its end. */
export function jobOfManifest(
  document: Readonly<Record<string, unknown>>,
  { taskToken, hash }: { readonly taskToken: string | null; readonly hash: string },
): object {
  const metadata = recordOf(document['metadata']);
  const { name = '', generateName, annotations } = metadata;
  const prefix = typeof generateName === 'string' && generateName !== '' ? generateName : 'submitted';
  return {
    ...document,
    metadata: {
      ...metadata,
      name: name === '' || name === null ? submittedName(prefix, hash) : name,
      ...(taskToken === null ? {} : { annotations: { ...recordOf(annotations), [ANNOTATIONS.taskToken]: taskToken } }),
    },
  };
}

/** What is no object is refused where the document is admitted. */
const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

/** The Job that a message makes of a template, as a client would send it. */
export function jobOfTemplate(
  template: Template,
  additions: Additions,
  {
    namespace,
    taskToken,
    hash,
  }: { readonly namespace: string; readonly taskToken: string | null; readonly hash: string },
): object {
  const isJob = template.kind === 'Job';
  const from = isJob ? template.manifest.metadata.name : template.name;
  const { labels, annotations, spec } = isJob ? ofJob(template.manifest) : template;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: additions.name ?? submittedName(from, hash),
      namespace,
      labels: { ...labels, [SUBMITTED_FROM_LABEL]: from },
      annotations: {
        ...withItems(annotations, additions.items),
        ...(taskToken === null ? {} : { [ANNOTATIONS.taskToken]: taskToken }),
      },
      ...(isJob ? {} : { ownerReferences: [template.owner] }),
    },
    spec: withTemplate(additions.items === null ? spec : asManyAsItems(spec, additions.items), additions.env),
  };
}

/** They belong to the old Job: what kubectl applied, what a server pinned, which indexes ran and when, and who waited for its end. */
const OWN_ANNOTATIONS: readonly string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  ...leftOutOf('submission'),
];

/** A Job's spec without what the server has made for it. It runs, even if the old one is suspended. */
function ofJob({ metadata, spec }: JobManifest): TemplateParts {
  const { selector: _selector, suspend: _suspend, manualSelector: _manual, template, ...rest } = spec;
  const generated = Object.keys(generatedLabels(metadata.name, ''));
  const { labels: podLabels, ...podMetadata } = template.metadata;
  return {
    labels: without(metadata.labels, generated),
    annotations: without(metadata.annotations, OWN_ANNOTATIONS),
    spec: { ...rest, template: { ...template, metadata: { ...podMetadata, labels: without(podLabels, generated) } } },
  };
}

const without = (map: Labels | undefined, keys: readonly string[]): Labels =>
  Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !keys.includes(key)));

/** The list of the message takes the place of the template's own, and of the choice of its indexes. */
function withItems(annotations: Labels, items: SubmittedItems | null): Labels {
  if (items === null) return annotations;
  const kept = without(annotations, [...LIST_KEYS, ANNOTATIONS.indexes, ANNOTATIONS.rerunOf]);
  if (items.kind === 'none') return without(kept, OF_LISTS);
  const list = items.kind === 'inline' ? { [ANNOTATIONS.items]: items.text } : { [items.key]: items.name };
  return { ...kept, ...list };
}

/** Annotations that need a list. */
const OF_LISTS: readonly string[] = [
  ANNOTATIONS.pinnedItems,
  ...ANNOTATION_ROWS.Job.filter(({ needs }) => needs?.some(({ anyOf }) => anyOf === LIST_KEYS)).map(({ key }) => key),
];

/** Admission fills in what the list says. Without items, nothing can fail, and no success decides: the Job is complete at once. */
function asManyAsItems(spec: TemplateSpec, items: SubmittedItems): TemplateSpec {
  const { completions: _completions, completionMode: _mode, ...rest } = spec;
  if (items.kind !== 'none') return { ...rest, template: spec.template };
  const { maxFailedIndexes: _max, successPolicy: _policy, ...others } = rest;
  return { ...others, completions: 0, completionMode: 'Indexed', template: spec.template };
}

function withTemplate(spec: TemplateSpec, env: readonly SubmittedVariable[]): TemplateSpec {
  if (env.length === 0) return spec;
  const { containers, initContainers, ...pod } = spec.template.spec;
  const add = (all: readonly Container[]): readonly Container[] => all.map((each) => withVariables(each, env));
  const inits = initContainers === undefined ? {} : { initContainers: add(initContainers) };
  return { ...spec, template: { ...spec.template, spec: { ...pod, ...inits, containers: add(containers) } } };
}

/** First, so that the template's own variables may refer to them; in place of those of the same name. */
function withVariables(container: Container, env: readonly SubmittedVariable[]): Container {
  const added = env.map(({ name, value }): EnvVar => ({ name, value: value.replaceAll('$', '$$$$') }));
  const names = new Set(env.map(({ name }) => name));
  return { ...container, env: [...added, ...(container.env ?? []).filter(({ name }) => !names.has(name))] };
}

/** The variables that tell a task its object. What S3 does not say is left out. */
export const variablesOf = ({ bucket, key, versionId, size }: CreatedObject): readonly SubmittedVariable[] => [
  { name: 'S3_BUCKET', value: bucket },
  { name: 'S3_KEY', value: key },
  ...(versionId === null ? [] : [{ name: 'S3_VERSION_ID', value: versionId }]),
  ...(size === null ? [] : [{ name: 'S3_SIZE', value: String(size) }]),
];
