import type { JobUid } from '../../../../domain/base/ids.ts';
import { type EpochMs, plusMs } from '../../../../domain/base/time.ts';
import type { Play } from '../../../../../test/dst/play.ts';
import { Random } from '../../../../../test/dst/random.ts';
import { DONE, FAILED } from '../../../../../test/dst/world/fates.ts';
import { passUntil } from '../../../../../test/dst/world/pass-until.ts';
import { CRON_CALM_MS, CRON_REPAIRED_MS, STORM_MIN } from '../../../../../test/dst/world/seed-cron.ts';
import { START, type World } from '../../../../../test/dst/world/world.ts';
import { ConfigUsers } from './config-users.ts';
import { ConfigWatch } from './config-watch.ts';
import { type SeedConfig, configByLuck } from './seed-config.ts';

/** A JobConfig, for some minutes of bad weather, whose Jobs take turns. Some queues are full, others empty. */
export const CONFIG_PLAY: Play = {
  guarantee: 'G21',
  acts: [],
  needs: {
    owners: ['JobConfig'],
    sights: ['place queued', 'place refused', 'let in', 'slot of a JobConfig', 'slot skipped'],
  },
  has: (seed) => seed % 20 === 5,
  seed: (seed) => {
    const longestMs = new Random(seed, 'tasks of a JobConfig').pick([10_000, 30_000, 90_000]);
    const config = configByLuck(seed, new Random(seed, 'JobConfig'), START);
    return {
      jobs: [],
      fate: (_, luck) => ({
        startMs: luck.between(500, 3_000),
        runMs: luck.between(1_000, longestMs),
        stopMs: luck.between(500, 20_000),
        ending: luck.chance(1 / 6) ? FAILED : DONE,
      }),
      enact: (world) => {
        const watch = new ConfigWatch(world);
        world.watchBy(watch);
        return { course: { kind: 'owner', run: async () => runConfig(config, watch, world) } };
      },
    };
  },
};

/** Its queue is empty by then. */
const DRAINED_MS = 60 * 60_000;
const LOOK_MS = 15_000;

/** A JobConfig in bad weather, then in calm, then without anything new, then deleted. Returns its Jobs. */
async function runConfig(config: SeedConfig, watch: ConfigWatch, world: World): Promise<readonly JobUid[]> {
  const { law } = world;
  const users = new ConfigUsers(world, config, watch);
  const lookUntil = async (moment: EpochMs): Promise<void> => {
    while (world.time < moment && law.violations.length === 0) {
      await passUntil(plusMs(world.time, LOOK_MS), world);
      watch.checkTurns();
    }
  };
  watch.expect(config);
  users.create();
  for (const order of config.orders) world.schedule(plusMs(START, order.afterMs), () => users.run(order));
  for (const act of config.acts) world.schedule(plusMs(START, act.afterMs), () => users.act(act));
  await passUntil(plusMs(START, STORM_MIN * 60_000), world);
  world.clear();
  users.enable(true);
  await passUntil(plusMs(world.time, CRON_REPAIRED_MS), world);
  const calm = world.time;
  await lookUntil(plusMs(calm, CRON_CALM_MS));
  if (law.violations.length > 0) return [];
  watch.checkSlots(calm);
  users.stop();
  const drained = plusMs(world.time, DRAINED_MS);
  while (world.time < drained && watch.unfinished() > 0 && law.violations.length === 0)
    await lookUntil(plusMs(world.time, LOOK_MS));
  await passUntil(plusMs(world.time, CRON_REPAIRED_MS), world);
  if (law.violations.length > 0) return [];
  await watch.checkStanding(world.store);
  users.remove();
  await passUntil(plusMs(world.time, CRON_REPAIRED_MS), world);
  await watch.checkGone(world.store);
  return [...world.watchdog.jobs.keys()];
}
