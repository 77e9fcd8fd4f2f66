/** Labels of everything that a runtime makes in an engine. What has them, and nothing else, is ours. */
export const LABELS = {
  /** which data folder it belongs to */
  installation: 'muster.run/installation',
  task: 'muster.run/task',
  container: 'muster.run/container',
  /** the name of a gang that it stands for: see ready-names.ts */
  name: 'muster.run/name',
  /** of the keeper: the data folder, and the machine that it is on */
  folder: 'muster.run/folder',
  machine: 'muster.run/machine',
} as const;

/** The container of a task that holds the network for the others; a task of one container has none. */
export const sandboxName = (taskId: string): string => `muster-${taskId}`;

/** A name is taken once, so of several calls to make a container only one does. */
export const containerName = (taskId: string, container: string): string => `muster-${taskId}-${container}`;

/** A container that runs as long as the engine does: see keeper.ts. */
export const keeperName = (installation: string): string => `muster-keeper-${installation}`;

/** @param hash of the name */
export const readyContainerName = (installation: string, hash: string): string =>
  `muster-${installation}-ready-${hash}`;

export const networkName = (installation: string): string => `muster-${installation}`;

/** The volumes of a Pod, or of a task without one, begin with this. */
export const volumePrefix = (installation: string, owner: string): string => `muster-${installation}-${owner}-`;
