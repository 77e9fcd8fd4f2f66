import type { PodSource } from '../../../control/process/pod-source.ts';
import { createClaimReader } from './storage-changes.ts';

/** Claims that Pods mount. */
export const CLAIM_SOURCE: PodSource = {
  async read(namespace, named, deps) {
    const wanted = named.filter(({ kind }) => kind === 'claim');
    if (wanted.length === 0) return { sources: {} };
    const reader = createClaimReader(deps);
    const claims = await Promise.all(
      wanted.map(async ({ name }) => [name, await reader.read({ namespace, name })] as const),
    );
    return { sources: { claims: new Map(claims) } };
  },
};
