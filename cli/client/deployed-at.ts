import { apiAt } from '../../local/proxy/upstream.ts';
import { tokenClusterOf } from '../../shared/names/token-cluster.ts';

/** A deployment, as far as its address tells: tokens are signed for its API. Null: the address is another one. */
export function deployedAt(server: string): { readonly clusterId: string; readonly region: string } | null {
  const at = URL.canParse(server) ? apiAt(new URL(server).hostname) : null;
  return at === null ? null : { clusterId: tokenClusterOf(at.apiId), region: at.region };
}
