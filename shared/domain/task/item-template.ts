import type { ItemValues } from '../base/late-text.ts';
import { takesImages, takesResources } from '../items/job-items.ts';
import { IMAGE_COLUMN, RESOURCE_COLUMNS, type ResourceName, largestQuantity } from '../items/task-columns.ts';
import type { JobManifestSpec, Labels } from '../manifests/manifest.ts';
import type { Container, Resources } from '../manifests/pod-spec.ts';
import { EPHEMERAL_GIB_LEAST, taskSizeOf } from './pod-template.ts';
import type { TaskSize } from './task.ts';

/** What says how the Pods of an index differ from the template. */
type ListedJob = {
  readonly metadata: { readonly annotations?: Labels | undefined };
  readonly spec: Pick<JobManifestSpec, 'template'>;
};

/**
 * The Job with the Pod template of one index. What the items say is about the first container, whose end is the Pod's: the
 * others help it, whatever it works on.
 *
 * @param item null: it is not known, or the Job has no work list
 */
export function forItem<J extends ListedJob>(job: J, item: ItemValues | null): J {
  const image = imageOfItem(job, item);
  const own = image === null ? job : withImage(job, image);
  return item === null || !takesResources(job)
    ? own
    : withMain(own, (main) => ({ ...main, resources: resourcesOf(main, item) }));
}

/** The image that an item says; null: that of the template. */
export function imageOfItem(job: ListedJob, item: ItemValues | null): string | null {
  const image = item === null || !takesImages(job) ? '' : (item.columns.get(IMAGE_COLUMN) ?? '');
  return image === '' ? null : image;
}

/** The Job with another image of its first container. */
export const withImage = <J extends ListedJob>(job: J, image: string): J =>
  withMain(job, (main) => ({ ...main, image }));

function withMain<J extends ListedJob>(job: J, change: (main: Container) => Container): J {
  const { template } = job.spec;
  const [main, ...others] = template.spec.containers;
  if (main === undefined) return job;
  const containers = [change(main), ...others];
  return { ...job, spec: { ...job.spec, template: { ...template, spec: { ...template.spec, containers } } } };
}

/** The items of a batch are worked on in one task, so the one that needs most decides. */
function resourcesOf({ resources = {} }: Container, item: ItemValues): NonNullable<Container['resources']> {
  const { requests = {}, limits } = resources;
  const said = (of: Resources, names: readonly ResourceName[]): Resources => ({
    ...of,
    ...Object.fromEntries(
      names.flatMap((name) => {
        const largest = largestSaid(item, name, of[name]);
        return largest === undefined ? [] : [[name, largest]];
      }),
    ),
  });
  const limited = RESOURCE_COLUMNS.filter((name) => limits?.[name] !== undefined);
  const requested = said(requests, RESOURCE_COLUMNS);
  return {
    ...resources,
    ...(Object.keys(requested).length === 0 ? {} : { requests: requested }),
    ...(limits === undefined ? {} : { limits: said(limits, limited) }),
  };
}

/** `own`: what the template says, which holds for an item without a value. Undefined: neither says anything. */
function largestSaid(item: ItemValues, name: ResourceName, own: string | undefined): string | undefined {
  // A valid quantity has no line breaks, so these are the values of the items.
  const values = item.columns.get(name)?.split('\n') ?? [''];
  const given = values.filter((value) => value !== '');
  return largestQuantity(given.length < values.length && own !== undefined ? [...given, own] : given) ?? own;
}

/** The size of the task of one index; null: that of the task definition. */
export function sizeOfItem(job: ListedJob, item: ItemValues | null): TaskSize | null {
  if (item === null || !takesResources(job)) return null;
  const size = taskSizeOf(forItem(job, item));
  // Less than every task has cannot be requested, so where the definition requests more, the least is.
  const isLess = size.ephemeralStorageGib === null && taskSizeOf(job).ephemeralStorageGib !== null;
  return isLess ? { ...size, ephemeralStorageGib: EPHEMERAL_GIB_LEAST } : size;
}
