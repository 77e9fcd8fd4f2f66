import type { IndexAction } from '../../../shared/domain/scoreboard/index-changes.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import { Users } from './users.ts';
import type { World } from './world.ts';

const NAMES = {
  hold: 'indexes held',
  release: 'indexes released',
  cancel: 'indexes cancelled',
  requeue: 'indexes requeued',
} as const satisfies Record<IndexAction, string>;

type IndexAct = { readonly at: number; readonly name: (typeof NAMES)[IndexAction] | null; readonly happen: () => void };

/**
 * People hold, release, cancel, and requeue some indexes, some twice; at last, everything is released.
 *
 * @param calm when the weather has cleared
 */
export function indexActs(
  { identity: { uid }, manifest }: StoredSpec,
  world: World,
  start: number,
  calm: number,
): readonly IndexAct[] {
  // By numbers of its own, so that all else happens as it would without.
  const random = world.injector.luck('index control');
  const { completionMode, completions = 0 } = manifest.spec;
  if (completionMode !== 'Indexed' || completions === 0 || !random.chance(0.6)) return [];
  world.injector.struck('index control');
  const plans: IndexAct[] = [];
  const act = (at: number, action: IndexAction, first: number, last: number, name: IndexAct['name']): void => {
    plans.push({ at, name, happen: () => new Users(world).changeIndexes(uid, action, first, last) });
  };
  for (let n = random.between(2, 10); n > 0; n--) {
    const at = start + random.between(500, random.pick([20_000, 60_000, 180_000, 600_000]));
    const action = random.pick(['hold', 'hold', 'release', 'cancel', 'requeue', 'requeue'] as const);
    const first = random.between(0, completions - 1);
    const last = first + random.pick([0, 1, 5, 30]);
    act(at, action, first, last, NAMES[action]);
    if (random.chance(0.3)) act(at + random.between(0, 3_000), action, first, last, NAMES[action]);
  }
  // What has failed for good is tried again, where it may be.
  for (let n = random.between(0, 4); n > 0; n--)
    act(start + random.between(10_000, 240_000), 'requeue', 0, completions - 1, NAMES.requeue);
  // Its call may die, and a Job that grows has more indexes.
  for (const laterMs of [660_000, 720_000, 780_000]) act(calm + laterMs, 'release', 0, 1_000_000, null);
  return plans;
}
