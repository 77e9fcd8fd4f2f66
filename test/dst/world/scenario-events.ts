import { asEpochMs } from '../../../shared/domain/base/time.ts';
import type { JobManifest } from '../../../shared/domain/manifests/manifest.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import { Random } from '../random.ts';
import type { SeedList } from './lists.ts';
import { indexActs } from './index-acts.ts';
import { Users } from './users.ts';
import type { Outage } from './fault-rates.ts';
import type { Part, World } from './world.ts';

/** The weather clears after this; from then on the Job must come to its end. */
export const STORM_MS = 2 * 3_600_000;
/** A user who wants to cut a Job short looks this often for a moment to do it. */
const CUT_TRIES_MAX = 60;
const CUT_AGAIN_MS = 2_000;
const CHANGES_MAX = 4;

/** What people do meanwhile, by the name under which a run counts it; the weather's own are among its faults. */
export const ACTS = [
  'suspended',
  'parallelism changed',
  'resized',
  'deleted',
  'held by a finalizer',
  'made anew under its name',
  'a Pod deleted',
  'all Pods deleted',
  'ended Pods deleted',
  'its list made anew',
  'indexes held',
  'indexes released',
  'indexes cancelled',
  'indexes requeued',
] as const;
export type Act = (typeof ACTS)[number];

/** The last is a whole region. */
const OUTAGES: readonly (readonly Part[])[] = [
  ['reconcile'],
  ['dispatch'],
  ['sweep', 'events'],
  ['reconcile', 'dispatch', 'sweep', 'events'],
  ['reconcile', 'dispatch', 'sweep', 'events'],
];
const WIDE_OUTAGES: readonly Outage[] = ['capacity gone', 'throttled for minutes', 'table throttled for minutes'];

/** null: it must happen, or the Job would not end; it cannot be skipped. */
type ScenarioEvent = { readonly at: number; readonly name: Act | 'weather' | null; readonly happen: () => void };

export type Arrangement = {
  /** Nothing more happens after this moment, but by the Jobs themselves. */
  readonly over: number;
  /** How many happenings there are, those that were left out too. */
  readonly count: number;
};

export type ArrangeWish = {
  readonly random: Random;
  readonly spec: StoredSpec;
  readonly lists: readonly SeedList[];
  /** The Job that takes the first one's name once it was deleted; null: there is none. */
  readonly next: StoredSpec | null;
  /** A Job whose rows cannot be read; null: there is none. */
  readonly damaged: StoredSpec | null;
  readonly world: World;
  readonly skip: readonly number[];
  readonly faultsMs: number;
  readonly did: (act: Act) => void;
};

/**
 * Arranges what people and the world do meanwhile: Jobs are suspended and resumed, resized, held, deleted and made anew, their
 * Pods deleted, too, mostly while they run; something is out of order for a while; somebody runs a task that looks like
 * ours. Once the weather has cleared, a Job that is suspended is resumed, and one that was to be deleted is.
 */
export function arrange(wish: ArrangeWish): Arrangement {
  const { world, spec, next, damaged, skip, faultsMs } = wish;
  const start = world.time;
  const uids = [spec, ...(next === null ? [] : [next])].map(({ identity }) => identity.uid);
  const plans: readonly ScenarioEvent[] = [
    ...uids.map((uid) => ({
      at: start + STORM_MS + 600_000,
      name: null,
      happen: () => setSuspend(uid, false, world),
    })),
    ...changes(wish, start),
    ...deletions(wish, start),
    ...renewals(wish, start),
    ...troubles(wish, start),
    ...(damaged === null ? [] : poisonings(wish.random, damaged, world, start)),
    ...operatorsActs(world, start),
    ...indexActs(spec, world, start, start + STORM_MS),
    ...removalsByTwo(spec.identity.uid, world, start),
  ];
  for (const uid of uids) lookAfterHanging(uid, world, start);
  const shortened = (at: number): boolean => faultsMs < STORM_MS && at > start + faultsMs;
  const isLeftOut = ({ at, name }: ScenarioEvent, nth: number): boolean =>
    name !== null && (skip.includes(nth) || shortened(at));
  const over = schedule(
    plans.filter((plan, nth) => !isLeftOut(plan, nth)),
    wish,
  );
  return { over, count: plans.length };
}

/**
 * A Job goes on for hours, and nobody cuts it short: its list is made anew, somebody changes its parallelism, the installation
 * gets another network, and a service is left that no Job needs.
 */
