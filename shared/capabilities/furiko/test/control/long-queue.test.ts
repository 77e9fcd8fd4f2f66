import { expect, it } from 'vitest';
import { plusMs } from '../../../../domain/base/time.ts';
import { endOf } from '../../../../domain/scoreboard/status.ts';
import { Random } from '../../../../../test/dst/random.ts';
import { CONFIG_PLAY } from '../dst/config-play.ts';
import { ConfigUsers } from '../dst/config-users.ts';
import { ConfigWatch } from '../dst/config-watch.ts';
import { DONE } from '../../../../../test/dst/world/fates.ts';
import { CALM } from '../../../../../test/dst/world/fault-rates.ts';
import { type SeedConfig, configByLuck } from '../dst/seed-config.ts';
import { START, World } from '../../../../../test/dst/world/world.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';

const JOBS = 200;
const MAX = 3;
const SECOND_MS = 1_000;
/** A scheduler that is killed stays away for so long. */
const AWAY_MS = 40_000;

/** A world in which nothing goes wrong by itself. */
const calmWorld = (): World =>
  new World({
    seed: 1,
    without: new Set(),
    told: false,
    faultRates: CALM,
    fate: (_, luck) => ({ startMs: 300, runMs: luck.between(200, 4_000), stopMs: 300, ending: DONE }),
    needs: CONFIG_PLAY.needs,
    launchesPerSec: null,
    stopsPerSec: null,
    gustMs: 0,
    stepMaxMs: 1,
    announced: false,
  });

it(`${JOBS} Jobs take turns, ${MAX} at a time, though their schedulers are killed five times`, async () => {
  const world = calmWorld();
  await openNamespace(world.store.objects, 'default', START);
  const plain = configByLuck(1, new Random(1, 'a queue'), START);
  const spec = { ...plain.manifest.spec, concurrency: { policy: 'Enqueue', maxConcurrency: MAX } } as const;
  const { schedule: _, ...unscheduled } = spec;
  const config: SeedConfig = { ...plain, everySec: null, manifest: { ...plain.manifest, spec: unscheduled } };
  const watch = new ConfigWatch(world);
  world.watchBy(watch);
  const users = new ConfigUsers(world, config, watch, { againMs: 20_000, triesMax: 1_000 });
  watch.expect(config);
  users.create();
  for (let n = 0; n < JOBS; n++)
    world.schedule(plusMs(START, 5_000 + n * 300), () =>
      users.run({ afterMs: 0, name: `run-${n}`, policy: 'Enqueue', startAfterMs: null }),
    );
  for (let kill = 1; kill <= 5; kill++)
    world.schedule(plusMs(START, kill * 30_000), () =>
      world.handlers.breakDown('reconcile', plusMs(world.time, AWAY_MS)),
    );
  let most = 0;
  const ended = (): number =>
    [...world.watchdog.jobs.values()].filter(({ status }) => endOf(status.phase) !== null).length;
  while (ended() < JOBS && world.time < START + 2 * 3_600_000) {
    const until = plusMs(world.time, SECOND_MS);
    world.schedule(until, () => undefined);
    while (world.time < until) await world.step();
    most = Math.max(most, watch.active());
    expect(world.law.violations).toEqual([]);
  }
  expect(ended()).toBe(JOBS);
  expect(most).toBe(MAX);
  const { places, letIn } = watch.orders();
  // Those that are let in together may be resumed in any order.
  const moved = letIn.map((uid, nth) => Math.abs(places.indexOf(uid) - nth));
  expect(Math.max(...moved)).toBeLessThan(MAX);
});
