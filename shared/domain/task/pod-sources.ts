import type { ClaimVolume } from './volumes/claim-volume.ts';
import { referredVariables } from '../base/variable-expansion.ts';
import type { Container, EnvSource, PodSpec, Projection } from '../manifests/pod-spec.ts';

/** What a Pod's template names outside of itself, each as it was at one moment. What is not there has no entry. */
export type PodSources = {
  /** By {@link sourceKey}. */
  readonly configs: ReadonlyMap<string, ConfigObject>;
  /** By the claim's name. */
  readonly claims: ReadonlyMap<string, ClaimVolume>;
  /** Secrets with credentials for images, by name. */
  readonly pulls: ReadonlyMap<string, PullSource>;
};

/** A Secret of `imagePullSecrets`: for which registries it has a user with a password, but none of either. */
export type PullSource = {
  /** As that of a {@link ConfigObject}. */
  readonly version: string;
  /** See `registryOf` in pull-secrets.ts. */
  readonly registries: readonly string[];
};

/** A ConfigMap or a Secret. */
export type ConfigObject = {
  /** Differs whenever the object has changed; 32 to 64 letters, digits, and hyphens. */
  readonly version: string;
  readonly keys: ReadonlyMap<string, ConfigValue>;
};

/** The bytes of a ConfigMap's key. Of a Secret's key only how it is kept for tasks: as it is, or in base64 because it is no text. */
export type ConfigValue =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'secret'; readonly form: 'text' | 'base64' };

export const NO_SOURCES: PodSources = { configs: new Map(), claims: new Map(), pulls: new Map() };

export type SourceKind = 'configMap' | 'secret' | 'claim' | 'pullSecret';

/** A source that a template names. */
export type NamedSource = { readonly kind: SourceKind; readonly name: string };

export const sourceKey = ({ kind, name }: NamedSource): string => `${kind}/${name}`;

/** One place where a template names a ConfigMap or a Secret. */
type Reference = NamedSource & {
  readonly kind: 'configMap' | 'secret';
  /** null: all of its keys. */
  readonly key: string | null;
  readonly isOptional: boolean;
  /** The volume; null: a variable. */
  readonly volume: string | null;
  /** A single key of what somebody may have made by hand, under the fixed name: see names/secrets.ts. */
  readonly mayBeByHand: boolean;
};

/** What a template names outside of itself, each once. Most name nothing. */
export function namedSources(spec: PodSpec): readonly NamedSource[] {
  const all = new Map<string, NamedSource>();
  const { imagePullSecrets = [] } = spec;
  const pulls = imagePullSecrets.map(({ name }) => ({ kind: 'pullSecret', name }) as const);
  for (const { kind, name } of [...referencesOf(spec), ...claimsOf(spec), ...pulls])
    all.set(sourceKey({ kind, name }), { kind, name });
  return [...all.values()];
}