export function arrangeSlow(
  spec: StoredSpec,
  wish: Pick<ArrangeWish, 'random' | 'lists' | 'world' | 'did'>,
): Arrangement {
  const { random, world } = wish;
  const at = world.time + random.between(RENEWED_MIN_MS, 3 * RENEWED_MAX_MS);
  const soonAt = world.time + RENEWED_MIN_MS;
  const plans = [
    ...renewals(wish, world.time),
    parallelismChange(spec.identity.uid, at, 3, world),
    { at: soonAt, name: 'weather' as const, happen: () => world.changeStack() },
    { at: soonAt, name: 'weather' as const, happen: () => world.leaveStray() },
  ];
  return { over: schedule(plans, wish), count: plans.length };
}

function parallelismChange(uid: string, at: number, parallelism: number, world: World): ScenarioEvent {
  const happen = (): void =>
    new Users(world).changeManifest(uid, `sets parallelism to ${parallelism}`, (spec) => ({ ...spec, parallelism }));
  return { at, name: 'parallelism changed', happen };
}

/** Returns the moment after the last one. */
function schedule(plans: readonly ScenarioEvent[], { world, did }: Pick<ArrangeWish, 'world' | 'did'>): number {
  for (const { at, name, happen } of plans)
    world.schedule(asEpochMs(at), () => {
      if (name !== null && name !== 'weather') did(name);
      happen();
    });
  return Math.max(world.time, ...plans.map(({ at }) => at)) + 1;
}

function setSuspend(uid: string, suspend: boolean, world: World): void {
  const users = new Users(world);
  if (suspend) users.suspend(uid);
  else users.resume(uid);
}

function changes({ random, spec: { identity }, world }: ArrangeWish, start: number): readonly ScenarioEvent[] {
  const { uid } = identity;
  const suspend = (at: number, suspended: boolean): ScenarioEvent => ({
    at,
    name: 'suspended',
    happen: () => setSuspend(uid, suspended, world),
  });
  const plans: ScenarioEvent[] = [];
  for (let n = random.between(0, CHANGES_MAX); n > 0; n--) {
    const at = soon(random, start);
    if (random.chance(0.5))
      plans.push(suspend(at, true), suspend(at + random.pick([100, 5_000, 60_000, 600_000]), false));
    else plans.push(parallelismChange(uid, at, random.between(1, 12), world));
  }
  if (random.chance(0.35)) {
    for (let n = random.between(1, 3); n > 0; n--) {
      const share = random.next();
      const happen = (): void =>
        new Users(world).changeManifest(uid, 'resizes the Job', (spec) => resized(spec, share));
      plans.push({ at: start + random.between(5_000, 180_000), name: 'resized', happen });
    }
  }
  if (random.chance(0.2)) {
    const at = start + random.between(1_000, 60_000);
    plans.push({ at, name: 'resized', happen: () => cutShort(uid, world, CUT_TRIES_MAX) });
  }
  // By a number of its own, so that all else happens as it would without.
  const cuts = world.injector.luck('cut short');
  if (cuts.chance(0.5)) {
    world.injector.struck('cut short');
    const at = start + cuts.between(1_000, 60_000);
    plans.push({ at, name: 'resized', happen: () => cutShort(uid, world, CUT_TRIES_MAX) });
  }
  if (random.chance(0.5)) {
    for (let n = random.between(1, 6); n > 0; n--) {
      const at = start + random.between(5_000, random.pick([60_000, 180_000, 600_000]));
      const which = random.next();
      plans.push({ at, name: 'a Pod deleted', happen: () => deletePods(uid, world, which) });
    }
  }
  if (random.chance(0.3)) {
    const at = start + random.between(10_000, 30_000);
    plans.push({ at, name: 'all Pods deleted', happen: () => deletePods(uid, world, null) });
  }
  plans.push(...removals(uid, world, start));
  return plans;
}

/** People, and tools that tidy up, delete Pods that have ended: one, or all; some ask twice. */
function removals(uid: string, world: World, start: number): readonly ScenarioEvent[] {
  // By numbers of its own, so that all else happens as it would without.
  const random = world.injector.luck('ended Pods deleted');
  if (!random.chance(0.35)) return [];
  world.injector.struck('ended Pods deleted');
  const users = new Users(world);
  return Array.from({ length: random.between(1, 6) }).flatMap(() => {
    const at = start + random.between(1_000, random.pick([60_000, 180_000, 600_000, STORM_MS]));
    const which = random.chance(0.4) ? null : random.next();
    const act = (when: number): ScenarioEvent => ({
      at: when,
      name: 'ended Pods deleted',
      happen: () => users.deleteEnded(uid, which),
    });
    return random.chance(0.4) ? [act(at), act(at + random.between(0, 100))] : [act(at)];
  });
}

