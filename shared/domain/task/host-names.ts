import { ANNOTATIONS, parseGang } from '../manifests/annotations.ts';
import type { JobManifest, Labels } from '../manifests/manifest.ts';

/**
 * Whether each index of the Job has a name of its own, if this installation provides names. A NonIndexed Job has no indexes to
 * name.
 */
export const hasNames = ({ spec }: Pick<JobManifest, 'spec'>): boolean =>
  spec.completionMode === 'Indexed' && (spec.template.spec.subdomain ?? '') !== '';

/** What the names of a Job's tasks are made of. */
export type NamedTasks = {
  readonly namespace: string;
  readonly name: string;
  readonly subdomain: string;
};

/**
 * The part of a task's name below the zone: `<job>-<index>.<subdomain>.<namespace>`. It includes the namespace, as in a
 * cluster, so that Jobs with the same name in two namespaces do not share one name.
 */
export const hostServiceName = ({ namespace, name, subdomain }: NamedTasks, index: number): string =>
  `${name}-${index}.${subdomain}.${namespace}`;

/**
 * The part below the zone of the name that says that all indexes of a Job run: `<job>-ready.<subdomain>.<namespace>`. An index
 * is a number, so no index of any Job has this name; and it is the Job's own, because Jobs may share a subdomain.
 */
export const readyServiceName = ({ namespace, name, subdomain }: NamedTasks): string =>
  `${name}-ready.${subdomain}.${namespace}`;

/** The full name that says so. */
export const readyNameOf = (job: NamedTasks, zone: string): string => `${readyServiceName(job)}.${zone}`;

/** The indexes of the Job belong together, and a name says that all of them run. */
export const hasReadyName = ({
  metadata,
}: {
  readonly metadata: { readonly annotations?: Labels | undefined };
}): boolean => parseGang(metadata.annotations?.[ANNOTATIONS.gang] ?? '') !== null;

/** How many names a Job needs, if its tasks have names. */
export const namesNeeded = (manifest: Pick<JobManifest, 'metadata' | 'spec'>): number =>
  (manifest.spec.completions ?? 0) + (hasReadyName(manifest) ? 1 : 0);

/** The full name of the task of an index, whatever its attempt. */
export const hostnameOf = (job: NamedTasks, index: number, zone: string): string =>
  `${hostServiceName(job, index)}.${zone}`;

/** The names of all tasks of a Job, with `%d` in place of the index: `printf "$MUSTER_HOSTS_PATTERN" 3` is the fourth's. */
export const hostsPattern = ({ namespace, name, subdomain }: NamedTasks, zone: string): string =>
  `${name}-%d.${subdomain}.${namespace}.${zone}`;

/**
 * The longest zone: with a service's 127 characters, a name stays far below DNS's 253, and leaves room in a launch's overrides.
 */
export const ZONE_CHARS_MAX = 64;

/** Cloud Map: instances of one private DNS namespace, adjustable by AWS (aws.md 4.1). Each index is an instance. */
export const HOSTS_MAX = 2_000;
