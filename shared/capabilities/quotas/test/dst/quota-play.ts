import { plusMs } from '../../../../domain/base/time.ts';
import { sweepQuotas } from '../../control/sweep-quotas.ts';
import type { Play } from '../../../../../test/dst/play.ts';
import { ALL } from '../../../../../test/dst/story.ts';
import { DONE, FAILED } from '../../../../../test/dst/world/fates.ts';
import { passUntil } from '../../../../../test/dst/world/pass-until.ts';
import { START, type World } from '../../../../../test/dst/world/world.ts';
import { QUOTA_ACTS, QUOTA_STORM_MS, arrangeQuota } from './quota-users.ts';
import { QuotaWatch } from './quota-watch.ts';
import { jobsByLuck, quotaByLuck } from './seed-quota.ts';

/** Small Jobs beside a quota that is too small for all of them at once. Their tasks take seconds, or minutes, and one of eight fails. */
export const QUOTA_PLAY: Play = {
  guarantee: 'G25',
  acts: QUOTA_ACTS,
  needs: { sweeps: [sweepQuotas], sights: ['no room'] },
  has: (seed) => seed % 20 === 10,
  seed: (seed, random) => {
    const longestMs = random.pick([5_000, 60_000, 200_000]);
    const jobs = jobsByLuck(seed, random, START);
    const quota = quotaByLuck(random);
    return {
      jobs,
      fate: (_, luck) => ({
        startMs: luck.between(100, 5_000),
        runMs: luck.between(100, longestMs),
        stopMs: luck.between(500, 10_000),
        ending: luck.chance(1 / 8) ? FAILED : DONE,
      }),
      enact: (world) => {
        const watch = new QuotaWatch(world);
        world.watchBy(watch);
        return {
          // Most quotas are there before the Jobs.
          begin: async () => {
            if (quota.afterMs === 0) await watch.begin(quota.hard, world.store.objects);
          },
          course: {
            kind: 'jobs',
            stormMs: QUOTA_STORM_MS,
            arrange: (happenings, did) => arrangeQuota(jobs, quota, { random: happenings, world, watch, did }),
          },
          checkCalm: (clearSince) => watch.checkReturned(clearSince),
          checkEnd: async () => checkQuota(watch, world),
        };
      },
    };
  },
};

/** Two of the sweep's minutes. */
const COUNTED_MS = 150_000;
const ASKED_MS = 20_000;

/** All Jobs are over, and the sweep has counted twice. */
async function checkQuota(watch: QuotaWatch, world: World): Promise<void> {
  const { law, handlers } = world;
  if (law.violations.length > 0) return;
  await passUntil(plusMs(world.time, COUNTED_MS), world);
  if (law.violations.length > 0) return;
  watch.checkSettled();
  handlers.user('tries what there is room for', ALL, async (deps) => watch.checkRoom(deps));
  await passUntil(plusMs(world.time, ASKED_MS), world);
}
