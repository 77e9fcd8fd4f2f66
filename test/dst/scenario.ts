import type { Fate } from '../../shared/adapters/memory/memory-tasks.ts';
import type { StoredSpec } from '../../shared/ports/job-store.ts';
import type { Launch } from '../../shared/ports/tasks.ts';
import { aJob } from '../support/a-job.ts';
import { type SeedCron, cronByLuck } from './world/seed-cron.ts';
import { chainByLuck, largeChain } from './world/chains.ts';
import { DONE, FAILED, easyFate, fatesOf } from './world/fates.ts';
import type { Play, PlayedSeed } from './play.ts';
import { PLAYS } from './plays.ts';
import { Random } from './random.ts';
import { type SeedList, listByLuck, withNamedList } from './world/lists.ts';
import { type Recall, recallByLuck, recalledFate, recalledJob } from './recalls/recalled-jobs.ts';
import { rerunByLuck } from './world/reruns.ts';
import { withJudgement } from './world/judged-jobs.ts';
import { gangFate, withGang } from './world/gang-jobs.ts';
import { endsTogether, twinFate, withDeadlines, withRules } from './world/ruled-jobs.ts';
import { specFor } from './world/specs.ts';
import type { Variation } from './variation.ts';
import { CALM, type FaultRates, mild, faultRatesOf } from './world/fault-rates.ts';
import { type Deprovisioning, START } from './world/world.ts';

/** What a seed is about, before anything has happened. */
export type Scenario = {
  readonly kind: 'storm' | 'fair' | 'teams' | 'crowded' | 'slow' | 'cron' | 'chain' | 'gang' | 'recall' | 'played';
  readonly faultRates: FaultRates;
  readonly jobs: readonly StoredSpec[];
  /** In place of Jobs: a CronJob that makes them; null: there is none. */
  readonly cron: SeedCron | null;
  /** It is about what a capability plays; omitted: about none of that. */
  readonly played?: { readonly play: Play; readonly enact: PlayedSeed['enact'] };
  /** At some moment nobody wants what waits for its launch; omitted: as users and the weather have it. */
  readonly recall?: Recall;
  /** Messages make Jobs of its template, too. */
  readonly submits: boolean;
  /** Lists of the first Job, and of the one that takes its name. */
  readonly lists: readonly SeedList[];
  /** Takes the first Job's name once that was deleted; null: there is none. */
  readonly next: StoredSpec | null;
  /** Its rows cannot be read; null: there is none. */
  readonly damaged: StoredSpec | null;
  readonly fate: (launch: Launch, luck: Random) => Fate;
  readonly deprovisioning: Deprovisioning;
  /** Others hear of its Jobs' changes. */
  readonly announced: boolean;
  readonly launchesPerSec: number | null;
  readonly stopsPerSec: number | null;
  readonly gustMs: number;
  readonly stepMaxMs: number;
};

/** Boards of more than one chunk are what takes time. */
const isLarge = (seed: number): boolean => seed % 40 === 9;
/** Of those, some have a thousand tasks that go on for hours: what is active then does not fit into one look-up. */
const isCrowded = (seed: number): boolean => seed % 200 === 49;
/** A small Job beside a large one, under a launch limit, in calm weather. */
const isFair = (seed: number): boolean => seed % 25 === 12;
/** Of those, some have a namespace with one Job beside one with several, instead. */
const isTeams = (seed: number): boolean => seed % 50 === 37;
/** A Job under a launch limit of which nobody wants the rest, in calm weather. */
const isRecall = (seed: number): boolean => seed % 40 === 29;
/** A Job of some hours that repeats another; its list is deleted at their beginning, and its parallelism changed. */
const isSlow = (seed: number): boolean => seed % 20 === 17;
/** A CronJob, for some minutes of bad weather. */
const isCron = (seed: number): boolean => seed % 10 === 3;
/** Jobs that wait for one another; some have boards of two chunks. */
const isChain = (seed: number): boolean => seed % 20 === 15 || seed % 20 === 7;
const isLargeChain = (seed: number): boolean => seed % 200 === 195;
/** The API refuses another number of indexes while some are named or come from a list: these Jobs may always be resized. */
const isResizable = (seed: number): boolean => seed % 4 === 0;

/** A Job in a storm that has rules beyond batch/v1: a kill time, a start time, and the like. */
const isRuled = (seed: number): boolean => seed % 10 === 1 || seed % 10 === 6;

