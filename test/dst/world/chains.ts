import { ANNOTATIONS } from '../../../shared/domain/manifests/annotations.ts';
import { type JobUid, asJobUid } from '../../../shared/domain/base/ids.ts';
import { asEpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import { aJob } from '../../support/a-job.ts';
import type { Random } from '../random.ts';
import { type Act, type Arrangement, STORM_MS } from './scenario-events.ts';
import { Users } from './users.ts';
import { START, type World } from './world.ts';

/** Jobs that wait for one another, each for some of those before it. */
export function chainByLuck(seed: number, random: Random): readonly StoredSpec[] {
  const jobs: { readonly name: string; readonly completions: number; readonly spec: StoredSpec }[] = [];
  for (let n = random.between(3, 6); n > 0; n--) {
    const name = `step-${jobs.length}`;
    const before = jobs.filter(() => random.chance(0.5)).slice(-2);
    const [model, ...others] = before.length === 0 && jobs.length > 0 ? jobs.slice(-1) : before;
    const byIndex = model !== undefined && random.chance(0.6);
    const perIndex = byIndex ? random.pick([1, 1, 2, 3]) : 1;
    const completions = byIndex ? Math.ceil(model.completions / perIndex) : random.between(1, 12);
    const after = [...(model === undefined || byIndex ? [] : [model]), ...others].map(
      (each) => each.name + random.pick(['', '', ':complete', ':finished', ':failed']),
    );
    const annotations = {
      ...(after.length === 0 ? {} : { [ANNOTATIONS.after]: after.join(', ') }),
      ...(byIndex ? { [ANNOTATIONS.afterIndexes]: perIndex === 1 ? model.name : `${model.name}/${perIndex}` } : {}),
    };
    jobs.push({ name, completions, spec: aStep(`sim-${seed}-${name}`, name, completions, annotations, random) });
  }
  return jobs.map(({ spec }) => spec);
}

function aStep(
  uid: string,
  name: string,
  completions: number,
  annotations: Record<string, string>,
  random: Random,
): StoredSpec {
  const isNumbered = random.chance(0.5);
  const plain = { uid, name, completions, annotations, createdAt: START };
  const stored = aJob({
    ...plain,
    parallelism: random.between(1, 6),
    backoffLimit: isNumbered ? 2_147_483_647 : random.between(0, 6),
    suspend: random.chance(0.1),
  });
  if (!isNumbered) return stored;
  const spec = { ...stored.manifest.spec, backoffLimitPerIndex: random.between(0, 2) };
  return { ...stored, manifest: { ...stored.manifest, spec } };
}

/** One Job of two chunks, and one whose indexes wait for its indexes. Those run that are near the chunks' border: all take minutes. */
export function largeChain(seed: number): readonly StoredSpec[] {
  const plain = { completions: 4_200, parallelism: 60, backoffLimit: 10_000, createdAt: START };
  const indexes = { [ANNOTATIONS.indexes]: '3950-4199' };
  const waits = { ...indexes, [ANNOTATIONS.afterIndexes]: 'map' };
  return [
    aJob({ ...plain, uid: `sim-${seed}-map`, name: 'map', annotations: indexes }),
    aJob({ ...plain, uid: `sim-${seed}-merge`, name: 'merge', annotations: waits }),
  ];
}

/** The Job that takes the name of this one, if it is deleted; it may come after the last who resumes anything. */
function renewed({ identity, manifest, ...rest }: StoredSpec): StoredSpec {
  const uid = asJobUid(`${identity.uid}-anew`);
  const spec = { ...manifest.spec, suspend: false };
  return { ...rest, identity: { ...identity, uid }, manifest: { ...manifest, spec } };
}

type ChainWish = { readonly random: Random; readonly world: World; readonly did: (act: Act) => void };

/** A user whose call has died tries again. */
const RETRY_MS = 60_000;

/**
 * People create the Jobs in any order, within minutes; they suspend, resume, and delete some. In calm weather they resume what is
 * suspended, and delete what waits for a Job that will never be there.
 */
export function arrangeChain(
  jobs: readonly StoredSpec[],
  { random, world, did }: ChainWish,
): Arrangement & { readonly uids: readonly JobUid[] } {
  const uids = jobs.map(({ identity }) => identity.uid);
  const users = new Users(world);
  const withinMs = random.pick([1_000, 60_000, 600_000]);
  const calm = START + STORM_MS;
  // Some Jobs come when nothing is lost any more: then none may be late.
  const begin = random.chance(0.3) ? calm + CALM_MS : START;
  const resumedAt = calm + CALM_MS + 1_200_000;
  let over: number = calm;
  const at = (moment: number, happen: () => void, act: Act | null = null): void => {
    over = Math.max(over, moment);
    world.schedule(asEpochMs(moment), () => {
      if (act !== null) did(act);
      happen();
    });
  };
  for (const spec of jobs) {
    const { uid } = spec.identity;
    at(begin + random.between(0, withinMs), () => users.createWhenFree(spec, RETRY_MS));
    if (random.chance(0.25)) {
      const from = begin + random.between(500, 600_000);
      at(from, () => users.suspend(uid), 'suspended');
      at(from + random.pick([5_000, 60_000, 900_000]), () => users.resume(uid), 'suspended');
    }
    if (random.chance(0.3)) {
      const from = begin + random.between(1_000, random.pick([30_000, 900_000]));
      at(from, () => users.delete(uid, 'Background'), 'deleted');
      if (random.chance(0.7)) {
        const anew = renewed(spec);
        uids.push(anew.identity.uid);
        at(from + 1, () => users.createWhenFree(anew, RETRY_MS, spec), 'made anew under its name');
        at(calm + ABANDONED_MS, () => abandon(anew, world));
        at(resumedAt + 1, () => users.delete(uid, 'Background'));
      }
    }
    at(resumedAt, () => users.resume(uid));
    at(calm + ABANDONED_MS, () => abandon(spec, world));
  }
  return { over: over + 1, count: 0, uids };
}

const CALM_MS = 900_000;
/** What waits for long for a Job that nobody creates again is deleted. */
const ABANDONED_MS = 3_600_000;

function abandon(spec: StoredSpec, world: World): void {
  const { uid } = spec.identity;
  const status = world.watchdog.jobs.get(uid)?.status;
  const isVain = status?.phase.kind === 'suspended' && status.upstreams.some((each) => each.uid === null);
  if (isVain) new Users(world).delete(uid, 'Background');
  if (status?.phase.kind === 'suspended') world.schedule(plusMs(world.time, ABANDONED_MS), () => abandon(spec, world));
}
