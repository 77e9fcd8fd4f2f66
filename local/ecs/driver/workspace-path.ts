import { join, resolve } from 'node:path';
import { isWithin } from '../../../shared/domain/task/volumes/host-folders.ts';

/** Where a container finds the workspace. */
export const WORKSPACE = '/workspace';

/** A path of a container, and the folder that is there in place of it. */
export type Mounted = { readonly path: string; readonly folder: string };

/**
 * Where a process starts that is to start in a directory of its container. Processes have no mounts, so what is below
 * {@link WORKSPACE} is in the workspace, and what is below a volume's path in the volume's folder. Pure.
 *
 * @param directory relative: below the workspace
 */
export function processFolder(workspaceDir: string, directory: string, mounts: readonly Mounted[] = []): string {
  const all = [...mounts, { path: WORKSPACE, folder: workspaceDir }];
  const above = all.filter(({ path }) => isWithin(directory, [path]));
  const nearest = above.toSorted((a, b) => depthOf(b.path) - depthOf(a.path))[0];
  return nearest === undefined
    ? resolve(workspaceDir, directory)
    : join(nearest.folder, ...namesIn(directory).slice(depthOf(nearest.path)));
}

const namesIn = (path: string): readonly string[] => path.split('/').filter((name) => name !== '' && name !== '.');

const depthOf = (path: string): number => namesIn(path).length;
