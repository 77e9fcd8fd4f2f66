import { type EpochMs, plusMs } from '../../shared/domain/base/time.ts';
import type { JobUid } from '../../shared/domain/base/ids.ts';
import { DELETED_VERSION, type Status } from '../../shared/domain/scoreboard/status.ts';
import { openNamespace } from '../support/a-namespace.ts';
import type { Watched } from './checks/commits.ts';
import { checkFairness, checkShares } from './checks/fairness.ts';
import { type Arrangement, STORM_MS, arrange, arrangeGang, arrangeSlow } from './world/scenario-events.ts';
import { type Guarantee, type Violation, textOf } from './checks/law.ts';
import type { Playing } from './play.ts';
import { STEPS_MAX, passUntil } from './world/pass-until.ts';
import { checkRecords } from './checks/records-stored.ts';
import { RECEIVES_MAX } from './world/post-office.ts';
import { Random } from './random.ts';
import { type Scenario, scenarioOf } from './scenario.ts';
import type { Story } from './story.ts';
import { CronUsers } from './world/cron-users.ts';
import { CRON_CALM_MS, CRON_REPAIRED_MS, STORM_MIN, type SeedCron } from './world/seed-cron.ts';
import { arrangeChain } from './world/chains.ts';
import { storeList } from './world/lists.ts';
import { arrangeRecall } from './recalls/recalled-jobs.ts';
import { Submitters } from './world/submitters.ts';
import { Users } from './world/users.ts';
import { AS_IS, type Variation } from './variation.ts';
import type { CrashPoints } from './world/calls.ts';
import type { Fault } from './world/fault-rates.ts';
import { START, World } from './world/world.ts';

/** An attempt that only the look-ups can find takes 40 minutes; some such in a row. */
const CALM_MS = 24 * 3_600_000;

export type SeedResult = {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** The same in words. */
  readonly broken: readonly string[];
  readonly steps: number;
  readonly crashPoints: CrashPoints;
  /** In the world's time. */
  readonly tookMs: number;
  readonly verdict: string;
  readonly faults: ReadonlyMap<Fault, number>;
  readonly acts: ReadonlyMap<string, number>;
  readonly sights: ReadonlyMap<string, number>;
  readonly checks: ReadonlyMap<Guarantee, number>;
  /** How many happenings the seed has, for who wants to skip some. */
  readonly happenings: number;
};

/** Runs one seed from an empty store to the end of all its Jobs. The same seed and variation run the same way, always. */
export async function runSeed(seed: number, variation: Variation = AS_IS): Promise<SeedResult> {
  return (await run(seed, variation, false)).result;
}

/** The same run, and what happened in it. */
export async function tellSeed(
  seed: number,
  variation: Variation,
): Promise<{ readonly result: SeedResult; readonly story: Story }> {
  const { result, world } = await run(seed, variation, true);
  if (world.story === null) throw new Error('nobody has told this run');
  return { result, story: world.story };
}

async function run(seed: number, variation: Variation, told: boolean) {
  const scenario = scenarioOf(seed, variation);
  const { played } = scenario;
  const needs = played?.play.needs;
  const world = new World({ ...scenario, seed, without: new Set(variation.without), told, ...(needs && { needs }) });
  const playing = played?.enact(world) ?? null;
  const acts = new Map<string, number>();
  const did = (act: string): void => void acts.set(act, (acts.get(act) ?? 0) + 1);
  const namespaces = new Set(['default', ...scenario.jobs.map(({ identity }) => identity.namespace)]);
  for (const namespace of namespaces) await openNamespace(world.store.objects, namespace, START);
  await putLists(scenario, world);
  await playing?.begin?.();
  const owned = await runOwner(seed, scenario, playing, world);
  const { uids, arrangement } =
    owned === null
      ? begin(seed, scenario, variation, { playing, world, did })
      : { uids: owned, arrangement: { over: START, count: 0 } };
  const stormMs = playing?.course.kind === 'jobs' ? playing.course.stormMs : STORM_MS;
  await goOn(uids, arrangement, owned === null ? (variation.faultsMs ?? stormMs) : 0, { playing, world });
  await playing?.checkEnd?.();
  await checkEnd(scenario, uids, world);
  const sights = new Map<string, number>(world.sights.counts);
  for (const uid of uids)
    for (const [sight, times] of world.watchdog.jobs.get(uid)?.sights.counts ?? [])
      sights.set(sight, (sights.get(sight) ?? 0) + times);
  const { violations, checks } = world.law;
  const result: SeedResult = {
    seed,
    violations,
    broken: violations.map(textOf),
    steps: world.steps,
    crashPoints: world.crashPoints,
    tookMs: world.time - START,
    verdict: uids.map((uid) => standingOf(world.watchdog.jobs.get(uid)?.status)).join('; '),
    faults: world.injector.faults,
    acts,
    sights,
    checks,
    happenings: arrangement.count,
  };
  return { result, world };
}

