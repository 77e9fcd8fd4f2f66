import { type KubeClient, connect } from './kube-client.ts';
import { findTarget } from './kubeconfig.ts';
import type { Shell } from '../shell/shell.ts';

export type ChangeFlags = { readonly namespace: string | null; readonly kubeconfig: string | null };

/**
 * Connects to the chosen server, and names it where the choice may surprise the user.
 *
 * @throws Failure when there is none, or when it is not Muster
 */
export async function reach(kubeconfig: string | null, shell: Pick<Shell, 'cwd' | 'env' | 'err'>): Promise<KubeClient> {
  const { target, note } = findTarget(kubeconfig, shell);
  if (note !== null) shell.err.write(`${note}\n`);
  return connect(target);
}

/** Connects again without printing anything: a restarted server may have a new address. */
export const reachAgain = async (kubeconfig: string | null, shell: Pick<Shell, 'cwd' | 'env'>): Promise<KubeClient> =>
  connect(findTarget(kubeconfig, shell).target);
