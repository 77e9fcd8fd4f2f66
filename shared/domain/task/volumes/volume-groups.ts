import type { Container, PodSpec, SecurityContext, Volume } from '../../manifests/pod-spec.ts';
import type { VolumeGroup } from '../task.ts';
import { isInMemory } from './memory-volumes.ts';
import { DEFAULT_MODE, holdsFiles } from './volume-files.ts';

/**
 * The groups of a Pod's volumes and programs. In Kubernetes a program is in `fsGroup` and `supplementalGroups` beside its own group,
 * and the volumes that are the Pod's own belong to `fsGroup`. On ECS a program has one group. An empty folder is for every user
 * anyway. But files that only root and their group may read have to belong to the group in which the programs are that mount them.
 */
export function volumeGroupsOf(spec: PodSpec): readonly VolumeGroup[] {
  const { fsGroup } = spec.securityContext ?? {};
  if (fsGroup === undefined) return [];
  const mounted = new Set(programsOf(spec).flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)));
  const groupOfFiles = filesGroupOf(spec) ?? fsGroup;
  return (spec.volumes ?? [])
    .filter((volume) => mounted.has(volume.name) && isOwn(volume))
    .map((volume) => {
      const inOneGroup = hasPrivateFiles(volume) ? groupOfFiles : fsGroup;
      return { volume: volume.name, group: fsGroup, ...(inOneGroup === fsGroup ? {} : { inOneGroup }) };
    });
}

/** Whether a container of its own writes the files of a Pod's volumes, or gives these to their group. */
export const needsFilesContainer = (spec: PodSpec): boolean =>
  (spec.volumes ?? []).some(holdsFiles) || volumeGroupsOf(spec).length > 0;

/**
 * Whether a volume gets `fsGroup`: what the kubelet makes for the Pod. What somebody else keeps has owners of its own: a folder of
 * the machine, a claim (`fsGroupPolicy` of the EFS driver), and NFS. A tmpfs of a container is for every user.
 */
const isOwn = (volume: Volume): boolean => holdsFiles(volume) || isEmptyFolder(volume);

/** Whether a volume is a folder of the task that is empty at the start: without a group it is root's. */
const isEmptyFolder = (volume: Volume): boolean =>
  volume.ephemeral !== undefined || (volume.emptyDir !== undefined && !isInMemory(volume));

/** The user other than root as whom a container writes to a folder that is root's on Fargate; null: it does not. */
export function outsiderOf(container: Container, spec: PodSpec): number | null {
  const { runAsUser = 0 } = identityOf(container, spec);
  if (runAsUser === 0 || spec.securityContext?.fsGroup !== undefined) return null;
  const { volumeMounts = [] } = container;
  const written = volumeMounts.filter(({ readOnly }) => readOnly !== true);
  return mountedBy({ volumeMounts: written }, spec).some(isEmptyFolder) ? runAsUser : null;
}

/** The groups of a container's programs beside that of its user. */
export function groupsOf({ securityContext }: Pick<PodSpec, 'securityContext'>): readonly number[] {
  const { fsGroup, supplementalGroups = [] } = securityContext ?? {};
  return [...new Set([...(fsGroup === undefined ? [] : [fsGroup]), ...supplementalGroups])];
}

/** A container's own user and group, its own before the Pod's. */
export function identityOf(
  { securityContext }: Pick<Container, 'securityContext'>,
  spec: Pick<PodSpec, 'securityContext'>,
): Pick<SecurityContext, 'runAsUser' | 'runAsGroup'> {
  const runAsUser = securityContext?.runAsUser ?? spec.securityContext?.runAsUser;
  const runAsGroup = securityContext?.runAsGroup ?? spec.securityContext?.runAsGroup;
  return {
    ...(runAsUser === undefined ? {} : { runAsUser }),
    ...(runAsGroup === undefined ? {} : { runAsGroup }),
  };
}