/** Two tools tidy up, while Pods end: the second looks when what the first has removed is not published yet. */
function removalsByTwo(uid: string, world: World, start: number): readonly ScenarioEvent[] {
  const random = world.injector.luck('Pods deleted by two');
  if (!random.chance(0.1)) return [];
  world.injector.struck('Pods deleted by two');
  const users = new Users(world);
  return Array.from({ length: random.between(6, 12) }).flatMap((): readonly ScenarioEvent[] => {
    const at = start + random.between(5_000, random.pick([60_000, 180_000, 600_000]));
    const laterMs = random.between(50, random.pick([150, 400, 2_000]));
    const name = 'ended Pods deleted';
    return [
      { at, name, happen: () => users.deleteEnded(uid, null, true) },
      { at: at + laterMs, name, happen: () => users.deleteEnded(uid, null) },
    ];
  });
}

function deletions({ random, spec, next, world }: ArrangeWish, start: number): readonly ScenarioEvent[] {
  const { uid } = spec.identity;
  const users = new Users(world);
  const calm = start + STORM_MS;
  if (!random.chance(0.15) && next === null) return [];
  const propagation = random.pick(['Background', 'Foreground'] as const);
  const remove = (): void => users.delete(uid, propagation);
  const at = next === null ? soon(random, start) : start + random.between(5_000, 600_000);
  const plans: ScenarioEvent[] = [
    { at, name: 'deleted', happen: remove },
    { at: calm + 2, name: next === null ? 'deleted' : null, happen: remove },
  ];
  if (next !== null) {
    const everyMs = random.pick([2_000, 20_000]);
    plans.push({ at: at + 1, name: null, happen: () => users.createWhenFree(next, everyMs, spec) });
  }
  if (random.chance(0.5)) {
    const hold = (finalizers: readonly string[]) => (): void => users.changeFinalizers(uid, finalizers);
    const from = start + random.between(1, 5_000);
    plans.push({ at: from, name: 'held by a finalizer', happen: hold(['example.com/hold']) });
    plans.push({ at: calm + 60_000, name: null, happen: hold([]) });
  }
  return plans;
}

function troubles({ random, spec: { identity }, world }: ArrangeWish, start: number): readonly ScenarioEvent[] {
  const plans: ScenarioEvent[] = [];
  if (random.chance(0.4)) {
    const parts = random.pick(OUTAGES);
    const forMs = 60_000 * random.pick([random.between(1, 10), random.between(70, 150)]);
    const at = start + random.between(500, random.pick([30_000, 60_000, 600_000]));
    plans.push({ at, name: 'weather', happen: () => world.breakDown(parts, forMs) });
  }
  if (random.chance(0.4)) {
    const outage = random.pick(WIDE_OUTAGES);
    const forMs = 60_000 * random.between(1, 10);
    const at = start + random.between(1, random.pick([10_000, 60_000, 600_000]));
    plans.push({ at, name: 'weather', happen: () => world.blow(outage, forMs) });
  }
  if (random.chance(0.3)) {
    const index = random.between(0, 30);
    plans.push({ at: soon(random, start), name: 'weather', happen: () => world.runOrphan(identity.uid, index) });
  }
  return plans;
}

/** The operator makes a mistake and mends it, or gives the installation another network. */
function operatorsActs(world: World, start: number): readonly ScenarioEvent[] {
  const [mistakes, changes] = [world.injector.luck('misconfigured'), world.injector.luck('stack changed')];
  const plans: ScenarioEvent[] = [];
  if (mistakes.chance(0.5)) {
    const forMs = mistakes.between(5_000, mistakes.pick([60_000, 3_600_000]));
    const at = start + mistakes.between(0, mistakes.pick([10_000, 300_000]));
    plans.push({ at, name: 'weather', happen: () => world.blow('misconfigured', forMs) });
  }
  if (changes.chance(0.5))
    for (let n = changes.between(1, 3); n > 0; n--) {
      const at = start + changes.between(500, changes.pick([60_000, 600_000]));
      plans.push({ at, name: 'weather', happen: () => world.changeStack() });
    }
  return plans;
}

