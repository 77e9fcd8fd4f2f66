import { leaseRights } from '../domain/pace.ts';
import type { EpochMs } from '../domain/brand.ts';
import type { LimitName } from '../ports/limits.ts';
import type { Deps } from './deps.ts';

/** Rights are leased no further ahead than this; who gets none comes again. */
const HORIZON_MS = 3_000;
const TRIES_MAX = 10;

/**
 * Up to `wanted` rights to call, as moments to wait for; fewer when the rate has none to give out within the horizon.
 * Without a rate there is no limit of ours: all of them, now.
 */
export async function leaseCalls(
  name: LimitName,
  wanted: number,
  ratePerSec: number | null,
  { limits, clock }: Deps,
): Promise<readonly EpochMs[]> {
  if (ratePerSec === null) return Array.from({ length: wanted }, () => clock.now());
  let row = await limits.read(name);
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const lease = leaseRights(row.state, clock.now(), wanted, ratePerSec, HORIZON_MS);
    if (lease.rights.length === 0) return [];
    const committed = await limits.commit(name, row.version, lease.state);
    if (committed.kind === 'committed') return lease.rights;
    row = committed.row;
  }
  return [];
}
