import { plusMs } from '../../../../domain/base/time.ts';
import type { Play } from '../../../../../test/dst/play.ts';
import { DONE } from '../../../../../test/dst/world/fates.ts';
import { passUntil } from '../../../../../test/dst/world/pass-until.ts';
import { START } from '../../../../../test/dst/world/world.ts';
import { type SeedPlace, jobsByLuck } from './seed-storage.ts';
import { STORAGE_ACTS, STORAGE_STORM_MS, arrangeStorage } from './storage-users.ts';
import { StorageWatch } from './storage-watch.ts';

/** Three of the sweep's minutes: a volume is given back, a claim gets it, and both are looked at. */
const SWEPT_MS = 200_000;

/** Volumes and claims that come and go, on a machine or on AWS, beside a Job. */
export const STORAGE_PLAY: Play = {
  guarantee: 'G27',
  acts: STORAGE_ACTS,
  needs: { sights: ['a claim bound', 'a claim lost'] },
  has: (seed) => seed % 40 === 0,
  seed: (seed, random) => {
    const jobs = jobsByLuck(seed, random, START);
    const place: SeedPlace = random.pick(['machine', 'aws']);
    return {
      jobs,
      fate: (_, luck) => ({
        startMs: luck.between(100, 5_000),
        runMs: luck.between(100, 60_000),
        stopMs: luck.between(500, 10_000),
        ending: DONE,
      }),
      enact: (world) => {
        const watch = new StorageWatch(world, place);
        world.watchBy(watch);
        return {
          course: {
            kind: 'jobs',
            stormMs: STORAGE_STORM_MS,
            arrange: (happenings, did) => arrangeStorage(jobs, { random: happenings, world, watch, did }),
          },
          checkEnd: async () => {
            if (world.law.violations.length > 0) return;
            await passUntil(plusMs(world.time, SWEPT_MS), world);
            if (world.law.violations.length === 0) watch.checkSettled();
          },
        };
      },
    };
  },
};
