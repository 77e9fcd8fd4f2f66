import { apiAt } from '../../local/proxy/upstream.ts';

/** A deployment, as far as its address tells: tokens are signed for the API's id. Null: the address is another one. */
export function deployedAt(server: string): { readonly clusterId: string; readonly region: string } | null {
  const at = URL.canParse(server) ? apiAt(new URL(server).hostname) : null;
  return at === null ? null : { clusterId: at.apiId, region: at.region };
}
