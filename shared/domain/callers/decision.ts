import type { Attributes } from './attributes.ts';
import type { User } from './user.ts';

/** `reason`: upstream's, which names the binding that allows it, or the roles that are missing. */
export type Decision = { readonly allowed: boolean; readonly reason: string };

/**
 * Upstream's message for a refused call, without the part before `is forbidden:` (`forbiddenMessage` of
 * apiserver/pkg/endpoints/handlers/responsewriters).
 */
export function forbiddenText({ username }: User, wanted: Attributes): string {
  const user = `User ${JSON.stringify(username)}`;
  if (wanted.kind === 'path') return `${user} cannot ${wanted.verb} path ${JSON.stringify(wanted.path)}`;
  const { verb, group, resource, subresource, namespace } = wanted;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${user} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}
