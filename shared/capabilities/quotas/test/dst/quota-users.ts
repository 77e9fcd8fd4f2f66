import { changeSpec, createJob, deleteJob } from '../../../../control/lifecycle/job-changes.ts';
import { createQuotaCommands } from '../../control/quota-changes.ts';
import type { Deps } from '../../../../control/process/deps.ts';
import type { JobUid } from '../../../../domain/base/ids.ts';
import { type EpochMs, plusMs } from '../../../../domain/base/time.ts';
import { endOf, isHidden } from '../../../../domain/scoreboard/status.ts';
import { ANNOTATIONS } from '../../../../domain/manifests/annotations.ts';
import type { JobManifestSpec } from '../../../../domain/manifests/manifest.ts';
import type { StoredSpec } from '../../../../ports/job-store.ts';
import type { Random } from '../../../../../test/dst/random.ts';
import { ALL } from '../../../../../test/dst/story.ts';
import type { Act, Arrangement } from '../../../../../test/dst/world/scenario-events.ts';
import { START, type World } from '../../../../../test/dst/world/world.ts';
import type { QuotaWatch } from './quota-watch.ts';
import { type Hard, QUOTA_KEY, type SeedQuota, parallelismByLuck, quotaDocument, withHard } from './seed-quota.ts';

/** What people do beside a quota, and in no other seed. */
export const QUOTA_ACTS = ['quota lowered'] as const;
type QuotaAct = Act | (typeof QUOTA_ACTS)[number];

type Wish = {
  readonly random: Random;
  readonly world: World;
  readonly watch: QuotaWatch;
  readonly did: (act: QuotaAct) => void;
};

/** A user without room, or without an answer, tries again at the next such moment: many do at once, and the sweep counts meanwhile. */
const AGAIN_MS = 20_000;
/** How often a user looks for Jobs to delete or to resume. */
const LOOK_MS = 30_000;
const RAISED_AFTER_MS = 400_000;

/** The weather of these seeds clears sooner: their Jobs take minutes. */
export const QUOTA_STORM_MS = 40 * 60_000;

/**
 * People create Jobs beside a quota that is too small for all at once, several at the same moment, and each until there is room.
 * They resize, suspend, resume, and delete them; they lower the quota, and raise it again. When all is over, each Job has had its turn.
 */
export function arrangeQuota(jobs: readonly StoredSpec[], quota: SeedQuota, wish: Wish): Arrangement {
  const { random, world, watch, did } = wish;
  const people = new QuotaUsers(world, jobs, watch);
  let over = START + QUOTA_STORM_MS;
  const at = (afterMs: number, happen: () => void, act: QuotaAct | null = null): void => {
    over = plusMs(START, Math.max(over - START, afterMs));
    world.schedule(plusMs(START, afterMs), () => {
      if (act !== null) did(act);
      happen();
    });
  };
  if (quota.afterMs > 0) at(quota.afterMs, () => people.limit(quota.hard));
  const { lowered } = quota;
  if (lowered !== null) {
    const from = quota.afterMs + lowered.afterMs;
    at(from, () => people.limit(lowered.hard), 'quota lowered');
    at(from + RAISED_AFTER_MS, () => people.limit(quota.hard));
  }
  const withinMs = random.pick([2_000, 60_000, 400_000]);
  for (const [nth, spec] of jobs.entries()) {
    const { uid } = spec.identity;
    const from = nth === 0 ? 0 : random.between(0, withinMs);
    at(from, () => people.create(spec));
    if (nth > 0 && random.chance(0.6)) {
      const moment = from + random.between(1_000, random.pick([30_000, 300_000]));
      at(moment, () => people.change(uid, 'suspends the Job', { suspend: true }), 'suspended');
    }
    for (let n = random.between(0, 3); n > 0; n--) {
      const size = random.between(1, 12);
      const change = random.chance(0.5)
        ? { parallelism: parallelismByLuck(random) }
        : { completions: Math.min(size, 5), parallelism: Math.min(size, 5) };
      const moment = from + random.between(500, random.pick([30_000, 300_000]));
      at(moment, () => people.change(uid, 'resizes the Job', change), 'resized');
    }
    if (nth > 0 && random.chance(0.2)) at(from + random.between(5_000, 600_000), () => people.delete(uid), 'deleted');
  }
  people.lookAfter();
  return { over: over + 1, count: 0 };
}

