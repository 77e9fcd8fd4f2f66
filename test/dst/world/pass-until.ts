import type { EpochMs } from '../../../shared/domain/base/time.ts';
import type { World } from './world.ts';

/** Twice what the longest of the seeds takes. */
export const STEPS_MAX = 1_000_000;

/** Lets things happen until that moment, or until a guarantee is broken. */
export async function passUntil(moment: EpochMs, world: World): Promise<void> {
  world.schedule(moment, () => undefined); // time goes on although nothing is to happen
  while (world.time < moment && world.law.violations.length === 0 && world.steps < STEPS_MAX) await world.step();
}
