import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenKeptPorts } from '../../../../local/local-part.ts';
import { invariant } from '../../../domain/base/invariant.ts';
import { type FolderClaim, folderPath, hasPlainNames } from '../domain/storage-objects.ts';
import type { VolumeFolders } from '../ports/volume-folders.ts';

/** Folders in the data folder, a folder for each namespace. */
export const openVolumeFolders: OpenKeptPorts = (dataDir) => ({
  volumeFolders: localFolders(join(dataDir, 'volumes')),
});

/** Closed to all but their owner. */
const PRIVATE = 0o700;
/** Containers run as any user. Nobody else on this machine comes here: the data folder is private. */
const FOR_TASKS = 0o777;

/** @param root is made with the first of them */
function localFolders(root: string): VolumeFolders {
  const pathOf = (owner: FolderClaim): string => {
    invariant(hasPlainNames(owner), 'a claim has names that are no paths');
    return folderPath(root, owner);
  };
  return {
    root,
    async make(owner) {
      const path = pathOf(owner);
      await mkdir(path, { recursive: true, mode: PRIVATE });
      // Whatever the process's umask is.
      await chmod(path, FOR_TASKS);
    },
    async remove(owner) {
      await rm(pathOf(owner), { recursive: true, force: true });
    },
  };
}
