import { LAUNCH_NEEDS } from '../../capabilities/lists/dispatches.ts';
import { rateInForce } from '../../domain/base/pace.ts';
import { recentAt } from '../../domain/base/recent-grants.ts';
import type { LaunchPace } from '../../domain/pending/waits.ts';
import type { Deps } from './deps.ts';

/** How fast launches are granted now: the configured rate, or what a throttle has left of it. One read of one row. */
export async function readLaunchPace(deps: Pick<Deps, 'limits' | 'clock' | 'ports' | 'settings'>): Promise<LaunchPace> {
  const { limits, clock, settings } = deps;
  const { launchesPerSec } = settings;
  const needed = LAUNCH_NEEDS.reduce<Pick<LaunchPace, 'namesPerSec'>>(
    (paces, { pace }) => ({ ...paces, ...pace(deps) }),
    { namesPerSec: null },
  );
  if (launchesPerSec === null) return { now: clock.now(), perSec: null, fullPerSec: null, namespaces: 1, ...needed };
  const { state } = await limits.read('launch');
  const now = clock.now();
  const namespaces = Math.max(1, recentAt(state.recent, now).length);
  return { now, perSec: rateInForce(state, now, launchesPerSec), fullPerSec: launchesPerSec, namespaces, ...needed };
}
