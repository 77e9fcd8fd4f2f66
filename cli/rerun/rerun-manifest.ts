import * as z from 'zod';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { leftOutOf } from '../../shared/domain/manifests/annotations/rows.ts';
import type { EnvFlag } from '../shell/env-flags.ts';
import { usageFailure } from '../shell/failure.ts';

/** What changes from the old Job to the new one. */
export type RerunWish = {
  readonly name: string;
  /** The indexes to run, as text; null: all that have not succeeded. */
  readonly indexes: string | null;
  /** `IMAGE` of the only container, or `CONTAINER=IMAGE`; null: as it was. */
  readonly image: string | null;
  readonly env: readonly EnvFlag[];
  /** null: as it was */
  readonly parallelism: number | null;
};

/** What is read of a Job; everything else is kept as it is. */
const OldJob = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
    finalizers: z.array(z.string()).optional(),
  }),
  spec: z.looseObject({
    manualSelector: z.boolean().optional(),
    template: z.looseObject({
      metadata: z.looseObject({ labels: z.record(z.string(), z.string()).optional() }).optional(),
      spec: z.looseObject({
        containers: z.array(
          z.looseObject({ name: z.string(), env: z.array(z.looseObject({ name: z.string() })).optional() }),
        ),
      }),
    }),
  }),
});
type OldJob = z.output<typeof OldJob>;
type Container = OldJob['spec']['template']['spec']['containers'][number];

/** Labels that the server makes up from the Job's name and uid. */
const GENERATED_LABELS = [
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'controller-uid',
  'job-name',
];
/**
 * They belong to the old Job: what kubectl applied, what a server pinned, which indexes ran, and when. It has waited for others, or
 * never will: they may be gone, or have failed.
 */
const OWN_ANNOTATIONS: readonly string[] = ['kubectl.kubernetes.io/last-applied-configuration', ...leftOutOf('rerun')];
/** The server sets them while a deletion is under way. */
const DELETION_FINALIZERS = ['foregroundDeletion', 'orphan'];

/**
 * The manifest of a Job that runs indexes of an old Job again: as the server shows the old one, without what belongs to it alone.
 *
 * @throws Failure (invalid command line) if the wish names a container that is not there
 */
export function rerunManifest(old: unknown, wish: RerunWish): object {
  const { metadata, spec } = OldJob.parse(old);
  const isOwnSelector = spec.manualSelector === true;
  const { selector, template, parallelism, ...rest } = spec;
  const { metadata: ofPods = {}, ...pods } = template;
  const { labels: podLabels, ...podMetadata } = ofPods;
  const { containers } = template.spec;
  // An image that the user asks for now takes the place of what items say.
  const isOneImage = wish.image !== null && imageFor(containers, wish.image)(containers[0]?.name ?? '') !== null;
  const podLabelsKept = isOwnSelector ? (podLabels ?? {}) : without(podLabels, GENERATED_LABELS);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: wish.name,
      namespace: metadata.namespace,
      ...some('labels', isOwnSelector ? metadata.labels : without(metadata.labels, GENERATED_LABELS)),
      annotations: {
        ...without(isOneImage ? withoutImages(metadata.annotations) : metadata.annotations, OWN_ANNOTATIONS),
        [ANNOTATIONS.rerunOf]: metadata.name,
        ...(wish.indexes === null ? {} : { [ANNOTATIONS.indexes]: wish.indexes }),
      },
      ...some(
        'finalizers',
        metadata.finalizers?.filter((finalizer) => !DELETION_FINALIZERS.includes(finalizer)),
      ),
    },
    spec: {
      ...rest,
      parallelism: wish.parallelism ?? parallelism,
      ...(isOwnSelector ? { selector } : {}),
      template: {
        ...pods,
        ...some('metadata', { ...podMetadata, ...some('labels', podLabelsKept) }),
        spec: { ...template.spec, containers: changed(containers, wish) },
      },
    },
  };
}

/** The annotations of a Job whose items do not say in which image they run. */
function withoutImages(annotations: OldJob['metadata']['annotations']): OldJob['metadata']['annotations'] {
  const { [ANNOTATIONS.imageFromItems]: _flag, [ANNOTATIONS.matrix]: matrix, ...others } = annotations ?? {};
  if (matrix === undefined) return others;
  const { image: _image, ...values } = z.record(z.string(), z.unknown()).parse(JSON.parse(matrix));
  return { ...others, [ANNOTATIONS.matrix]: JSON.stringify(values) };
}

function changed(containers: readonly Container[], { image, env }: RerunWish): readonly object[] {
  const imageOf = image === null ? () => null : imageFor(containers, image);
  return containers.map((container) => {
    const next = imageOf(container.name);
    return {
      ...container,
      ...(next === null ? {} : { image: next }),
      ...(env.length === 0 ? {} : { env: withVariables(container.env ?? [], env) }),
    };
  });
}

function imageFor(containers: readonly Container[], text: string): (container: string) => string | null {
  const names = containers.map(({ name }) => name);
  const [, name, image = text] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (image === '') throw usageFailure(`--image ${JSON.stringify(text)}: it names no image`);
  if (name === undefined && names.length > 1)
    throw usageFailure(`--image: the Job has ${names.length} containers: write --image ${names[0]}=${text}`);
  if (name !== undefined && !names.includes(name))
    throw usageFailure(`--image: there is no container ${JSON.stringify(name)}; there is ${names.join(', ')}`);
  return (container) => (container === (name ?? names[0]) ? image : null);
}

/** A variable that is there gets the new value in its place, for others may refer to it. */
function withVariables(before: readonly { readonly name: string }[], wanted: readonly EnvFlag[]): readonly object[] {
  const added = wanted.filter(({ name }) => !before.some((each) => each.name === name));
  return [...before.map((variable) => wanted.findLast(({ name }) => name === variable.name) ?? variable), ...added];
}

const without = (
  map: Readonly<Record<string, string>> | undefined,
  keys: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !keys.includes(key)));

/** The field, unless it is empty. */
const some = (key: string, value: object | undefined): object =>
  value === undefined || Object.keys(value).length === 0 ? {} : { [key]: value };
