import type { Play } from '../play.ts';
import { findPod } from '../../../shared/kube/pods/find-pod.ts';
import { BARE_POD_ACTS, BARE_POD_STORM_MS, apiOf, arrangeBarePods } from './bare-pod-users.ts';
import { BarePodWatch } from './bare-pod-watch.ts';
import { fateByLuck, jobsByLuck, podsByLuck } from './seed-bare-pods.ts';

/** Pods that no Job owns, which come and go under a few names, beside a Job or two. */
export const BARE_POD_PLAY: Play = {
  guarantee: 'G29',
  acts: BARE_POD_ACTS,
  needs: { sights: ['bare Pod made again', 'bare Pod restarted', 'bare Pod lost', 'bare Pod succeeded'] },
  has: (seed) => seed % 40 === 32,
  seed: (seed, random) => {
    const jobs = jobsByLuck(seed, random);
    const pods = podsByLuck(seed, random);
    const all = pods.flat();
    return {
      jobs: [...jobs, ...all.map(({ spec }) => spec)],
      fate: fateByLuck(all),
      enact: (world) => {
        const watch = new BarePodWatch(world, all);
        world.watchBy(watch);
        return {
          course: {
            kind: 'jobs',
            stormMs: BARE_POD_STORM_MS,
            arrange: (happenings, did) => arrangeBarePods({ jobs, pods, random: happenings, world, watch, did }),
          },
          checkCalm: (clearSince) => watch.checkCalm(clearSince),
          checkEnd: async () => {
            if (world.law.violations.length > 0) return;
            const reads = apiOf({ ...world.store, clock: { now: () => world.time, sleep: async () => undefined } });
            await watch.checkEnd(async (name) => {
              const found = await findPod('default', name, reads);
              return found && { uid: found.view.spec.identity.uid, phase: found.pod.status.phase ?? '' };
            });
          },
        };
      },
    };
  },
};
