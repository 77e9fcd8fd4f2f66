import { join } from 'node:path';
import { stringify } from 'yaml';
import { writeWhole } from './whole-file.ts';

export type KubeconfigOptions = {
  readonly server: string;
  /** The name of the context, its cluster, and its user. */
  readonly name: string;
  readonly namespace: string;
  /** How to sign in: `{ token }`, `{ exec }`, or nothing. */
  readonly user: object;
};

/** A kubeconfig with one context, as YAML. */
export function kubeconfigText({ server: address, name, namespace, user }: KubeconfigOptions): string {
  const server = withCredentials(address, user);
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    'current-context': name,
  });
}

/** Writes DIR/kubeconfig, readable only by its owner, and returns its path. Never touches the user's own file. */
export function writeKubeconfig(dir: string, server: string, user: object = {}): string {
  const path = join(dir, 'kubeconfig');
  const text = kubeconfigText({ server, name: 'muster-local', namespace: 'default', user });
  writeWhole(path, text, 'durable');
  return path;
}

/** Over plain http, kubectl sends no token of a user, but what the address has. */
function withCredentials(server: string, user: object): string {
  if (!server.startsWith('http:') || !('token' in user)) return server;
  return server.replace('://', `://muster:${encodeURIComponent(String(user.token))}@`);
}
