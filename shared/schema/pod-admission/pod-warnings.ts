import { ADDRESS_FIELDS } from '../../domain/manifests/pod-spec.ts';
import { STOP_TIMEOUT_MAX_SEC } from '../../domain/task/pod-template.ts';
import { shellVariableWarnings } from './command-rules.ts';
import { placementWarnings } from './placement-rules.ts';
import { probeWarnings } from './probe-rules.ts';
import { messagePathWarnings, withoutEffectWarnings } from './without-effect-rules.ts';
import type { ContainerShape, PodSpecShape, VolumeShape } from '../pod/pod-shape.ts';

/**
 * Warnings for the client about values that behave differently here.
 *
 * @param columns those of the Job's work list, which are variables of every container
 */
export function templateWarnings(path: string, spec: PodSpecShape, columns: readonly string[]): readonly string[] {
  const { containers = [], initContainers = [], terminationGracePeriodSeconds = 0 } = spec;
  const main = containers[0]?.name ?? '';
  const warnings = containers
    .slice(1)
    .map(
      (_, i) =>
        `${path}.containers[${i + 1}]: runs beside "${main}"; the Pod ends when "${main}" ends, whatever this container does`,
    );
  if (terminationGracePeriodSeconds > STOP_TIMEOUT_MAX_SEC)
    warnings.push(
      `${path}.terminationGracePeriodSeconds: Fargate kills containers that have not ended after ${STOP_TIMEOUT_MAX_SEC} seconds`,
    );
  if (spec.automountServiceAccountToken === true)
    warnings.push(
      `${path}.automountServiceAccountToken: a token of the ServiceAccount is mounted by muster local --users --driver docker only; elsewhere the program finds none`,
    );
  warnings.push(...placementWarnings(path, spec), ...withoutEffectWarnings(path, spec));
  warnings.push(...overlapWarnings(spec.volumes ?? []));
  const all = [
    ...initContainers.map((c, i) => ({ c, at: `${path}.initContainers[${i}]` })),
    ...containers.map((c, i) => ({ c, at: `${path}.containers[${i}]` })),
  ];
  return [...warnings, ...all.flatMap(({ c, at }) => containerWarnings(at, c, columns))];
}

function containerWarnings(path: string, c: ContainerShape, columns: readonly string[]): readonly string[] {
  const warnings: string[] = [];
  warnings.push(...shellVariableWarnings(path, c, columns));
  const seen = new Set<string>();
  for (const [i, { name = '', valueFrom }] of (c.env ?? []).entries()) {
    const { fieldPath = '' } = valueFrom?.fieldRef ?? {};
    if (ADDRESS_FIELDS.has(fieldPath))
      warnings.push(
        `${path}.env[${i}].valueFrom.fieldRef.fieldPath: ${fieldPath} is empty on Fargate, which gives an address after launch: let the program ask the task metadata endpoint ($ECS_CONTAINER_METADATA_URI_V4); with muster local it is the task's address`,
      );
    if (seen.has(name)) warnings.push(`${path}.env[${i}]: hides previous definition of "${name}"`);
    seen.add(name);
  }
  if (c.imagePullPolicy === 'Never')
    warnings.push(
      `${path}.imagePullPolicy: Fargate pulls the image for every task all the same; muster local --driver docker does as it says`,
    );
  if (c.securityContext?.allowPrivilegeEscalation === false)
    warnings.push(
      `${path}.securityContext.allowPrivilegeEscalation: Fargate cannot forbid it; leave set-user-ID programs out of the image`,
    );
  warnings.push(...probeWarnings(path, c), ...messagePathWarnings(path, c));
  return warnings;
}

/** A path of a volume, and what it is of, as Kubernetes names it. */
type NamedPath = { readonly path: string; readonly from: string };

/**
 * Warnings about files of a volume of which one would be another, or a folder with another in it
 * (`warningsForOverlappingVirtualPaths`).
 */
const overlapWarnings = (volumes: readonly VolumeShape[]): readonly string[] =>
  volumes.flatMap(({ name = '', configMap, secret, downwardAPI, projected }) => [
    ...overlaps(name, `ConfigMap ${quoted(configMap?.name)}`, pathsOf(configMap?.items)),
    ...overlaps(name, `Secret ${quoted(secret?.secretName)}`, pathsOf(secret?.items)),
    ...overlaps(name, 'DownwardAPI', pathsOf(downwardAPI?.items)),
    ...(projected?.sources ?? [])
      .filter((source) => Object.values(source).every((value) => value === undefined))
      .map(() => `volume ${quoted(name)} (Projected) has no sources provided`),
    ...overlaps(
      name,
      'Projected',
      (projected?.sources ?? []).flatMap((source) => [
        ...pathsOf(source.configMap?.items, `ConfigMap ${quoted(source.configMap?.name)}`),
        ...pathsOf(source.secret?.items, `Secret ${quoted(source.secret?.name)}`),
        ...pathsOf(source.downwardAPI?.items, 'DownwardAPI'),
      ]),
    ),
  ]);

const pathsOf = (items: readonly { readonly path?: string | undefined }[] = [], from = ''): readonly NamedPath[] =>
  items.map(({ path = '' }) => ({ path: withoutEnd(path), from })).filter(({ path }) => path !== '');

/** Without the slashes at its end. */
function withoutEnd(path: string): string {
  let end = path.length;
  while (path.charAt(end - 1) === '/') end -= 1;
  return path.slice(0, end);
}

type Folder = { readonly members: Map<string, Folder>; file: NamedPath | null; readonly first: NamedPath };

function overlaps(volume: string, source: string, paths: readonly NamedPath[]): readonly string[] {
  const root = new Map<string, Folder>();
  return paths.flatMap((each) => {
    const other = place(root, each);
    return other === null
      ? []
      : [`volume ${quoted(volume)} (${source}): overlapping paths: ${shown(each)} with ${shown(other)}`];
  });
}

/** Puts a path into a tree. Returns the first one that it overlaps with. */
function place(root: Map<string, Folder>, path: NamedPath): NamedPath | null {
  const names = path.path.split('/');
  let members = root;
  let other: NamedPath | null = null;
  for (const [i, name] of names.entries()) {
    const there = members.get(name);
    const folder = there ?? { members: new Map<string, Folder>(), file: null, first: path };
    if (there === undefined) members.set(name, folder);
    other ??= folder.file ?? (i === names.length - 1 && there !== undefined ? there.first : null);
    if (i === names.length - 1) folder.file ??= path;
    members = folder.members;
  }
  return other;
}

const quoted = (text = ''): string => JSON.stringify(text);

const shown = ({ path, from }: NamedPath): string => (from === '' ? quoted(path) : `${quoted(path)} (${from})`);
