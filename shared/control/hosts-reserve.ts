import { AWS_HOST_LIMITS } from '../domain/host-limits.ts';
import type { NoHosts } from '../ports/host-store.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import type { Deps } from './deps.ts';
import { namesOf } from './host-calls.ts';

/**
 * Reserves a name for each index of a Job, if its tasks have names; else nothing is read or written. It is the Job's
 * until its names are gone: the sweep goes by what is reserved.
 */
export async function reserveNames(
  spec: Pick<StoredSpec, 'identity' | 'manifest'>,
  { hosts, hostnames, settings, clock }: Pick<Deps, 'hosts' | 'hostnames' | 'settings' | 'clock'>,
): Promise<{ readonly kind: 'none' | 'reserved' } | NoHosts> {
  if (hostnames === null || namesOf(spec) === null) return { kind: 'none' };
  const { max } = settings.hosts ?? AWS_HOST_LIMITS;
  const needed = spec.manifest.spec.completions ?? 0;
  const reserved = await hosts.reserve(spec.identity.uid, needed, max, clock.now());
  return reserved.kind === 'reserved' ? reserved : { kind: 'noHosts', needed, left: reserved.left, max };
}
