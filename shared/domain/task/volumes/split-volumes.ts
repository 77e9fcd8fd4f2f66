import { tidyPath } from './volume-files.ts';
import type { TaskDefinition, TaskMount } from '../task.ts';

/**
 * The same definition for an ECS that mounts whole volumes only: what a mount takes of one is a volume of its own. Admission sees to
 * it that no other mount overlaps what is mounted of a volume on the task's disk. A part of a file system is one with another root.
 */
export function splitVolumes(definition: TaskDefinition): TaskDefinition {
  const parts = new Map<string, Part>();
  const containers = definition.containers.map((container) => ({
    ...container,
    mounts: container.mounts.map((mount) => mountOfPart(mount, parts)),
  }));
  if (parts.size === 0) return definition;
  const all = [...parts.values()];
  const whole = new Set(containers.flatMap(({ mounts }) => mounts.map(({ volume }) => volume)));
  const { fileSystems = [], files = [], volumeGroups = [], volumes } = definition;
  const systems = [
    ...fileSystems.filter(({ volume }) => whole.has(volume)),
    ...all.flatMap(({ name, of, subPath }) =>
      fileSystems
        .filter(({ volume }) => volume === of)
        .map((system) => ({ ...system, volume: name, rootDirectory: below(system.rootDirectory, subPath) })),
    ),
  ];
  const placed = files.flatMap((file) => {
    const part = all.find(({ of, subPath }) => of === file.volume && file.path.startsWith(`${subPath}/`));
    if (part !== undefined) return [{ ...file, volume: part.name, path: file.path.slice(part.subPath.length + 1) }];
    return [file];
  });
  const kept = volumes.filter((name) => whole.has(name) || placed.some(({ volume }) => volume === name));
  const groups = [
    ...volumeGroups.filter(({ volume }) => kept.includes(volume)),
    ...all.flatMap(({ name, of }) =>
      volumeGroups.filter(({ volume }) => volume === of).map((group) => ({ ...group, volume: name })),
    ),
  ];
  return {
    ...definition,
    containers,
    volumes: [...kept, ...all.map(({ name }) => name)],
    ...(systems.length === 0 ? {} : { fileSystems: systems }),
    ...(placed.length === 0 ? {} : { files: placed }),
    ...(groups.length === 0 ? {} : { volumeGroups: groups }),
  };
}

/** A folder of a volume that is mounted by itself. */
type Part = { readonly name: string; readonly of: string; readonly subPath: string };

function mountOfPart({ subPath = '', ...mount }: TaskMount, parts: Map<string, Part>): TaskMount {
  const path = tidyPath(subPath);
  if (path === '') return mount;
  const key = `${mount.volume}/${path}`;
  const part = parts.get(key) ?? { name: `${mount.volume}_${parts.size}`, of: mount.volume, subPath: path };
  parts.set(key, part);
  return { ...mount, volume: part.name, podVolume: mount.volume };
}

const below = (root: string, path: string): string => `${root.replace(/\/+$/, '')}/${path}`;