/** A Job in a storm that says how much success is enough, and how much may fail. */
const isJudged = (seed: number): boolean => seed % 10 === 4 || seed % 10 === 8;

/** A Job in a storm whose indexes belong together. */
const isGang = (seed: number): boolean => seed % 10 === 9;
/** The same, of which nobody but the weather keeps any index from running. */
const isLoneGang = (seed: number): boolean => seed % 10 === 2;

/** The Job with what such a seed says beyond batch/v1. */
function withOwn(plain: StoredSpec, seed: number): StoredSpec {
  if (isJudged(seed)) return withJudgement(plain, new Random(seed, 'judgement'));
  if (isGang(seed)) return withGang(plain, new Random(seed, 'gang'));
  return isRuled(seed) ? withRules(plain, new Random(seed, 'rules')) : plain;
}

/** One with deadlines for its Pods, or its indexes; none of those that may be resized, so that these last long enough. */
const isTimed = (seed: number): boolean => seed % 4 === 2;

/** By numbers of its own, so that the other seeds are as they would be without. */
const isAnnounced = (seed: number): boolean => new Random(seed, 'announced').chance(0.35);

/** Half of the seeds hear of ends early, as with earlyCounting; likewise. */
const deprovisioningOf = (seed: number): Deprovisioning =>
  new Random(seed, 'deprovisioning').pick(['at once', 'seen', 'told', 'told'] as const);

/** Of the CronJobs; likewise. */
const isSubmitted = (seed: number): boolean => new Random(seed, 'submissions').chance(0.6);

export function scenarioOf(seed: number, { completions, parallelism }: Variation): Scenario {
  const random = new Random(seed, 'scenario');
  const play = PLAYS.find(({ has }) => has(seed));
  if (play !== undefined) return playedScenario(seed, random, play);
  if (isTeams(seed)) return teamsScenario(seed, random);
  if (isFair(seed)) return fairScenario(seed, random);
  if (isCrowded(seed)) return crowdedScenario(seed, random);
  if (isRecall(seed)) return recallScenario(seed, random);
  if (isSlow(seed)) return slowScenario(seed, random);
  if (isCron(seed)) return cronScenario(seed);
  if (isChain(seed)) return chainScenario(seed, random);
  if (isLoneGang(seed)) return gangScenario(seed, random);
  const large = isLarge(seed);
  const faultRates = faultRatesOf(new Random(seed, 'weather'));
  const named = { name: 'work', completionsMax: completions, parallelismMax: parallelism };
  // By numbers of its own, so that all else is as it would be without.
  const plainFirst = specFor(random, { ...named, uid: `sim-${seed}`, large });
  const owned = large ? plainFirst : withOwn(plainFirst, seed);
  const whole = isTimed(seed) ? withDeadlines(owned, new Random(seed, 'deadlines')) : owned;
  const rerun = isResizable(seed) ? whole : rerunByLuck(whole, new Random(seed, 'reruns'));
  const { spec: first, list } = isResizable(seed)
    ? { spec: whole, list: null }
    : listByLuck(rerun, new Random(seed, 'lists'));
  const isRenewed = !large && random.chance(0.12);
  const plain = isRenewed ? awake(specFor(random, { ...named, uid: `sim-${seed}-next`, large: false })) : null;
  const renewed = plain === null ? null : listByLuck(plain, new Random(seed, 'lists of the next'));
  const next = renewed?.spec ?? null;
  const damaged = random.chance(0.15) ? aJob({ uid: `sim-${seed}-damaged`, name: 'damaged', createdAt: START }) : null;
  const fates = new Map(
    [first, ...(next === null ? [] : [next])].map((spec) => [spec.identity.uid, fatesOf(random, spec.manifest, large)]),
  );
  const limited = random.chance(0.25);
  return {
    kind: 'storm',
    faultRates: large ? mild(faultRates) : faultRates,
    jobs: [first],
    cron: null,
    submits: false,
    lists: [list, renewed?.list ?? null].filter((each) => each !== null),
    next,
    damaged,
    fate: (launch, luck) =>
      endsTogether(first) && launch.job.uid === first.identity.uid
        ? twinFate(luck)
        : isGang(seed) && !large && launch.job.uid === first.identity.uid
          ? gangFate(luck)
          : (fates.get(launch.job.uid) ?? easyFate)(launch, luck),
    deprovisioning: deprovisioningOf(seed),
    announced: isAnnounced(seed),
    launchesPerSec: limited ? (large ? 200 : random.pick([2, 5, 20])) : null,
    stopsPerSec: limited ? (large ? 200 : random.pick([2, 5, 20])) : null,
    gustMs: large ? 2_000 : endsTogether(first) ? 5_000 : random.pick([0, 0, 5_000]),
    stepMaxMs: 8,
  };
}

