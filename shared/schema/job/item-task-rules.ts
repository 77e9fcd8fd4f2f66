import { type JobItems, takesImages, takesResources } from '../../domain/items/job-items.ts';
import {
  IMAGES_MAX,
  IMAGE_COLUMN,
  RESOURCE_COLUMNS,
  type ResourceName,
  type ValueAt,
  quantityFault,
} from '../../domain/items/task-columns.ts';
import { ANNOTATIONS } from '../../domain/manifests/annotations.ts';
import { pinnedBy } from '../../domain/manifests/annotations/lists.ts';
import type { JobManifest } from '../../domain/manifests/manifest.ts';
import type { Container } from '../../domain/manifests/pod-spec.ts';
import { forItem, withImage } from '../../domain/task/item-template.ts';
import { EPHEMERAL_GIB_MAX, ephemeralStorageOf, fargateSizeOf } from '../../domain/task/pod-template.ts';
import type { AdmittedItems } from '../items/job-items-rules.ts';
import { type FieldError, forbidden, invalid } from '../object/field-error.ts';

const pathOf = (key: string): string => `metadata.annotations[${key}]`;
const SPEC = 'spec.template.spec';

/** The rules for a Job whose items say what their tasks need, or which image they run in. */
export const itemTaskErrors = (manifest: JobManifest, admitted: AdmittedItems): readonly FieldError[] => [
  ...resourceErrors(manifest, admitted),
  ...imageErrors(manifest, admitted),
];

/** The Job with the longest image of its items, which makes its longest task definition. */
export function withLongestImage(manifest: JobManifest, admitted: AdmittedItems | null): JobManifest {
  if (admitted === null || !takesImages(manifest)) return manifest;
  const own = manifest.spec.template.spec.containers[0]?.image ?? '';
  const images = admitted.taskColumns?.images?.distinct.map(({ value }) => value) ?? [];
  return withImage(
    manifest,
    images.reduce((longest, image) => (image.length > longest.length ? image : longest), own),
  );
}

const unknown = (key: string): FieldError =>
  forbidden(pathOf(key), 'an earlier Muster made the work list, and did not look at this column: make the list anew');

/** At most so many images, because each is a task definition; and one for an index. */
function imageErrors(manifest: JobManifest, { items, taskColumns }: AdmittedItems): readonly FieldError[] {
  if (!takesImages(manifest)) return [];
  const key = ANNOTATIONS.imageFromItems;
  if (!items.columns.includes(IMAGE_COLUMN))
    return [invalid(pathOf(key), 'true', `the work list has no column ${IMAGE_COLUMN}`)];
  if (manifest.metadata.annotations?.[key] === 'false')
    return [invalid(pathOf(key), 'false', 'leave it out: the matrix says an image')];
  if (taskColumns?.images === undefined) return [unknown(key)];
  const { bad, over } = taskColumns.images;
  const limit = `so far there are more than ${IMAGES_MAX} images; a Job may have ${IMAGES_MAX}, each with a task definition`;
  return [
    ...(items.batch === 1
      ? []
      : [forbidden(pathOf(ANNOTATIONS.batch), 'leave it out: an index runs in one image, and each item says its own')]),
    ...(bad === null
      ? []
      : [valueError(manifest, items, IMAGE_COLUMN, bad, 'write an image such as debian:12-slim, or leave it empty')]),
    ...(over === null ? [] : [valueError(manifest, items, IMAGE_COLUMN, over, limit)]),
  ];
}

/** Every value of every item can be read, and fits a Fargate task with what the template says of the rest. */
function resourceErrors(manifest: JobManifest, admitted: AdmittedItems): readonly FieldError[] {
  if (!takesResources(manifest)) return [];
  const { items, taskColumns } = admitted;
  const said = RESOURCE_COLUMNS.filter((name) => items.columns.includes(name));
  const key = ANNOTATIONS.resourcesFromItems;
  if (said.length === 0)
    return [invalid(pathOf(key), 'true', `the work list has none of the columns ${RESOURCE_COLUMNS.join(', ')}`)];
  if (taskColumns === undefined) return [unknown(key)];
  return [
    ...said.flatMap((name) => {
      const { bad = null, largest = null } = taskColumns.resources[name] ?? {};
      return [
        ...(bad === null ? [] : [valueError(manifest, items, name, bad, quantityFault(name, bad.value) ?? '')]),
        ...(largest === null ? [] : fitErrors(manifest, items, name, largest)),
      ];
    }),
    ...fieldRefErrors(manifest, said),
  ];
}

/** The annotation that gives the list. */
function keyOf({ metadata }: JobManifest, { source }: JobItems): string {
  if (source.kind === 'pinned') return pinnedBy(metadata.annotations).key;
  return source.kind === 'inline' ? ANNOTATIONS.items : ANNOTATIONS.matrix;
}

/** An error about a value of an item: its number, its index, its column. */
function valueError(
  manifest: JobManifest,
  items: JobItems,
  name: string,
  { item, value }: ValueAt,
  message: string,
): FieldError {
  const path = pathOf(keyOf(manifest, items));
  const index = Math.floor(item / items.batch);
  return invalid(path, value, `item ${item + 1} (index ${index}), column ${name}: ${message}`);
}

/** Whether the task of the item that needs most fits. The other resources add nothing: each has a limit of its own. */
function fitErrors(
  manifest: JobManifest,
  items: JobItems,
  name: ResourceName,
  largest: ValueAt,
): readonly FieldError[] {
  const { value } = largest;
  const own = forItem(manifest, { columns: new Map([[name, value]]), line: value, resultName: '' });
  if (name === 'ephemeral-storage') {
    const gib = ephemeralStorageOf(own.spec.template.spec) ?? 0;
    return gib <= EPHEMERAL_GIB_MAX
      ? []
      : [
          valueError(
            manifest,
            items,
            name,
            largest,
            `the Pod needs ${gib} GiB; a Fargate task has at most ${EPHEMERAL_GIB_MAX}`,
          ),
        ];
  }
  const size = fargateSizeOf(own);
  // The template may be too large itself, which is reported.
  return size.kind === 'fits' || fargateSizeOf(manifest).kind === 'tooLarge'
    ? []
    : [valueError(manifest, items, name, largest, size.message)];
}

/** A task definition has these values for all indexes, so a container cannot get those of its item this way. */
function fieldRefErrors(manifest: JobManifest, said: readonly ResourceName[]): readonly FieldError[] {
  const { containers, initContainers = [] } = manifest.spec.template.spec;
  const main = containers[0]?.name;
  return Object.entries({ initContainers, containers }).flatMap(([list, members]) =>
    members.flatMap((container, i) =>
      (container.env ?? []).flatMap((variable, nth) => {
        const name = said.find((each) => refersTo(variable, container, main, each));
        if (name === undefined) return [];
        const path = `${SPEC}.${list}[${i}].env[${nth}].valueFrom.resourceFieldRef`;
        return [forbidden(path, `the items say ${name}: leave valueFrom out, and write value: $(${name})`)];
      }),
    ),
  );
}

function refersTo(
  { valueFrom }: NonNullable<Container['env']>[number],
  container: Container,
  main: string | undefined,
  name: ResourceName,
): boolean {
  const { resource, containerName = container.name } = valueFrom?.resourceFieldRef ?? {};
  return containerName === main && (resource === `limits.${name}` || resource === `requests.${name}`);
}
