import { join, resolve } from 'node:path';

/** Where a container finds the workspace. */
export const WORKSPACE = '/workspace';

/**
 * Where a process starts that is to start in a directory of its container. Processes have no mounts, so what is below
 * {@link WORKSPACE} is in the workspace. Pure.
 *
 * @param directory relative: below the workspace
 */
export function processFolder(workspaceDir: string, directory: string): string {
  if (directory === WORKSPACE || directory.startsWith(`${WORKSPACE}/`))
    return join(workspaceDir, directory.slice(WORKSPACE.length));
  return resolve(workspaceDir, directory);
}
