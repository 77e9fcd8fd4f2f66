import { asEpochMs } from '../../shared/domain/brand.ts';
import type { Ending } from '../../shared/domain/fact.ts';
import type { Status } from '../../shared/domain/status.ts';
import type { StoredSpec } from '../../shared/ports/job-store.ts';
import { aJob } from '../support/a-job.ts';
import { Random } from './random.ts';
import { STORM_MS, happenings } from './happenings.ts';
import { type Fault, type Weather, weatherOf } from './weather.ts';
import { STRANGER_NONCE, type Trace } from './watchdog.ts';
import { World } from './world.ts';

/** An attempt that only the look-ups can find takes 40 minutes; some such in a row. */
const CALM_MS = 24 * 3_600_000;
/** Twice what the longest of the seeds takes. */
const STEPS_MAX = 250_000;

export type SeedResult = {
  readonly seed: number;
  readonly broken: readonly string[];
  readonly steps: number;
  readonly faults: ReadonlyMap<Fault, number>;
  readonly verdict: string;
};

/** Some strangers go on for weeks unless they are stopped. */
const STRANGERS_RUN_MS = 20 * 86_400_000;

const DONE: Ending = { cause: 'Completed', exitCode: 0, reason: '' };
const BAD: Ending = { cause: 'Error', exitCode: 1, reason: '' };

/** Runs one seed from an empty store to the end of all its Jobs; every tenth has a board of more than one chunk. */
export async function runSeed(seed: number, trace?: Trace): Promise<SeedResult> {
  const random = new Random(seed);
  const large = seed % 10 === 9;
  const weather: Weather = large ? mild(weatherOf(random)) : weatherOf(random);
  const failing = random.pick([0, 0.05, 0.3]);
  const taken = random.pick([0, 0.1]);
  const world = new World({
    seed,
    weather,
    gustMs: large ? 2_000 : 0,
    ...(trace === undefined ? {} : { trace }),
    fate: ({ id }, luck) => {
      const end = luck.next();
      const ending: Ending =
        end < failing
          ? BAD
          : end < failing + taken
            ? {
                cause: luck.pick(['Spot', 'Infrastructure', 'StartFailed', 'Stopped'] as const),
                exitCode: null,
                reason: '',
              }
            : DONE;
      return {
        startMs: luck.between(1, 20_000),
        runMs:
          id.nonce >= STRANGER_NONCE && luck.chance(0.5) ? STRANGERS_RUN_MS : luck.between(1, large ? 5_000 : 120_000),
        stopMs: luck.pick([500, 20_000]),
        ending,
      };
    },
  });
  await world.store.jobs.createNamespace('default', world.time);

  const spec = specFor(random, seed, large);
  const { uid } = spec.identity;
  world.createJob(spec);
  const eventless = happenings(random, uid, world);
  const until = world.time + STORM_MS;
  const broken = (): readonly string[] => world.watchdog.violations.map((v) => v.message);
  let cleared = false;
  while (world.steps < STEPS_MAX && world.watchdog.violations.length === 0) {
    const status = world.watchdog.jobs.get(uid)?.status;
    if (status !== undefined && world.time > eventless && isQuiet(status) && world.watchdog.liveStrangers() === 0)
      break;
    if (!cleared && world.time > until) {
      world.clear();
      cleared = true;
      if (status === undefined) world.createJob(spec); // the user's call died; people try again
    }
    if (world.time > until + CALM_MS) break;
    await world.step();
  }
  const status = world.watchdog.jobs.get(uid)?.status;
  const verdict = status === undefined ? 'never created' : describe(status);
  if (broken().length === 0 && status !== undefined && isQuiet(status)) {
    world.watchdog.checkTruth(uid);
    if (status.phase.kind === 'deleted') await world.checkForgotten(uid);
  }
  const endless = broken().length === 0 && (status === undefined || !isQuiet(status));
  const problems = endless ? [`G8: no end: ${verdict} after ${world.steps} steps`] : broken();
  return { seed, broken: problems, steps: world.steps, faults: world.faults, verdict };
}

/** Over, and nothing more is to be done about it. */
const isQuiet = ({ phase, alarms }: Status): boolean =>
  phase.kind === 'deleted' || (phase.kind === 'finished' && alarms.length === 0);

const describe = ({ phase, failed, version }: Status): string =>
  `${phase.kind}${phase.kind === 'finished' ? ` ${phase.verdict.reason}` : ''}, failed ${failed}, version ${version}`;

function specFor(random: Random, seed: number, large: boolean): StoredSpec {
  const completions = large
    ? random.between(4_097, 4_400)
    : random.pick([0, 1, random.between(2, 30), random.between(2, 30)]);
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

/** Thousands of tasks under a storm would take minutes to simulate: fewer faults for each of them. */
const mild = (weather: Weather): Weather => ({
  ...weather,
  crash: weather.crash / 5,
  lostAnswer: weather.lostAnswer / 5,
  messageDropped: weather.messageDropped / 5,
  eventDropped: weather.eventDropped / 10,
  throttled: weather.throttled / 5,
});