/** The lists that Jobs name are there before the Jobs. */
async function putLists({ lists }: Scenario, world: World): Promise<void> {
  for (const list of lists) {
    world.watchdog.expectItems(list);
    if (list.isNamed) await storeList(list, world.store, START);
  }
}

type Begun = { readonly playing: Playing | null; readonly world: World; readonly did: (act: string) => void };

function begin(seed: number, scenario: Scenario, variation: Variation, { playing, world, did }: Begun) {
  const { jobs, next, damaged, kind } = scenario;
  const [first, ...others] = jobs;
  if (first === undefined) throw new Error('a scenario without a Job');
  if (kind === 'chain') {
    const wish = { random: new Random(seed, 'happenings'), world, did };
    const { uids, ...arrangement } = arrangeChain(jobs, wish);
    return { uids, arrangement };
  }
  if (playing?.course.kind === 'jobs') {
    const arrangement = playing.course.arrange(new Random(seed, 'happenings'), did);
    return { uids: jobs.map(({ identity }) => identity.uid), arrangement };
  }
  const users = new Users(world);
  users.createWhenFree(first, RETRY_MS);
  const uids = [...jobs, ...(next === null ? [] : [next])].map(({ identity }) => identity.uid);
  if (kind === 'fair') {
    // The large Job is in full swing when the small one comes.
    for (const spec of others) world.schedule(plusMs(START, 15_000), () => users.create(spec));
    return { uids, arrangement: { over: START + 15_001, count: 0 } };
  }
  if (kind === 'teams') {
    for (const spec of others) users.create(spec);
    return { uids, arrangement: { over: START + 1, count: 0 } };
  }
  if (scenario.recall !== undefined)
    return { uids, arrangement: arrangeRecall(first, scenario.recall, { world, did }) };
  // Nobody cuts short what is to go on for hours.
  if (kind === 'crowded') return { uids, arrangement: { over: START + 1, count: 0 } };
  if (kind === 'gang') {
    const wish = { random: new Random(seed, 'happenings'), world, did };
    return { uids, arrangement: arrangeGang(first, wish) };
  }
  if (kind === 'slow') {
    for (const spec of others) world.schedule(plusMs(START, BESIDE_MS), () => users.createWhenFree(spec, RETRY_MS));
    const wish = { random: new Random(seed, 'happenings'), lists: scenario.lists, world, did };
    return { uids, arrangement: arrangeSlow(first, wish) };
  }
  const arrangement = arrange({
    random: new Random(seed, 'happenings'),
    spec: first,
    next,
    damaged,
    lists: scenario.lists,
    world,
    skip: variation.skip,
    faultsMs: variation.faultsMs ?? STORM_MS,
    did,
  });
  if (next !== null) did('made anew under its name');
  return { uids, arrangement };
}

/** The Jobs of a seed that is about their owner; null: it is about Jobs. */
async function runOwner(
  seed: number,
  scenario: Scenario,
  playing: Playing | null,
  world: World,
): Promise<readonly JobUid[] | null> {
  if (scenario.cron !== null) return runCron(scenario.cron, submittersOf(seed, scenario, world), world);
  return playing?.course.kind === 'owner' ? playing.course.run() : null;
}

/** By numbers of its own, so that what else happens is as it would be without. */
const submittersOf = (seed: number, { submits }: Scenario, world: World): Submitters | null =>
  submits ? new Submitters(world, new Random(seed, 'messages')) : null;

/** A CronJob in bad weather, then in calm, then deleted. Returns the Jobs that it made. */
async function runCron(cron: SeedCron, submitters: Submitters | null, world: World): Promise<readonly JobUid[]> {
  const { cronWatch, law } = world;
  const users = new CronUsers(world, cron);
  const until = async (moment: EpochMs): Promise<void> => passUntil(moment, world);
  cronWatch.expect(cron);
  users.create();
  submitters?.start();
  for (const { afterMs, kind } of cron.acts) world.schedule(plusMs(START, afterMs), () => users.act(kind));
  await until(plusMs(START, STORM_MIN * 60_000));
  world.clear();
  users.suspend(false);
  await until(plusMs(world.time, CRON_REPAIRED_MS));
  const calm = world.time;
  await until(plusMs(calm, CRON_CALM_MS));
  if (law.violations.length > 0) return [];
  cronWatch.checkCalm(calm);
  users.suspend(true);
  await until(plusMs(world.time, CRON_REPAIRED_MS));
  if (law.violations.length > 0) return [];
  await cronWatch.checkStanding(world.store);
  world.submitWatch.checkAll(submitters?.sources() ?? []);
  users.remove();
  await until(plusMs(world.time, CRON_REPAIRED_MS));
  await cronWatch.checkGone(world.store);
  return [...world.watchdog.jobs.keys()];
}

