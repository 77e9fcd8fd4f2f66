/** Docker labels of a container in its task definition: wishes of the Pod that Fargate has no field for. */
export const CONTAINER_LABELS = {
  /** `limits.memory` in bytes. Fargate enforces only what the whole task has, in its own sizes. */
  memoryLimit: 'muster.run/memory-limit-bytes',
  /** `Always` or `Never`, where the Pod says so; Fargate pulls for every task. */
  pullPolicy: 'muster.run/image-pull-policy',
  /** The groups of its programs beside that of its user, with commas between. */
  groups: 'muster.run/groups',
  /** `true`: its input ends with the first client that has sent some and leaves. */
  stdinOnce: 'muster.run/stdin-once',
} as const;

/** The Docker label with the `type` of a `hostPath`, which ECS has no field for. */
export const hostPathTypeLabel = (volume: string): string => `muster.run/host-path-type-${volume}`;

/** The Docker label with the name of the volume that a container's nth tmpfs is: ECS knows only its path. */
export const tmpfsVolumeLabel = (nth: number): string => `muster.run/tmpfs-volume-${nth}`;

/** The Docker label with the part of the volume that a container's nth mount point shows; ECS shows whole volumes only. */
export const subPathLabel = (nth: number): string => `muster.run/sub-path-${nth}`;

/** The same with variables of the container, which are filled in as it starts. */
export const subPathExprLabel = (nth: number): string => `muster.run/sub-path-expr-${nth}`;
