/**
 * The folders of this machine that Pods may mount, and what is in them: `muster local --allow-host-path`. null: tasks do not run on
 * this machine.
 */
export type HostFolders = readonly string[] | null;

/** All folders of a machine. */
export const ANYWHERE: HostFolders = ['/'];

/** Whether an absolute path is one of the folders or below one, by its words; links are followed when a task starts. */
export function isWithin(path: string, folders: readonly string[]): boolean {
  const names = namesIn(path);
  return (
    path.startsWith('/') &&
    !names.includes('..') &&
    folders.some((folder) => namesIn(folder).every((name, i) => name === names[i]))
  );
}

/** Whether two paths are the same by their words: `/data/` and `/data`. */
export const isSamePath = (a: string, b: string): boolean => isWithin(a, [b]) && isWithin(b, [a]);

const namesIn = (path: string): readonly string[] => path.split('/').filter((name) => name !== '' && name !== '.');
