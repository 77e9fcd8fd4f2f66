import { namesNeeded } from '../../../domain/task/host-names.ts';
import type { NoHosts } from '../../../ports/host-store.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { namesOf } from './host-calls.ts';

/**
 * Reserves a name for each index of a Job, and one that says that all run, if they belong together. The reservation stays until the names are gone: the sweep works from the
 * reservations.
 *
 * @returns null, without a call, if its tasks have no names
 */
export function reserveNames(
  spec: Pick<StoredSpec, 'identity' | 'manifest'>,
  deps: Pick<Deps, 'hosts' | 'ports' | 'settings' | 'clock'>,
): Promise<{ readonly kind: 'reserved' } | NoHosts> | null {
  return deps.ports.hostnames === undefined || namesOf(spec) === null ? null : reserve(spec, deps);
}

async function reserve(
  { identity, manifest }: Pick<StoredSpec, 'identity' | 'manifest'>,
  { hosts, settings, clock }: Pick<Deps, 'hosts' | 'settings' | 'clock'>,
): Promise<{ readonly kind: 'reserved' } | NoHosts> {
  const { max } = settings.hosts;
  const needed = namesNeeded(manifest);
  const reserved = await hosts.reserve(identity.uid, needed, max, clock.now());
  return reserved.kind === 'reserved' ? reserved : { kind: 'noHosts', needed, left: reserved.left, max };
}

/** Why {@link reserveNames} would refuse a new Job now; null: it would not. Nothing is reserved. */
export async function checkNames(
  spec: Pick<StoredSpec, 'identity' | 'manifest'>,
  { hosts, ports, settings }: Pick<Deps, 'hosts' | 'ports' | 'settings'>,
): Promise<NoHosts | null> {
  if (ports.hostnames === undefined || namesOf(spec) === null) return null;
  const { max } = settings.hosts;
  const needed = namesNeeded(spec.manifest);
  const left = max - (await hosts.reservations()).reduce((sum, { count }) => sum + count, 0);
  return needed <= left ? null : { kind: 'noHosts', needed, left: Math.max(0, left), max };
}