/** Tasks of its Jobs run from a second to some minutes, and one of six fails. */
function cronScenario(seed: number): Scenario {
  const longestMs = new Random(seed, 'tasks of a CronJob').pick([20_000, 100_000, 300_000]);
  return {
    kind: 'cron',
    faultRates: faultRatesOf(new Random(seed, 'weather')),
    jobs: [],
    cron: cronByLuck(seed, new Random(seed, 'CronJob')),
    submits: isSubmitted(seed),
    lists: [],
    next: null,
    damaged: null,
    fate: (_, luck) => ({
      startMs: luck.between(1_000, 5_000),
      runMs: luck.between(1_000, longestMs),
      stopMs: 500,
      ending: luck.chance(1 / 6) ? FAILED : DONE,
    }),
    deprovisioning: deprovisioningOf(seed),
    announced: isAnnounced(seed),
    launchesPerSec: null,
    stopsPerSec: null,
    gustMs: 0,
    stepMaxMs: 8,
  };
}

/** What a capability plays, in the weather of a CronJob. */
function playedScenario(seed: number, random: Random, play: Play): Scenario {
  const { jobs, fate, enact } = play.seed(seed, random);
  return { ...cronScenario(seed), kind: 'played', played: { play, enact }, jobs, cron: null, submits: false, fate };
}

/** A gang that is left alone, in bad weather or in better. */
function gangScenario(seed: number, random: Random): Scenario {
  const weather = faultRatesOf(new Random(seed, 'weather'));
  const wish = { uid: `sim-${seed}`, name: 'work', large: false, completionsMax: null, parallelismMax: null };
  // In some, the first index goes on for hours when the others have ended.
  const firstMs = random.chance(0.4) ? random.between(8_000_000, 10_000_000) : null;
  return {
    ...cronScenario(seed),
    kind: 'gang',
    faultRates: random.chance(0.6) ? mild(weather) : weather,
    jobs: [withGang(awake(specFor(random, wish)), random)],
    cron: null,
    submits: false,
    fate: ({ id }, luck) =>
      id.index === 0 && firstMs !== null ? { ...gangFate(luck), runMs: firstMs } : gangFate(luck),
  };
}

/** Tasks take seconds, or minutes; few of them fail, or many. */
function chainScenario(seed: number, random: Random): Scenario {
  const large = isLargeChain(seed);
  const weather = faultRatesOf(new Random(seed, 'weather'));
  const longestMs = random.pick([5_000, 60_000, 600_000]);
  const failing = large ? 0.02 : random.pick([0.05, 0.2, 0.4]);
  return {
    ...cronScenario(seed),
    kind: 'chain',
    faultRates: large ? mild(weather) : weather,
    jobs: large ? largeChain(seed) : chainByLuck(seed, random),
    cron: null,
    submits: false,
    fate: (_, luck) => ({
      startMs: luck.between(100, 5_000),
      runMs: luck.between(100, large ? 20_000 : longestMs),
      stopMs: luck.between(500, 20_000),
      ending: luck.chance(failing) ? FAILED : DONE,
    }),
    gustMs: large ? 2_000 : random.pick([0, 5_000]),
  };
}

/** Events get lost, also of the second chunk, while the first has more active attempts than one message looks up. */
function crowdedScenario(seed: number, random: Random): Scenario {
  const completions = random.between(4_200, 4_400);
  const plain = { createdAt: START, backoffLimit: 1_000, completions, parallelism: completions };
  return {
    kind: 'crowded',
    faultRates: { ...mild(faultRatesOf(new Random(seed, 'weather'))), eventDropped: 0.05 },
    jobs: [aJob({ ...plain, uid: `sim-${seed}`, name: 'work' })],
    cron: null,
    submits: false,
    lists: [],
    next: null,
    damaged: null,
    fate: ({ id }, luck) => ({
      startMs: luck.between(1, 20_000),
      runMs: id.index < CROWD ? CROWD_RUNS_MS + luck.between(0, 600_000) : luck.between(1, 1_800_000),
      stopMs: 500,
      ending: DONE,
    }),
    deprovisioning: deprovisioningOf(seed),
    announced: isAnnounced(seed),
    launchesPerSec: null,
    stopsPerSec: null,
    gustMs: 2_000,
    stepMaxMs: 8,
  };
}