/**
 * The group that a container gets where it can have one only, because it needs it, and says nothing of its own; null: it stays as it
 * is. It then loses the group that its image gives the user, so it gets no other without need: many images are for root's group.
 */
export function groupInOne(container: Container, spec: PodSpec): number | null {
  const { fsGroup } = spec.securityContext ?? {};
  const { runAsUser = 0, runAsGroup } = identityOf(container, spec);
  if (fsGroup === undefined || runAsUser === 0 || runAsGroup !== undefined) return null;
  if (mountsPrivateFiles(container, spec)) return filesGroupOf(spec);
  return mountedBy(container, spec).some(isFileSystem) ? fsGroup : null;
}

/** The containers that cannot read files which they mount where each has one group: those files have another. */
export function strangersInOne(spec: PodSpec): readonly Container[] {
  const group = filesGroupOf(spec);
  if (group === null) return [];
  return privateReaders(spec).filter((container) => (identityOf(container, spec).runAsGroup ?? group) !== group);
}

/** The volumes with files that a container mounts, and that only root and their group may read. */
export const privateVolumesOf = (container: Container, spec: PodSpec): readonly Volume[] =>
  mountedBy(container, spec).filter(hasPrivateFiles);

/**
 * The group of files that not everybody may read, where a program has one group: the one in which all programs are that need them;
 * else `fsGroup`. null: the Pod has none.
 */
export function filesGroupOf(spec: PodSpec): number | null {
  const { fsGroup } = spec.securityContext ?? {};
  if (fsGroup === undefined) return null;
  const [group = fsGroup, ...others] = new Set(
    privateReaders(spec).flatMap((container) => identityOf(container, spec).runAsGroup ?? []),
  );
  return others.length === 0 ? group : fsGroup;
}

/** The containers with a known user other than root that mount files which not everybody may read. */
const privateReaders = (spec: PodSpec): readonly Container[] =>
  programsOf(spec).filter(
    (container) => (identityOf(container, spec).runAsUser ?? 0) !== 0 && mountsPrivateFiles(container, spec),
  );

const mountsPrivateFiles = (container: Container, spec: PodSpec): boolean =>
  privateVolumesOf(container, spec).length > 0;

/** Whether a volume has files that not everybody may read. */
const hasPrivateFiles = (volume: Volume): boolean => modesOf(volume).some((mode) => (mode & READ_BY_ALL) === 0);

const READ_BY_ALL = 0o004;

/** The modes that the files of a volume may have. */
function modesOf({ configMap, secret, downwardAPI, projected }: Volume): readonly number[] {
  const lists = [configMap, secret, downwardAPI].flatMap((source) =>
    source === undefined ? [] : modesIn(source.items, source.defaultMode),
  );
  const sources = projected?.sources ?? [];
  return [
    ...lists,
    ...sources.flatMap((source) =>
      [source.configMap, source.secret, source.downwardAPI].flatMap((each) =>
        each === undefined ? [] : modesIn(each.items, projected?.defaultMode),
      ),
    ),
  ];
}

/** Without a list, all keys are files. */
const modesIn = (
  items: readonly { readonly mode?: number }[] = [],
  defaultMode: number = DEFAULT_MODE,
): readonly number[] => (items.length === 0 ? [defaultMode] : items.map(({ mode = defaultMode }) => mode));

const isFileSystem = ({ persistentVolumeClaim, nfs }: Volume): boolean =>
  persistentVolumeClaim !== undefined || nfs !== undefined;

function mountedBy(
  { volumeMounts = [] }: Pick<Container, 'volumeMounts'>,
  { volumes = [] }: PodSpec,
): readonly Volume[] {
  const mounted = new Set(volumeMounts.map(({ name }) => name));
  return volumes.filter(({ name }) => mounted.has(name));
}

const programsOf = ({ containers, initContainers = [] }: PodSpec): readonly Container[] => [
  ...initContainers,
  ...containers,
];
