import { type KubeClient, connect } from './kube-client.ts';
import { findTarget } from './kubeconfig.ts';
import type { Shell } from './shell.ts';

/**
 * Connects to the server that is meant, and says which one where that may surprise.
 *
 * @throws Failure when there is none, or when it is no Muster
 */
export async function reach(kubeconfig: string | null, shell: Pick<Shell, 'cwd' | 'env' | 'err'>): Promise<KubeClient> {
  const { target, note } = findTarget(kubeconfig, shell);
  if (note !== null) shell.err.write(`${note}\n`);
  return connect(target);
}

/** The same once more, without a word: a server that was started again may have another address. */
export const reachAgain = async (kubeconfig: string | null, shell: Pick<Shell, 'cwd' | 'env'>): Promise<KubeClient> =>
  connect(findTarget(kubeconfig, shell).target);