const CROWD = 700;
const CROWD_RUNS_MS = 5 * 3_600_000;

function fairScenario(seed: number, random: Random): Scenario {
  const many = random.between(150, 400);
  const few = random.between(1, 5);
  const plain = { createdAt: START, backoffLimit: 1_000 };
  // Two lists are in use at once.
  const listed = [
    aJob({ ...plain, uid: `sim-${seed}`, name: 'large', completions: many, parallelism: many }),
    aJob({ ...plain, uid: `sim-${seed}-small`, name: 'small', completions: few, parallelism: few }),
  ].map((job) => withNamedList(job));
  return {
    kind: 'fair',
    faultRates: CALM,
    jobs: listed.map(({ spec }) => spec),
    cron: null,
    submits: false,
    lists: listed.map(({ list }) => list),
    next: null,
    damaged: null,
    fate: easyFate,
    deprovisioning: deprovisioningOf(seed),
    announced: isAnnounced(seed),
    launchesPerSec: random.between(2, 8),
    stopsPerSec: null,
    gustMs: 0,
    stepMaxMs: 1,
  };
}

function teamsScenario(seed: number, random: Random): Scenario {
  const launchesPerSec = random.between(4, 8);
  const ofJob = (namespace: string, name: string): StoredSpec => {
    const [completions, uid] = [14 * launchesPerSec, `sim-${seed}-${namespace}-${name}`];
    return aJob({ uid, namespace, name, completions, parallelism: completions, backoffLimit: 1_000, createdAt: START });
  };
  const crowd = Array.from({ length: random.between(4, 6) }, (_, n) => ofJob('crowd', `work-${n}`));
  return {
    ...fairScenario(seed, random),
    kind: 'teams',
    jobs: [...crowd, ofJob('loner', 'work')],
    lists: [],
    launchesPerSec,
  };
}

function recallScenario(seed: number, random: Random): Scenario {
  const recall = recallByLuck(random);
  const launchesPerSec = random.pick([0.5, 2, 5, 10, 20]);
  return {
    ...fairScenario(seed, random),
    kind: 'recall',
    jobs: [recalledJob(`sim-${seed}`, recall, launchesPerSec, random)],
    lists: [],
    recall,
    fate: (launch, luck) => recalledFate(recall, launch, luck),
    launchesPerSec,
  };
}

/** What its list leaves behind is due for removal long before its last tasks are launched. */
function slowScenario(seed: number, random: Random): Scenario {
  const completions = random.between(24, 32);
  const plain = { createdAt: START, backoffLimit: 1_000, completions, parallelism: 2 };
  const { spec, list } = withNamedList(aJob({ ...plain, uid: `sim-${seed}`, name: 'slow' }), true);
  // Its tasks are launched by processes that know items of the other list.
  const beside = withNamedList(aJob({ ...plain, uid: `sim-${seed}-beside`, name: 'beside' }));
  return {
    kind: 'slow',
    faultRates: mild(faultRatesOf(new Random(seed, 'weather'))),
    jobs: [{ ...spec, inherited: '3-5' }, beside.spec],
    cron: null,
    submits: false,
    lists: [list, beside.list],
    next: null,
    damaged: null,
    fate: (_, luck) => ({
      startMs: luck.between(1, 20_000),
      runMs: luck.between(900_000, 1_800_000),
      stopMs: 500,
      ending: luck.chance(0.1) ? FAILED : DONE,
    }),
    deprovisioning: deprovisioningOf(seed),
    announced: isAnnounced(seed),
    launchesPerSec: null,
    stopsPerSec: null,
    gustMs: 0,
    stepMaxMs: 8,
  };
}

/** The one that is made anew may come after the last who resumes anything. */
const awake = (spec: StoredSpec): StoredSpec => ({
  ...spec,
  manifest: { ...spec.manifest, spec: { ...spec.manifest.spec, suspend: false } },
});
