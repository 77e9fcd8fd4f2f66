import type { JobSpec } from '../../shared/domain/job.ts';
import { DELETED_VERSION, type Status } from '../../shared/domain/status.ts';
import { fatesOf } from './fates.ts';
import { Random } from './random.ts';
import { STORM_MS, happenings } from './happenings.ts';
import { type Fault, type Weather, weatherOf } from './weather.ts';
import type { Sight } from './sights.ts';
import { specFor } from './specs.ts';
import type { Trace } from './watchdog.ts';
import { World } from './world.ts';
import { openNamespace } from '../support/a-namespace.ts';

/** An attempt that only the look-ups can find takes 40 minutes; some such in a row. */
const CALM_MS = 24 * 3_600_000;
/** Twice what the longest of the seeds takes. */
const STEPS_MAX = 250_000;

export type SeedResult = {
  readonly seed: number;
  readonly broken: readonly string[];
  readonly steps: number;
  readonly faults: ReadonlyMap<Fault, number>;
  readonly sights: ReadonlyMap<Sight, number>;
  readonly verdict: string;
};

/** Runs one seed from an empty store to the end of all its Jobs; every tenth has a board of more than one chunk. */
export async function runSeed(seed: number, trace?: Trace): Promise<SeedResult> {
  const random = new Random(seed);
  const large = seed % 10 === 9;
  const weather: Weather = large ? mild(weatherOf(random)) : weatherOf(random);
  const spec = specFor(random, seed, large);
  const fate = fatesOf(random, spec.manifest, large);
  const world = new World({
    seed,
    weather,
    gustMs: large ? 2_000 : random.pick([0, 0, 5_000]),
    ...(trace === undefined ? {} : { trace }),
    fate,
  });
  await openNamespace(world.store.objects, 'default', world.time);

  const { uid } = spec.identity;
  world.createJob(spec);
  const eventless = happenings(random, uid, world);
  const until = world.time + STORM_MS;
  const broken = (): readonly string[] => world.watchdog.violations.map((v) => v.message);
  let cleared = false;
  while (world.steps < STEPS_MAX && world.watchdog.violations.length === 0) {
    const watched = world.watchdog.jobs.get(uid);
    const status = watched?.status;
    const quiet = watched !== undefined && world.time > eventless && isQuiet(watched);
    if (quiet && world.watchdog.liveStrangers() === 0) break;
    if (!cleared && world.time > until) {
      world.clear();
      cleared = true;
      if (status === undefined) world.createJob(spec); // the user's call died; people try again
    }
    if (world.time > until + CALM_MS) break;
    await world.step();
  }
  const watched = world.watchdog.jobs.get(uid);
  const status = watched?.status;
  const verdict = status === undefined ? 'never created' : describe(status);
  const quiet = watched !== undefined && isQuiet(watched);
  if (broken().length === 0 && quiet) {
    world.watchdog.checkTruth(uid);
    if (watched.status.phase.kind === 'deleted') await world.checkForgotten(uid);
  }
  const endless = broken().length === 0 && !quiet;
  const problems = endless ? [`G8: no end: ${verdict} after ${world.steps} steps`] : broken();
  const sights = watched?.sights.counts ?? new Map();
  return { seed, broken: problems, steps: world.steps, faults: world.faults, sights, verdict };
}

type Standing = { readonly status: Status; readonly spec: JobSpec; readonly publishedVersion: number };

/** Over, and nothing more is to be done about it. */
const isQuiet = ({ status, spec, publishedVersion }: Standing): boolean =>
  (status.phase.kind === 'deleted' && (publishedVersion === DELETED_VERSION || status.alarms.length === 0)) ||
  (status.phase.kind === 'finished' && status.alarms.length === 0 && spec.ttlSecAfterFinished === null);

const describe = ({ phase, failed, version }: Status): string =>
  `${phase.kind}${phase.kind === 'finished' ? ` ${phase.verdict.reason}` : ''}, failed ${failed}, version ${version}`;

/** Thousands of tasks under a storm would take minutes to simulate: fewer faults for each of them. */
const mild = (weather: Weather): Weather => ({
  ...weather,
  crash: weather.crash / 5,
  lostAnswer: weather.lostAnswer / 5,
  messageDropped: weather.messageDropped / 5,
  eventDropped: weather.eventDropped / 10,
  throttled: weather.throttled / 5,
});
