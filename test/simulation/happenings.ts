import type { Random } from './random.ts';
import type { World } from './world.ts';

/** The weather clears after this; from then on the Job must come to its end. */
export const STORM_MS = 2 * 3_600_000;
const CHANGES_MAX = 4;

export type Happening = { readonly at: number; readonly act: () => void };

/**
 * What people and the world do meanwhile, soonest first: Jobs are suspended and resumed, resized and deleted, mostly
 * while they run; a kind of handler breaks down for a while; somebody runs a task that looks like ours. Once the
 * weather has cleared, a Job that is suspended is resumed, and one that was to be deleted is.
 */
export function happenings(random: Random, uid: string, world: World): Happening[] {
  const start = world.time;
  const calm = start + STORM_MS;
  const soon = (): number => start + random.between(500, random.pick([60_000, 600_000, STORM_MS]));
  const change = (at: number, suspend: boolean): Happening => ({
    at,
    act: () => world.changeManifest(uid, (spec) => ({ ...spec, suspend })),
  });
  const plans: Happening[] = [change(calm + 600_000, false)];
  for (let n = random.between(0, CHANGES_MAX); n > 0; n--) {
    const at = soon();
    if (random.chance(0.5)) plans.push(change(at, true), change(at + random.pick([100, 5_000, 60_000]), false));
    else {
      const parallelism = random.between(1, 12);
      plans.push({ at, act: () => world.changeManifest(uid, (spec) => ({ ...spec, parallelism })) });
    }
  }
  if (random.chance(0.2)) {
    const remove = (): void => world.deleteJob(uid);
    plans.push({ at: soon(), act: remove }, { at: calm + 2, act: remove });
  }
  if (random.chance(0.2)) {
    const kind = random.pick(['reconcile', 'dispatch', 'sweep'] as const);
    const forMs = random.between(60_000, 100 * 60_000);
    plans.push({ at: soon(), act: () => world.breakDown(kind, forMs) });
  }
  if (random.chance(0.3)) {
    const index = random.between(0, 30);
    plans.push({ at: soon(), act: () => world.runStranger(uid, index) });
  }
  return plans.sort((a, b) => a.at - b.at);
}