/** The claims that a template mounts, by volume. */
export const claimsOf = ({ volumes = [] }: PodSpec): readonly (NamedSource & { readonly volume: string })[] =>
  volumes.flatMap(({ name: volume, persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [{ kind: 'claim', name: persistentVolumeClaim.claimName, volume }],
  );

/**
 * Why a Pod cannot start with these sources, in the words of the kubelet and the scheduler; null: nothing is missing. A word
 * comes first: what of the Pod waits. Never says what a Secret holds.
 */
export function missingSource(namespace: string, spec: PodSpec, { configs, claims }: PodSources): string | null {
  for (const { name, volume } of claimsOf(spec)) {
    const claim = claims.get(name);
    if (claim === undefined) return `${WAITING.claim}: persistentvolumeclaim "${name}" not found`;
    if (claim.kind === 'unbound') return `${WAITING.claim}: ${claim.reason}`;
    if (isOfAccessPoint(claim) && isMountedInParts(volume, spec))
      return mountFault(
        volume,
        'an access point has a root of its own, and ECS mounts no other: mount the whole volume',
      );
  }
  for (const reference of referencesOf(spec)) {
    const fault = referenceFault(namespace, reference, configs.get(sourceKey(reference)));
    if (fault === null) continue;
    const { volume } = reference;
    return volume === null ? `${WAITING.variable}: ${fault}` : mountFault(volume, fault);
  }
  return null;
}

const mountFault = (volume: string, fault: string): string =>
  `${WAITING.volume}: MountVolume.SetUp failed for volume "${volume}" : ${fault}`;

const isOfAccessPoint = (claim: ClaimVolume): boolean =>
  (claim.kind === 'efs' || claim.kind === 's3files') && claim.accessPointId !== null;

const isMountedInParts = (volume: string, { containers, initContainers = [] }: PodSpec): boolean =>
  [...initContainers, ...containers].some(({ volumeMounts = [] }) =>
    volumeMounts.some(({ name, subPath = '', subPathExpr = '' }) => name === volume && subPath + subPathExpr !== ''),
  );

/** The first words of a reason. */
export const WAITING = {
  claim: 'FailedScheduling',
  variable: 'CreateContainerConfigError',
  volume: 'FailedMount',
  pull: 'ErrImagePull',
} as const;

function referenceFault(
  namespace: string,
  { kind, name, key, isOptional, volume, mayBeByHand }: Reference,
  object: ConfigObject | undefined,
): string | null {
  if (object === undefined) return isOptional || mayBeByHand ? null : `${kind.toLowerCase()} "${name}" not found`;
  if (key === null) return null;
  const value = object.keys.get(key);
  if (value === undefined) {
    if (isOptional) return null;
    const noun = kind === 'secret' ? 'Secret' : 'ConfigMap';
    return volume === null
      ? `couldn't find key ${key} in ${noun} ${namespace}/${name}`
      : `${kind === 'secret' ? 'references non-existent secret key' : 'configmap references non-existent config key'}: ${key}`;
  }
  return volume === null && textOf(value) === null
    ? `key ${key} of ${kind.toLowerCase()} "${name}" is not text: mount it as a file`
    : null;
}

/** The text of a key; null: its bytes are no text, or (`''` stands for it) it is a Secret's. */
export function textOf(value: ConfigValue): string | null {
  if (value.kind === 'secret') return value.form === 'text' ? '' : null;
  return utf8Text(value.bytes);
}

/** What bytes say, if a variable can hold it: UTF-8 without NUL; else null. */
export function utf8Text(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function referencesOf({ containers, initContainers = [], volumes = [] }: PodSpec): readonly Reference[] {
  return [
    ...[...initContainers, ...containers].flatMap(containerReferences),
    ...volumes.flatMap(({ name: volume, configMap, secret, projected }) => [
      ...(configMap === undefined ? [] : fileReferences('configMap', configMap, volume)),
      ...(secret === undefined ? [] : fileReferences('secret', { ...secret, name: secret.secretName }, volume)),
      ...(projected?.sources ?? []).flatMap((source) => projectedReferences(source, volume)),
    ]),
  ];
}

/** A ConfigMap's text that is put together with other words has to be known: what somebody has made by hand only ECS knows. */
function containerReferences(container: Container): readonly Reference[] {
  const { env = [], envFrom = [] } = container;
  const referred = referredIn(container);
  return [
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      ...(configMapRef === undefined ? [] : [reference('configMap', configMapRef, null, null)]),
      ...(secretRef === undefined ? [] : [reference('secret', secretRef, null, null)]),
    ]),
    ...env.flatMap(({ name, valueFrom }) =>
      (valueFrom === undefined ? [] : keyReferences(valueFrom)).map((each) =>
        each.kind === 'configMap' && referred.has(name) ? { ...each, mayBeByHand: false } : each,
      ),
    ),
  ];
}

/** The variables that a container refers to in its words and values, as in `$(NAME)`. */
export const referredIn = ({ command = [], args = [], env = [] }: Container): ReadonlySet<string> =>
  new Set([...command, ...args, ...env.map(({ value = '' }) => value)].flatMap(referredVariables));

const projectedReferences = ({ configMap, secret }: Projection, volume: string): readonly Reference[] => [
  ...(configMap === undefined ? [] : fileReferences('configMap', configMap, volume)),
  ...(secret === undefined ? [] : fileReferences('secret', secret, volume)),
];

const keyReferences = ({ configMapKeyRef, secretKeyRef }: EnvSource): readonly Reference[] => [
  ...(configMapKeyRef === undefined ? [] : [reference('configMap', configMapKeyRef, configMapKeyRef.key, null)]),
  ...(secretKeyRef === undefined ? [] : [reference('secret', secretKeyRef, secretKeyRef.key, null)]),
];

type Named = { readonly name: string; readonly optional?: boolean };

const fileReferences = (
  kind: Reference['kind'],
  source: Named & { readonly items?: readonly { readonly key: string }[] },
  volume: string,
): readonly Reference[] => {
  const { items } = source;
  return items === undefined || items.length === 0
    ? [reference(kind, source, null, volume)]
    : items.map(({ key }) => reference(kind, source, key, volume));
};

const reference = (
  kind: Reference['kind'],
  { name, optional = false }: Named,
  key: string | null,
  volume: string | null,
): Reference => ({ kind, name, key, isOptional: optional, volume, mayBeByHand: key !== null && volume === null });
