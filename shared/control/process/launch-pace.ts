import { rateInForce } from '../../domain/base/pace.ts';
import { recentAt } from '../../domain/base/recent-grants.ts';
import type { LaunchPace } from '../../domain/pending/waits.ts';
import type { Deps } from './deps.ts';

/** How fast launches are granted now: the configured rate, or what a throttle has left of it. One read of one row. */
export async function readLaunchPace({
  limits,
  clock,
  hostnames,
  settings: { launchesPerSec, hosts },
}: Pick<Deps, 'limits' | 'clock' | 'hostnames' | 'settings'>): Promise<LaunchPace> {
  const namesPerSec = hostnames === null ? null : hosts.servicesPerSec;
  if (launchesPerSec === null) return { now: clock.now(), perSec: null, fullPerSec: null, namespaces: 1, namesPerSec };
  const { state } = await limits.read('launch');
  const now = clock.now();
  const namespaces = Math.max(1, recentAt(state.recent, now).length);
  return { now, perSec: rateInForce(state, now, launchesPerSec), fullPerSec: launchesPerSec, namespaces, namesPerSec };
}