/** Messages that nobody can process, now and then. */
function poisonings(random: Random, damaged: StoredSpec, world: World, start: number): readonly ScenarioEvent[] {
  const { uid } = damaged.identity;
  const poison = (at: number): ScenarioEvent => ({ at, name: 'weather', happen: () => void world.poison(uid) });
  return [
    { at: start, name: 'weather', happen: () => void world.damage(damaged) },
    ...Array.from({ length: random.between(3, 8) }, () => poison(start + random.between(1_000, 120_000))),
  ];
}

const soon = (random: Random, start: number): number =>
  start + random.between(500, random.pick([60_000, 600_000, STORM_MS]));

/** An elastic Job: completions and parallelism become the same other number. A success policy's list needs its indexes. */
const resized = (spec: JobManifest['spec'], share: number): JobManifest['spec'] =>
  sized(spec, Math.round(1.3 * share * Math.max(spec.completions ?? 0, 15)));

/** As soon as there is an index that is done while one before it is at work, it is cut off: its success counts no more. */
function cutShort(uid: string, world: World, tries: number): void {
  const last = world.watchdog.doneEarly(uid);
  if (last !== null)
    return new Users(world).changeManifest(uid, 'cuts the Job short', (spec) =>
      last < (spec.completions ?? 0) ? sized(spec, last) : spec,
    );
  if (tries > 0) world.schedule(asEpochMs(world.time + CUT_AGAIN_MS), () => cutShort(uid, world, tries - 1));
}

/** Soon after a Job was created, or while it runs: its tasks go on with the items that it was created with. */
const renewals = ({ lists, world }: Pick<ArrangeWish, 'lists' | 'world'>, start: number): readonly ScenarioEvent[] =>
  lists
    .filter(({ isNamed }) => isNamed)
    .map((list) => {
      const random = new Random(list.count, `${list.uid} is made anew`);
      const happen = (): void => {
        // The user who creates the Job may have to try again; without its list that would be in vain.
        if (world.watchdog.jobs.has(list.uid)) new Users(world).replaceList(list);
        else world.schedule(asEpochMs(world.time + RENEWED_MIN_MS), happen);
      };
      return { at: start + random.between(RENEWED_MIN_MS, RENEWED_MAX_MS), name: 'its list made anew', happen };
    });

const RENEWED_MIN_MS = 120_000;
/** Soon enough for its items to be removed, were they not reserved, before the last tasks are launched. */
const RENEWED_MAX_MS = 20 * 60_000;

function sized(spec: JobManifest['spec'], size: number): JobManifest['spec'] {
  const { completions, completionMode, successPolicy, maxFailedIndexes } = spec;
  if (completionMode !== 'Indexed' || completions === undefined || successPolicy !== undefined) return spec;
  const failedMax = maxFailedIndexes === undefined ? {} : { maxFailedIndexes: Math.min(maxFailedIndexes, size) };
  return { ...spec, ...failedMax, completions: size, parallelism: size };
}

/** Of a gang, some Pods are deleted one by one, and nothing else happens to it. */
export function arrangeGang(
  { identity: { uid } }: StoredSpec,
  { random, world, did }: Pick<ArrangeWish, 'random' | 'world' | 'did'>,
): Arrangement {
  const plans = Array.from({ length: random.between(0, 4) }, (): ScenarioEvent => {
    const which = random.next();
    const at = world.time + random.between(20_000, 600_000);
    return { at, name: 'a Pod deleted', happen: () => deletePods(uid, world, which) };
  });
  return { over: asEpochMs(schedule(plans, { world, did })), count: plans.length };
}

/** One, or (null) all at once, as one command does it: more than may be replaced before they have stopped, if the Job is large. */
function deletePods(uid: string, world: World, which: number | null): void {
  const users = new Users(world);
  const pods = world.watchdog.podsOf(uid);
  const some = which === null ? pods : pods.slice(Math.floor(which * pods.length)).slice(0, 1);
  for (const { index, attempt, nonce } of some.slice(0, DELETED_AT_ONCE_MAX))
    users.deletePod(uid, { index, attempt, nonce });
}

const DELETED_AT_ONCE_MAX = 1_200;

/** Somebody looks after tasks that hang, and deletes the Pod of each until the Job says that it is being deleted. */
function lookAfterHanging(uid: string, world: World, now: number): void {
  world.schedule(asEpochMs(now + HANGS_AFTER_MS), () => {
    const users = new Users(world);
    for (const id of world.watchdog.hangingSince(uid, asEpochMs(world.time - HANGS_AFTER_MS))) users.deletePod(uid, id);
    lookAfterHanging(uid, world, world.time);
  });
}

const HANGS_AFTER_MS = 30 * 60_000;