const nextTry = (now: EpochMs): EpochMs => plusMs(START, (Math.floor((now - START) / AGAIN_MS) + 1) * AGAIN_MS);

/** Each request is a handler of its own, which may die like any other. */
class QuotaUsers {
  readonly #world: World;
  readonly #jobs: readonly StoredSpec[];
  readonly #watch: QuotaWatch;

  constructor(world: World, jobs: readonly StoredSpec[], watch: QuotaWatch) {
    this.#world = world;
    this.#jobs = jobs;
    this.#watch = watch;
  }

  /** Until it is there. Those that wait for the first Job come after it: else it would wait for the room that they take. */
  create(spec: StoredSpec): void {
    const { jobs } = this.#world.watchdog;
    const { uid } = spec.identity;
    if (jobs.has(uid)) return;
    const waits = spec.manifest.metadata.annotations?.[ANNOTATIONS.after] !== undefined;
    const [first] = this.#jobs;
    if (!waits || (first !== undefined && jobs.has(first.identity.uid)))
      this.#ask(uid, 'creates the Job', async (deps) => createJob(spec, deps));
    this.#world.schedule(nextTry(this.#world.time), () => this.create(spec));
  }

  change(uid: JobUid, what: string, wanted: Partial<JobManifestSpec>): void {
    this.#ask(uid, what, async (deps) =>
      changeSpec(
        uid,
        (stored) => {
          const spec = { ...stored.manifest.spec, ...wanted };
          // Only an Indexed Job may have another number of completions.
          const isRefused = spec.completions !== stored.manifest.spec.completions && spec.completionMode !== 'Indexed';
          return isRefused ? null : { ...stored, manifest: { ...stored.manifest, spec } };
        },
        deps,
      ),
    );
  }

  delete(uid: JobUid): void {
    this.#ask(uid, 'deletes the Job', async (deps) => deleteJob(uid, deps));
  }

  /** Creates the quota, or gives it other limits, as the API does; and again until that is stored. */
  limit(hard: Hard): void {
    const { handlers, time } = this.#world;
    handlers.user(`limits the namespace to ${JSON.stringify(hard)}`, ALL, async ({ objects, ...deps }) => {
      const stored = await objects.read('ResourceQuota', QUOTA_KEY);
      const document = stored === null ? quotaDocument(hard, {}, START) : withHard(stored.document, hard);
      await objects.commit('ResourceQuota', { key: QUOTA_KEY, was: stored?.version ?? 0, document });
      await createQuotaCommands({ objects, ...deps }).count(QUOTA_KEY.namespace);
    });
    this.#world.schedule(plusMs(time, AGAIN_MS), () => {
      if (!this.#watch.isLimitedTo(hard)) this.limit(hard);
    });
  }

  /** Somebody resumes what is suspended, and deletes what is over while others wait for room. The first Job stays: others wait for it. */
  lookAfter(): void {
    const { watchdog, time } = this.#world;
    const [first] = this.#jobs;
    const missing = this.#jobs.some(({ identity }) => !watchdog.jobs.has(identity.uid));
    let room = missing ? 1 : 0;
    for (const { identity } of this.#jobs) {
      const watched = watchdog.jobs.get(identity.uid);
      if (watched === undefined || isHidden(watched.status.phase)) continue;
      const isOver = endOf(watched.status.phase) !== null;
      if (isOver && room > 0 && identity.uid !== first?.identity.uid) {
        room--;
        this.delete(identity.uid);
      } else if (!isOver && watched.spec.suspend) this.change(identity.uid, 'resumes the Job', { suspend: false });
    }
    this.#world.schedule(plusMs(time, LOOK_MS), () => this.lookAfter());
  }

  #ask(uid: JobUid, what: string, work: (deps: Deps) => Promise<{ readonly kind: string }>): void {
    const { handlers, sights } = this.#world;
    handlers.user(what, { uids: [uid], indexes: null }, async (deps) => {
      const { kind } = await work(deps);
      if (kind === 'forbidden') sights.see('no room');
    });
  }
}