/** Processes have read most of the slow Job's items by then. */
const BESIDE_MS = 60 * 60_000;
/** Whose call has died tries again. */
const RETRY_MS = 60_000;

/** Until nothing is left to be done, a guarantee is broken, or the patience is over. */
async function goOn(
  uids: readonly JobUid[],
  { over }: Arrangement,
  faultsMs: number,
  { playing, world }: Pick<Begun, 'playing' | 'world'>,
): Promise<void> {
  const { watchdog, law, mail } = world;
  const until = plusMs(START, faultsMs);
  let cleared = false;
  let lookAt = until;
  let clearSince: EpochMs | null = null;
  while (world.steps < STEPS_MAX && law.violations.length === 0) {
    if (!cleared && world.time > until) {
      world.clear();
      cleared = true;
    }
    const settled = world.time > over && world.time > mail.staleUntil + STALE_GRACE_MS && allQuiet(uids, world);
    if (settled && watchdog.liveOrphans() === 0 && isTidy(world)) return;
    if (world.time > Math.max(until, mail.staleUntil) + CALM_MS) return;
    if (cleared && world.time >= lookAt) {
      if (world.isUp()) for (const part of world.parts) part.checkSettled?.();
      clearSince = world.isUp() ? (clearSince ?? world.time) : null;
      if (clearSince !== null) {
        watchdog.checkRepairs(clearSince);
        for (const part of world.parts) part.checkCalm?.(clearSince);
        world.upstreamWatch.checkStarts(clearSince);
        playing?.checkCalm?.(clearSince);
      }
      lookAt = plusMs(world.time, LOOK_EVERY_MS);
    }
    await world.step();
  }
}

const LOOK_EVERY_MS = 60_000;

/** What parts of the world have of Jobs that are over. */
const leftIn = ({ parts }: World): readonly string[] =>
  parts.flatMap(({ left }) => {
    const what = left?.() ?? null;
    return what === null ? [] : [what];
  });

/** Nothing is left of any Job. */
const isTidy = (world: World): boolean => leftIn(world).length === 0;

/** Handlers that have the last stale event in hand are through with it. */
const STALE_GRACE_MS = 5_000;

async function checkEnd({ kind, jobs, damaged }: Scenario, uids: readonly JobUid[], world: World): Promise<void> {
  const { law, watchdog, mail } = world;
  if (law.violations.length > 0) return;
  for (const uid of uids) {
    const watched = watchdog.jobs.get(uid);
    const standing = standingOf(watched?.status);
    law.of(uid)(
      watched === undefined || !isQuiet(watched),
      'G8',
      () => `no end: ${standing} after ${world.steps} steps`,
    );
  }
  if (law.violations.length > 0) return;
  for (const uid of uids) {
    watchdog.checkTruth(uid);
    const watched = watchdog.jobs.get(uid);
    if (watched !== undefined) await checkRecords(uid, watched, world.store.jobs, law.of(uid));
  }
  for (const part of world.parts) part.checkEnd?.(kind === 'fair' || kind === 'teams');
  law.forbid(!isTidy(world), 'G7', () => `${leftIn(world).join(', ')} are left when all Jobs are over`);
  if (damaged !== null)
    law.forbid(
      mail.poison.received > RECEIVES_MAX * world.injector.times('poison message') && mail.poison.dead === 0,
      'G9',
      () => `nobody can process what was received ${mail.poison.received} times, and nothing of it is a dead letter`,
    );
  if (kind === 'fair') checkFairness(uids, watchdog, law);
  if (kind === 'teams') checkShares(jobs, watchdog, law);
  const deleted = uids.filter((uid) => watchdog.jobs.get(uid)?.status.phase.kind === 'deleted');
  for (const uid of deleted) await world.checkForgotten(uid);
}

const allQuiet = (uids: readonly JobUid[], { watchdog }: World): boolean =>
  uids.every((uid) => {
    const watched = watchdog.jobs.get(uid);
    return watched !== undefined && isQuiet(watched);
  });

/** Over, and nothing more is to be done about it. */
const isQuiet = ({ status, spec, publishedVersion }: Watched): boolean =>
  (status.phase.kind === 'deleted' && publishedVersion === DELETED_VERSION && status.alarms.length === 0) ||
  (status.phase.kind === 'finished' && status.alarms.length === 0 && spec.ttlSecAfterFinished === null);

const standingOf = (status: Status | undefined): string => {
  if (status === undefined) return 'never created';
  const { phase, failed, version } = status;
  return `${phase.kind}${phase.kind === 'finished' ? ` ${phase.verdict.reason}` : ''}, failed ${failed}, version ${version}`;
};
