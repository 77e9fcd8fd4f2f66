import { type LateText, knownText } from '../../base/late-text.ts';
import type { DownwardFile, KeyFile, PodSpec, Projection, TokenFile, Volume } from '../../manifests/pod-spec.ts';
import { type PodOwner, type SecretSource, downwardText } from '../container-env.ts';
import { type PodSources, type SourceKind, sourceKey } from '../pod-sources.ts';

/** A file of a volume; `late`: it says something of the attempt. */
export type VolumeFile = {
  readonly volume: string;
  readonly path: string;
  readonly mode: number;
  readonly content:
    | { readonly kind: 'known'; readonly bytes: Uint8Array }
    | { readonly kind: 'late'; readonly text: LateText }
    | { readonly kind: 'secret'; readonly from: SecretSource }
    /** A token, which is signed as it is written. */
    | { readonly kind: 'token' };
};

/** Of files whose volume says nothing: 0644 (`SetDefaults_ConfigMapVolumeSource` and similar). */
export const DEFAULT_MODE = 0o644;

/**
 * The files that a Pod's volumes hold before its first container starts, in the order in which they are written: a later one
 * takes the place of an earlier one at its path. First those of the downward API, so that their places in the list depend on the
 * template alone. What is optional and not there has none.
 */
export function volumeFiles(manifest: PodOwner, sources: PodSources): readonly VolumeFile[] {
  const { spec } = manifest.spec.template;
  const volumes = spec.volumes ?? [];
  return [
    ...volumes.flatMap((volume) => fieldFilesOf(volume, spec, manifest)),
    ...volumes.flatMap((volume) => lastOfEach(keyFilesOf(volume, manifest, sources))),
  ];
}

/** A file's mode, and where it lies. */
type Place = Pick<VolumeFile, 'volume' | 'mode'>;

const placeIn = (volume: string, mode = DEFAULT_MODE): Place => ({ volume, mode });

function fieldFilesOf(
  { name, downwardAPI, projected }: Volume,
  spec: PodSpec,
  manifest: PodOwner,
): readonly VolumeFile[] {
  if (downwardAPI !== undefined)
    return fieldFiles(downwardAPI.items ?? [], placeIn(name, downwardAPI.defaultMode), spec, manifest);
  return (projected?.sources ?? []).flatMap((source) =>
    fieldFiles(source.downwardAPI?.items ?? [], placeIn(name, projected?.defaultMode), spec, manifest),
  );
}

function keyFilesOf(
  { name, configMap, secret, projected }: Volume,
  manifest: PodOwner,
  sources: PodSources,
): readonly VolumeFile[] {
  const { namespace } = manifest.metadata;
  const files = (kind: ConfigKind, keys: Keys, mode: number | undefined) =>
    keyFiles({ kind, namespace }, keys, placeIn(name, mode), sources);
  if (configMap !== undefined) return files('configMap', configMap, configMap.defaultMode);
  if (secret !== undefined) return files('secret', { ...secret, name: secret.secretName }, secret.defaultMode);
  return (projected?.sources ?? []).flatMap((source: Projection) => [
    ...(source.configMap === undefined ? [] : files('configMap', source.configMap, projected?.defaultMode)),
    ...(source.secret === undefined ? [] : files('secret', source.secret, projected?.defaultMode)),
    ...(source.serviceAccountToken === undefined
      ? []
      : [tokenFile(source.serviceAccountToken, placeIn(name, projected?.defaultMode))]),
  ]);
}

const tokenFile = ({ path }: TokenFile, place: Place): VolumeFile => ({
  ...place,
  path: tidyPath(path),
  content: { kind: 'token' },
});

/** Whether a volume holds files that are written before the first container starts. */
export const holdsFiles = ({ configMap, secret, downwardAPI, projected }: Volume): boolean =>
  configMap !== undefined || secret !== undefined || downwardAPI !== undefined || projected !== undefined;

type ConfigKind = Exclude<SourceKind, 'claim' | 'pullSecret'>;

type Keys = {
  readonly name: string;
  readonly items?: readonly KeyFile[];
};

function keyFiles(
  { kind, namespace }: Pick<SecretSource, 'kind' | 'namespace'>,
  { name, items = [] }: Keys,
  { volume, mode }: Place,
  { configs }: PodSources,
): readonly VolumeFile[] {
  const object = configs.get(sourceKey({ kind, name }));
  if (object === undefined) return [];
  const wanted: readonly KeyFile[] =
    items.length > 0 ? items : [...object.keys.keys()].toSorted().map((key) => ({ key, path: key }));
  return wanted.flatMap((item): readonly VolumeFile[] => {
    const value = object.keys.get(item.key);
    if (value === undefined) return [];
    const place = { volume, path: tidyPath(item.path), mode: item.mode ?? mode };
    if (value.kind === 'bytes') return [{ ...place, content: { kind: 'known', bytes: value.bytes } }];
    const from = { kind, namespace, name, key: item.key, object: { version: object.version, form: value.form } };
    return [{ ...place, content: { kind: 'secret', from } }];
  });
}

const fieldFiles = (
  items: readonly DownwardFile[],
  { volume, mode }: Place,
  spec: PodSpec,
  manifest: PodOwner,
): readonly VolumeFile[] =>
  items.map((item) => {
    const text = downwardText(item, spec, manifest);
    const known = knownText(text);
    const content =
      known === null
        ? ({ kind: 'late', text } as const)
        : ({ kind: 'known', bytes: new TextEncoder().encode(known) } as const);
    return { volume, path: tidyPath(item.path), mode: item.mode ?? mode, content };
  });

/** Without blank and `.` segments: equal files have equal paths. */
export const tidyPath = (path: string): string => segmentsOf(path).join('/');

/** The names in a path; blank and `.` segments say nothing. */
export const segmentsOf = (path: string): readonly string[] =>
  path.split('/').filter((segment) => segment !== '' && segment !== '.');

function lastOfEach(files: readonly VolumeFile[]): readonly VolumeFile[] {
  const byPath = new Map<string, VolumeFile>();
  for (const file of files) {
    byPath.delete(file.path);
    byPath.set(file.path, file);
  }
  return [...byPath.values()];
}
