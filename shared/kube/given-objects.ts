import type { KubeMetadata, KubeObject } from './kube-object.ts';
import { CONFIG_MAPS, type Resource, SERVICE_ACCOUNTS } from './status-error.ts';
import { CONFIG_MAP_PRINTER, SERVICE_ACCOUNT_PRINTER } from './tables/given-printers.ts';
import type { Printer } from './tables/printer.ts';

/** A kind of which every namespace has one object by itself, as every cluster's has it: clients wait for them. */
export type GivenKind = {
  readonly resource: Resource;
  readonly printer: Printer<KubeObject>;
  readonly name: string;
  /** What it holds beside its metadata. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Why nobody makes or changes one. */
  readonly refusal: string;
  /** Tells its uid from the namespace's and the other kinds'. */
  readonly mark: string;
};

export const GIVEN_KINDS: readonly GivenKind[] = [
  {
    resource: SERVICE_ACCOUNTS,
    printer: SERVICE_ACCOUNT_PRINTER,
    name: 'default',
    content: {},
    refusal:
      "every namespace has the ServiceAccount default, and no other: what a task may do is its task role's matter",
    mark: '8',
  },
  {
    resource: CONFIG_MAPS,
    printer: CONFIG_MAP_PRINTER,
    name: 'kube-root-ca.crt',
    // Clients of Muster trust the certificates that their machine trusts.
    content: { data: { 'ca.crt': '' } },
    refusal:
      'every namespace has the ConfigMap kube-root-ca.crt, and no other: what a Pod names are parameters of Parameter Store',
    mark: '9',
  },
];

/** The object that a namespace has; it is as old as that, and has its version. */
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
