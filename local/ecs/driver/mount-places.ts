import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expandVariables } from '../../../shared/domain/base/variable-expansion.ts';
import { subPathExprLabel, subPathLabel } from '../../../shared/domain/task/container-labels.ts';
import { isWithin } from '../../../shared/domain/task/volumes/host-folders.ts';
import type { Definition } from '../definition.ts';
import { type ContainerRun, environmentOf } from './driver.ts';
import { look, makeFolder, makeFolders } from './host-paths.ts';

/** Where the mount points of a container are on this machine, in their order; null: in a volume that an engine keeps. */
type MountPlaces =
  | { readonly kind: 'found'; readonly places: readonly (string | null)[] }
  | { readonly kind: 'refused'; readonly reason: string };

/** What the volumes of a task are. */
export type TaskVolumes = {
  /** Of those that are on this machine anyway: their real paths. */
  readonly hostPaths: ReadonlyMap<string, string>;
  /** Holds the folders of the others. */
  readonly dir: string;
  /** Whether a volume is a folder in `dir`. */
  readonly isFolder: (volume: string) => boolean;
  /** Of a folder that is made here. */
  readonly mode: number;
};

/**
 * Finds what a container mounts, and makes folders that are not there yet. What a volume holds is its tenant's, so a part of it is
 * followed to its end, and must be in the volume then.
 */
export function mountPlaces(run: ContainerRun, volumes: TaskVolumes): MountPlaces {
  const places: (string | null)[] = [];
  for (const [nth, { sourceVolume }] of (run.container.mountPoints ?? []).entries()) {
    const root = placeOf(sourceVolume, volumes);
    const part = partOf(run, nth);
    const found = root === null || part === '' ? root : partIn(root, part);
    if (typeof found === 'object' && found !== null)
      return {
        kind: 'refused',
        reason: `CannotStartContainerError: failed to prepare subPath for volumeMount "${sourceVolume}" of container "${run.container.name}": ${found.why}`,
      };
    places.push(found);
  }
  return { kind: 'found', places };
}

/** The folder or file of a whole volume; null: an engine keeps it. */
function placeOf(volume: string, { hostPaths, dir, isFolder, mode }: TaskVolumes): string | null {
  const hostPath = hostPaths.get(volume);
  if (hostPath !== undefined || !isFolder(volume)) return hostPath ?? null;
  const folder = join(dir, volume);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  makeFolder(folder, mode);
  return folder;
}

/** The volumes that containers of a task mount parts of: no engine has had parts of its own volumes for long. */
export const volumesInParts = ({ containerDefinitions }: Pick<Definition, 'containerDefinitions'>): readonly string[] =>
  containerDefinitions.flatMap(({ mountPoints = [], dockerLabels = {} }) =>
    mountPoints.flatMap(({ sourceVolume }, nth) =>
      [subPathLabel(nth), subPathExprLabel(nth)].some((label) => dockerLabels[label] !== undefined)
        ? [sourceVolume]
        : [],
    ),
  );

/** What of the volume a mount point shows; empty: all of it. */
function partOf({ task, container }: ContainerRun, nth: number): string {
  const { dockerLabels = {} } = container;
  const expression = dockerLabels[subPathExprLabel(nth)];
  return expression === undefined
    ? (dockerLabels[subPathLabel(nth)] ?? '')
    : expandVariables(expression, environmentOf(container, task.overrides));
}

/** A part that is not there becomes a folder, with the mode of its volume, as the kubelet makes it. */
function partIn(volume: string, part: string): string | { readonly why: string } {
  const root = realpathSync(volume);
  const path = join(root, part);
  const away = { why: `subPath ${JSON.stringify(part)} leads out of the volume` };
  if (part.startsWith('/') || part.split('/').includes('..')) return away;
  const seen = look(path);
  if (seen.kind === 'unreadable') return { why: seen.why.replace(root, '') };
  const real = seen.kind === 'there' ? seen.real : seen.parent;
  if (!isWithin(real, [root])) return away;
  if (seen.kind === 'there') return real;
  // With the bit that hands down a group.
  const mode = statSync(root).mode & 0o2777;
  makeFolders(seen.parent, seen.missing, mode, mode);
  const made = look(path);
  return made.kind === 'there' && isWithin(made.real, [root]) ? made.real : away;
}
