import { asEpochMs } from '../../shared/domain/brand.ts';
import type { Ending } from '../../shared/domain/fact.ts';
import type { Status } from '../../shared/domain/status.ts';
import type { StoredSpec } from '../../shared/ports/job-store.ts';
import { aJob } from '../support/a-job.ts';
import { Random } from './random.ts';
import { type Fault, type Weather, weatherOf } from './weather.ts';
import { World } from './world.ts';

/** The weather clears after this; from then on the Job must come to its end. */
const STORM_MS = 2 * 3_600_000;
/** An attempt that only the look-ups can find takes 40 minutes; some such in a row. */
const CALM_MS = 24 * 3_600_000;
const STEPS_MAX = 400_000;

export type SeedResult = {
  readonly seed: number;
  readonly broken: readonly string[];
  readonly steps: number;
  readonly faults: ReadonlyMap<Fault, number>;
  readonly verdict: string;
};

const DONE: Ending = { cause: 'Completed', exitCode: 0, reason: '' };
const BAD: Ending = { cause: 'Error', exitCode: 1, reason: '' };

/** Runs one seed from an empty store to the end of all its Jobs; every tenth has a board of more than one chunk. */
export async function runSeed(seed: number): Promise<SeedResult> {
  const random = new Random(seed);
  const large = seed % 10 === 9;
  const weather: Weather = large ? mild(weatherOf(random)) : weatherOf(random);
  const failing = random.pick([0, 0.05, 0.3]);
  const taken = random.pick([0, 0.1]);
  const world = new World({
    seed,
    weather,
    gustMs: large ? 2_000 : 0,
    fate: (_, luck) => {
      const end = luck.next();
      const ending: Ending =
        end < failing
          ? BAD
          : end < failing + taken
            ? { cause: luck.pick(['Spot', 'Infrastructure', 'StartFailed'] as const), exitCode: null, reason: '' }
            : DONE;
      return {
        startMs: luck.between(1, 20_000),
        runMs: luck.between(1, large ? 5_000 : 120_000),
        stopMs: 1_000,
        ending,
      };
    },
  });
  await world.store.jobs.createNamespace('default', world.time);

  const spec = specFor(random, seed, large);
  const { uid } = spec.identity;
  world.createJob(spec);
  const plans = large ? [] : userPlans(random, uid, world);
  const until = world.time + STORM_MS;
  const broken = (): readonly string[] => world.watchdog.violations.map((v) => v.message);
  let cleared = false;
  while (world.steps < STEPS_MAX && broken().length === 0) {
    const status = world.watchdog.jobs.get(uid)?.status;
    if (status !== undefined && isQuiet(status) && plans.length === 0) break;
    if (!cleared && world.time > until) {
      world.clear();
      cleared = true;
      if (status === undefined) world.createJob(spec); // the user's call died; people try again
    }
    if (world.time > until + CALM_MS) break;
    const due = plans[0];
    if (due !== undefined && world.time >= due.at) {
      due.act();
      plans.shift();
    }
    await world.step();
  }
  const status = world.watchdog.jobs.get(uid)?.status;
  const verdict = status === undefined ? 'never created' : describe(status);
  const problems = [...broken()];
  if (problems.length === 0) {
    if (status === undefined || !isQuiet(status)) problems.push(`G8: no end: ${verdict} after ${world.steps} steps`);
    else {
      world.watchdog.checkTruth(uid);
      problems.push(...broken());
    }
  }
  return { seed, broken: problems, steps: world.steps, faults: world.faults, verdict };
}

/** Over, and nothing more is to be done about it. */
const isQuiet = ({ phase, alarms }: Status): boolean =>
  phase.kind === 'deleted' || (phase.kind === 'finished' && alarms.length === 0);

const describe = ({ phase, failed, version }: Status): string =>
  `${phase.kind}${phase.kind === 'finished' ? ` ${phase.verdict.reason}` : ''}, failed ${failed}, version ${version}`;

function specFor(random: Random, seed: number, large: boolean): StoredSpec {
  const completions = large ? random.between(4_097, 4_400) : random.between(0, 30);
  const mode = large ? 'Indexed' : random.pick(['Indexed', 'NonIndexed', 'WorkQueue'] as const);
  return aJob({
    uid: `sim-${seed}`,
    createdAt: asEpochMs(1_800_000_000_000),
    completionMode: mode === 'Indexed' ? 'Indexed' : 'NonIndexed',
    completions: mode === 'WorkQueue' ? null : completions,
    parallelism: large ? completions : random.between(1, 12),
    backoffLimit: random.pick([0, 3, 1_000]),
    suspend: !large && random.chance(0.1),
  });
}

/** What people do meanwhile: suspend and resume, change parallelism, delete. A Job that begins suspended is resumed. */
function userPlans(random: Random, uid: string, world: World): { readonly at: number; readonly act: () => void }[] {
  const at = (): number => world.time + random.between(1_000, STORM_MS);
  const resume = {
    at: world.time + STORM_MS + 600_000,
    act: () => world.changeManifest(uid, (spec) => ({ ...spec, suspend: false })),
  };
  const plans = [resume];
  if (random.chance(0.3))
    plans.push({ at: at(), act: () => world.changeManifest(uid, (spec) => ({ ...spec, suspend: true })) });
  if (random.chance(0.3))
    plans.push({
      at: at(),
      act: () => world.changeManifest(uid, (spec) => ({ ...spec, parallelism: random.between(1, 12) })),
    });
  if (random.chance(0.2)) {
    plans.push({ at: at(), act: () => world.deleteJob(uid) });
    plans.push({ at: world.time + STORM_MS + 2, act: () => world.deleteJob(uid) });
  }
  return plans.sort((a, b) => a.at - b.at);
}

/** Thousands of tasks under a storm would take minutes to simulate: fewer faults for each of them. */
const mild = (weather: Weather): Weather => ({
  ...weather,
  crash: weather.crash / 5,
  lostAnswer: weather.lostAnswer / 5,
  messageDropped: weather.messageDropped / 5,
  eventDropped: weather.eventDropped / 10,
  throttled: weather.throttled / 5,
});
