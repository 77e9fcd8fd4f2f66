import type { KubeMetadata, KubeObject } from '../http/kube-object.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import type { Resource } from '../http/status-error.ts';
import { CONFIG_MAP_PRINTER } from './given-printers.ts';
import type { Printer } from '../list/printer.ts';

/** A kind of which every namespace has one object by default, as in every cluster: clients wait for them. */
export type GivenKind = {
  readonly resource: Resource;
  readonly printer: Printer<KubeObject>;
  readonly name: string;
  /** Its contents apart from its metadata. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Why it cannot be created or changed. */
  readonly refusal: (isEmbedded: boolean) => string;
  /** Distinguishes its uid from the namespace's and the other kinds'. */
  readonly mark: string;
};

export const GIVEN_KINDS: readonly GivenKind[] = [
  {
    resource: API_KINDS.ConfigMap,
    printer: CONFIG_MAP_PRINTER,
    name: 'kube-root-ca.crt',
    // Clients of Muster trust the certificates that their machine trusts.
    content: { data: { 'ca.crt': '' } },
    refusal: (isEmbedded) =>
      `ConfigMaps cannot be created or changed here: ${
        isEmbedded
          ? 'what configMapKeyRef names is the file configmaps/<namespace>/<name>/<key> in the data folder'
          : 'what configMapKeyRef names is the parameter /muster/<namespace>/configmaps/<name>/<key> of Parameter Store'
      } (docs/pod-template.md, Secrets and ConfigMaps)`,
    mark: '9',
  },
];

/** A namespace's object; it has the namespace's age and version. */
export function givenObject({ resource, name, content, mark }: GivenKind, { metadata }: KubeObject): KubeObject {
  const { name: namespace, uid, resourceVersion, creationTimestamp } = metadata;
  // Where a random UUID has its version.
  const own: KubeMetadata = {
    name,
    namespace,
    uid: `${uid.slice(0, 14)}${mark}${uid.slice(15)}`,
    resourceVersion,
    creationTimestamp,
  };
  return { apiVersion: 'v1', kind: resource.kind, metadata: own, ...content };
}
