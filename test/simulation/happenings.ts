import { deletePod } from '../../shared/control/job-changes.ts';
import { type EpochMs, type JobUid, asEpochMs } from '../../shared/domain/brand.ts';
import type { JobManifest } from '../../shared/domain/manifest.ts';
import type { Random } from './random.ts';
import type { Part, World } from './world.ts';

/** The weather clears after this; from then on the Job must come to its end. */
export const STORM_MS = 2 * 3_600_000;
const CHANGES_MAX = 4;

/** The last is a whole region. */
const OUTAGES: readonly (readonly Part[])[] = [
  ['reconcile'],
  ['dispatch'],
  ['sweep', 'events'],
  ['reconcile', 'dispatch', 'sweep', 'events'],
  ['reconcile', 'dispatch', 'sweep', 'events'],
];

type Happening = { readonly at: number; readonly act: () => void };

/**
 * Arranges what people and the world do meanwhile: Jobs are suspended and resumed, resized, held and deleted, their Pods, too,
 * mostly while they run; something is out of order for a while; somebody runs a task that looks like ours. Once the
 * weather has cleared, a Job that is suspended is resumed, and one that was to be deleted is. The moment after the last.
 */
export function happenings(random: Random, uid: JobUid, world: World): EpochMs {
  const start = world.time;
  const calm = start + STORM_MS;
  const soon = (): number => start + random.between(500, random.pick([60_000, 600_000, STORM_MS]));
  const change = (at: number, suspend: boolean): Happening => ({
    at,
    act: () => world.changeManifest(uid, (spec) => (spec.suspend === suspend ? spec : { ...spec, suspend })),
  });
  const plans: Happening[] = [change(calm + 600_000, false)];
  for (let n = random.between(0, CHANGES_MAX); n > 0; n--) {
    const at = soon();
    if (random.chance(0.5))
      plans.push(change(at, true), change(at + random.pick([100, 5_000, 60_000, 600_000]), false));
    else {
      const parallelism = random.between(1, 12);
      plans.push({ at, act: () => world.changeManifest(uid, (spec) => ({ ...spec, parallelism })) });
    }
  }
  if (random.chance(0.35)) {
    for (let n = random.between(1, 3); n > 0; n--) {
      const share = random.next();
      const act = (): void => world.changeManifest(uid, (spec) => resized(spec, share));
      plans.push({ at: start + random.between(5_000, 180_000), act });
    }
  }
  if (random.chance(0.15)) {
    const propagation = random.pick(['Background', 'Foreground'] as const);
    const remove = (): void => world.deleteJob(uid, propagation);
    plans.push({ at: soon(), act: remove }, { at: calm + 2, act: remove });
    if (random.chance(0.5)) {
      const hold = (finalizers: readonly string[]) => (): void => world.changeFinalizers(uid, finalizers);
      plans.push({ at: start + random.between(1, 5_000), act: hold(['example.com/hold']) });
      plans.push({ at: calm + 60_000, act: hold([]) });
    }
  }
  if (random.chance(0.4)) {
    const parts = random.pick(OUTAGES);
    const forMs = 60_000 * random.pick([random.between(1, 10), random.between(70, 150)]);
    const at = start + random.between(500, random.pick([30_000, 60_000, 600_000]));
    plans.push({ at, act: () => world.breakDown(parts, forMs) });
  }
  if (random.chance(0.3)) {
    const index = random.between(0, 30);
    plans.push({ at: soon(), act: () => world.runStranger(uid, index) });
  }
  if (random.chance(0.5)) {
    for (let n = random.between(1, 6); n > 0; n--) {
      const at = start + random.between(5_000, random.pick([60_000, 180_000, 600_000]));
      plans.push({ at, act: () => deleteSomePod(random, uid, world) });
    }
  }
  if (random.chance(0.3)) {
    plans.push({ at: start + random.between(10_000, 30_000), act: () => deleteAllPods(uid, world) });
  }
  world.schedule(asEpochMs(start + HANGS_AFTER_MS), () => deleteWhatHangs(uid, world));
  for (const { at, act } of plans) world.schedule(asEpochMs(at), act);
  return asEpochMs(Math.max(...plans.map(({ at }) => at)) + 1);
}

/** An elastic Job: completions and parallelism become the same other number. A success policy's list needs its indexes. */
function resized(spec: JobManifest['spec'], share: number): JobManifest['spec'] {
  const { completions, completionMode, successPolicy, maxFailedIndexes } = spec;
  if (completionMode !== 'Indexed' || completions === undefined || successPolicy !== undefined) return spec;
  const size = Math.round(1.3 * share * Math.max(completions, 15));
  const failedMax = maxFailedIndexes === undefined ? {} : { maxFailedIndexes: Math.min(maxFailedIndexes, size) };
  return { ...spec, ...failedMax, completions: size, parallelism: size };
}

function deleteSomePod(random: Random, uid: JobUid, world: World): void {
  const pods = world.watchdog.podsOf(uid);
  if (pods.length === 0) return;
  const { index, attempt, nonce } = random.pick(pods);
  world.user((deps) => deletePod(uid, { index, attempt, nonce }, deps));
}

/** At once, as one command does it: more than may be replaced before they have stopped, if the Job is large. */
function deleteAllPods(uid: JobUid, world: World): void {
  for (const { index, attempt, nonce } of world.watchdog.podsOf(uid).slice(0, DELETED_AT_ONCE_MAX))
    world.user((deps) => deletePod(uid, { index, attempt, nonce }, deps));
}

const DELETED_AT_ONCE_MAX = 1_200;

/** Somebody looks after tasks that hang, and deletes the Pod of each until the Job says that it is being deleted. */
function deleteWhatHangs(uid: JobUid, world: World): void {
  for (const id of world.watchdog.hangingSince(uid, asEpochMs(world.time - HANGS_AFTER_MS)))
    world.user((deps) => deletePod(uid, id, deps));
  world.schedule(asEpochMs(world.time + HANGS_AFTER_MS), () => deleteWhatHangs(uid, world));
}

const HANGS_AFTER_MS = 30 * 60_000;
