/**
 * The AWS names for what Kubernetes keeps in Secrets and ConfigMaps. A pod template refers only to its own namespace,
 * so the namespace is part of every name.
 */

/**
 * Name of the Secrets Manager secret for a Secret: a JSON object with its keys, or, for an image pull secret,
 * `{"username": …, "password": …}`. It ends in a fixed word, because Secrets Manager misreads an ARN without suffix if
 * the name ends in a hyphen and six characters (Secrets Manager user guide, "Finding a secret from a partial ARN").
 */
export const secretName = (namespace: string, name: string): string => `${SECRET_PREFIX}${namespace}/${name}/secret`;

/** The Secret of a {@link secretName}; null if it is no such name. */
export function parseSecretName(secret: string): Pick<SecretPlace, 'namespace' | 'name'> | null {
  const [, namespace, name] = /^muster\/([^/]+)\/([^/]+)\/secret$/.exec(secret) ?? [];
  if (namespace === undefined || name === undefined) return null;
  return placeOf('secret', namespace, name, '-') === null ? null : { namespace, name };
}

/** The Secret of which a name of Secrets Manager is a copy; null: it is none of ours. */
export function parseObjectSecretName(secret: string): Pick<SecretPlace, 'namespace' | 'name'> | null {
  const [, namespace, name] = /^muster\/([^/]+)\/([^/]+)\/object$/.exec(secret) ?? [];
  return namespace === undefined || name === undefined ? null : { namespace, name };
}

/**
 * Name of the Secrets Manager secret that holds the credentials of some registries in one version of a stored Secret, as
 * `{"username": …, "password": …}`. ECS reads the newest version of what `repositoryCredentials` names, and takes no other
 * (amazon-ecs-agent, `GetDockerAuthFromASM`): so what a task definition names is a secret of its own, which never changes.
 */
export const pullCopyName = ({ namespace, name, version, registry }: PullCopyPlace): string =>
  `${SECRET_PREFIX}${namespace}/${name}/${version}/${registry}/pull`;

/** What a {@link pullCopyName} refers to; null: it is no such name. */
export function parsePullCopyName(secret: string): PullCopyPlace | null {
  const [, namespace, name, version, registry] =
    /^muster\/([^/]+)\/([^/]+)\/([\w-]+)\/([\w-]+)\/pull$/.exec(secret) ?? [];
  if (namespace === undefined || name === undefined || version === undefined || registry === undefined) return null;
  return placeOf('secret', namespace, name, '-') === null ? null : { namespace, name, version, registry };
}

/** On this machine they are a version of their own of the same Secret. */
export const pullVersion = ({ version, registry }: Pick<PullCopyPlace, 'version' | 'registry'>): string =>
  `${version}.${registry}`;

/** The credentials of some registries in one version of a Secret. */
export type PullCopyPlace = Pick<SecretPlace, 'namespace' | 'name'> & {
  readonly version: string;
  readonly registry: string;
};

/** Name of the Parameter Store parameter that holds one key of a ConfigMap. */
export const configMapParameter = (namespace: string, name: string, key: string): string =>
  `/muster/${namespace}/configmaps/${name}/${key}`;

/** Name of the SecureString that holds the key with which Secrets are sealed in the table. It opens them all. */
export const SECRETS_KEY_PARAMETER = '/muster/secrets-key';

/** The execution role must be able to read every name with this prefix, and those of this form. */
export const SECRET_PREFIX = 'muster/';
export const CONFIG_MAP_PARAMETERS = '/muster/*/configmaps/*';

/** `valueFrom` of a container's secret: a key of a Secrets Manager secret in the task's own account and Region. */
export const secretReference = (
  { partition, region, account }: { readonly partition: string; readonly region: string; readonly account: string },
  namespace: string,
  name: string,
  key: string,
): string => `arn:${partition}:secretsmanager:${region}:${account}:secret:${secretName(namespace, name)}:${key}::`;

/** Name of the Secrets Manager secret that holds the versions of a stored Secret: JSON objects with its keys. */
export const objectSecretName = (namespace: string, name: string): string =>
  `${SECRET_PREFIX}${namespace}/${name}/object`;

/** `valueFrom` of a key of one version of a stored object. */
export const objectReference = (
  { partition, region, account }: { readonly partition: string; readonly region: string; readonly account: string },
  { namespace, name, key, version }: Omit<SecretPlace, 'kind'> & { readonly version: string },
): string =>
  `arn:${partition}:secretsmanager:${region}:${account}:secret:${objectSecretName(namespace, name)}:${key}::${version}`;

/** What a `valueFrom` refers to; null if it is not one of ours. */
export function parseReference(valueFrom: string): SecretPlace | null {
  const [, objectNamespace, object, objectKey, version] =
    /^arn:[^:]+:secretsmanager:[^:]*:[^:]*:secret:muster\/([^/]+)\/([^/]+)\/object:([^:]+)::([\w-]+)$/.exec(
      valueFrom,
    ) ?? [];
  if (objectNamespace !== undefined && object !== undefined && objectKey !== undefined && version !== undefined) {
    const place = placeOf('secret', objectNamespace, object, objectKey);
    return place === null ? null : { ...place, version };
  }
  const [, namespace, name, key] =
    /^arn:[^:]+:secretsmanager:[^:]*:[^:]*:secret:muster\/([^/]+)\/([^/]+)\/secret:([^:]+)::$/.exec(valueFrom) ?? [];
  if (namespace !== undefined && name !== undefined && key !== undefined)
    return placeOf('secret', namespace, name, key);
  const [, mapNamespace, mapName, mapKey] = /^\/muster\/([^/]+)\/configmaps\/([^/]+)\/([^/]+)$/.exec(valueFrom) ?? [];
  return mapNamespace === undefined || mapName === undefined || mapKey === undefined
    ? null
    : placeOf('configMap', mapNamespace, mapName, mapKey);
}

/** The parts become parts of file paths, so they must be valid names. */
function placeOf(kind: SecretPlace['kind'], namespace: string, name: string, key: string): SecretPlace | null {
  return [namespace, name, key].some((part) => part === '.' || part === '..') ? null : { kind, namespace, name, key };
}

/** One key of a Secret or of a ConfigMap. */
export type SecretPlace = {
  readonly kind: 'secret' | 'configMap';
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
  /** Of a stored object. Omitted: what somebody made by hand, as it is now. */
  readonly version?: string;
};

/** Copies of Secrets as a resource of policies: Secrets Manager ends each name with a hyphen and six characters. */
export const COPIES = `${SECRET_PREFIX}*/object-??????`;
export const PULL_COPIES = `${SECRET_PREFIX}*/pull-??????`;
