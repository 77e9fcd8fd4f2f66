import type { Play } from '../../../../../test/dst/play.ts';
import { DONE } from '../../../../../test/dst/world/fates.ts';
import { START } from '../../../../../test/dst/world/world.ts';
import { aJob } from '../../../../../test/support/a-job.ts';
import { createMemorySealer } from './memory-sealer.ts';
import { SECRET_STORM_MS, arrangeSecrets } from './secret-users.ts';
import { SecretWatch } from './secret-watch.ts';

/** ConfigMaps and Secrets of people who write and read them in bad weather, beside a small Job. */
export const SECRET_PLAY: Play = {
  guarantee: 'G28',
  acts: [],
  needs: { sights: ['a Secret deleted'] },
  has: (seed) => seed % 40 === 20,
  seed: (seed) => {
    const jobs = [aJob({ uid: `sim-${seed}`, name: 'work', createdAt: START, completions: 2, parallelism: 2 })];
    return {
      jobs,
      fate: (_, luck) => ({
        startMs: luck.between(100, 5_000),
        runMs: luck.between(100, 60_000),
        stopMs: luck.between(500, 5_000),
        ending: DONE,
      }),
      enact: (world) => {
        const watch = new SecretWatch(world);
        world.watchBy(watch);
        const sealer = createMemorySealer();
        return {
          course: {
            kind: 'jobs',
            stormMs: SECRET_STORM_MS,
            arrange: (random) => arrangeSecrets(jobs, { random, world, watch, sealer }),
          },
        };
      },
    };
  },
};
