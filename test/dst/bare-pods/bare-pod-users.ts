import type { Deps } from '../../../shared/control/process/deps.ts';
import { createJob, createJobCommands } from '../../../shared/control/lifecycle/job-changes.ts';
import { type EpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import { BATCH_FACE } from '../../../shared/kube/jobs/job-face.ts';
import { listJobs, parseJobFilter } from '../../../shared/kube/jobs/list-jobs.ts';
import { barePodKind } from '../../../shared/kube/pods/bare-pod-kind.ts';
import { findPod } from '../../../shared/kube/pods/find-pod.ts';
import { stopPod } from '../../../shared/kube/pods/pod-delete.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import { createItemCache } from '../../../shared/store/read-items.ts';
import type { Random } from '../random.ts';
import { ALL } from '../story.ts';
import type { Arrangement } from '../world/scenario-events.ts';
import { Users } from '../world/users.ts';
import { START, type World } from '../world/world.ts';
import type { BarePodWatch } from './bare-pod-watch.ts';
import type { SeedPod, Way } from './seed-bare-pods.ts';

/** What people do with bare Pods, and in no other seed. */
export const BARE_POD_ACTS = [
  'bare Pod made',
  'bare Pod deleted with grace',
  'bare Pod deleted at once',
  'bare Pod looked at',
  'Jobs listed',
] as const;

export const BARE_POD_STORM_MS = 20 * 60_000;
const MINUTE_MS = 60_000;
const LOOK_MS = 1_000;
/** Nobody asks who it is. */
const SOMEBODY = { username: 'somebody', groups: [] };
/** Whose request is not answered by then asks again. */
const AGAIN_MS = 5_000;

type Wish = {
  readonly jobs: readonly StoredSpec[];
  readonly pods: readonly (readonly SeedPod[])[];
  readonly random: Random;
  readonly world: World;
  readonly watch: BarePodWatch;
  readonly did: (act: string) => void;
};

/**
 * People make bare Pods, delete them with and without grace, and make others under their names, as soon as these are free; others look
 * at them, and list Jobs. Each request is a handler of its own, which may die anywhere.
 */
export function arrangeBarePods(wish: Wish): Arrangement {
  const { jobs, pods, random, world } = wish;
  const jobUsers = new Users(world);
  for (const spec of jobs) jobUsers.createWhenFree(spec, MINUTE_MS);
  const people = new BarePodUsers(wish);
  for (const lives of pods) people.begin(lives, random.between(0, 30_000));
  for (let n = random.between(40, 80); n > 0; n--) {
    const name = random.pick(pods)[0]?.name ?? '';
    const act = random.chance(0.8) ? () => people.look(name) : () => people.listJobs();
    world.schedule(plusMs(START, random.between(0, random.pick([120_000, BARE_POD_STORM_MS]))), act);
  }
  if (random.chance(0.4)) {
    const [at, forMs] = [random.between(1_000, 300_000), random.between(1, 5) * MINUTE_MS];
    const trouble = random.pick(['capacity gone', 'throttled for minutes', 'handlers', 'events'] as const);
    world.schedule(plusMs(START, at), () => {
      if (trouble === 'handlers') world.breakDown(['reconcile', 'dispatch'], forMs);
      else if (trouble === 'events') world.breakDown(['sweep', 'events'], forMs);
      else world.blow(trouble, forMs);
    });
  }
  return { over: START + BARE_POD_STORM_MS + 1, count: 0 };
}

/** Reads and commands of the API, in the process of a handler. */
export const apiOf = (deps: Pick<Deps, 'jobs' | 'feed' | 'items' | 'hosts' | 'clock'>) => ({
  jobs: deps.jobs,
  feed: deps.feed,
  items: deps.items,
  itemCache: createItemCache(),
  taskNames: deps.hosts,
  clock: deps.clock,
  launchPace: async () => ({ now: START, perSec: null, fullPerSec: null, namespaces: 1, namesPerSec: null }),
});

class BarePodUsers {
  readonly #random: Random;
  readonly #world: World;
  readonly #watch: BarePodWatch;
  readonly #did: (act: string) => void;

  constructor({ random, world, watch, did }: Wish) {
    this.#random = random;
    this.#world = world;
    this.#watch = watch;
    this.#did = did;
  }

  begin(lives: readonly SeedPod[], afterMs: number): void {
    const at = plusMs(START, afterMs);
    this.#world.schedule(at, () => this.#make(lives, 0, at));
  }

  look(name: string): void {
    this.#did('bare Pod looked at');
    this.#ask(`looks at the Pod ${name}`, async (deps) => {
      const check = this.#watch.before(name);
      const found = await findPod('default', name, apiOf(deps));
      check(found === null ? null : { uid: found.view.spec.identity.uid, phase: found.pod.status.phase ?? '' });
    });
  }

  listJobs(): void {
    this.#did('Jobs listed');
    this.#ask('lists Jobs', async (deps) => {
      const filter = parseJobFilter(BATCH_FACE, 'default', {});
      if (filter.kind === 'bad') throw new Error('no filter');
      const reads = { ...apiOf(deps), jobCommands: createJobCommands(deps) };
      const { items } = await listJobs(filter.value, { limit: 100, from: null }, reads);
      this.#watch.listed(items.map(({ metadata }) => metadata.uid));
    });
  }

  /** Until it is there. `tryAt`: when it is asked for next. */
  #make(lives: readonly SeedPod[], nth: number, tryAt: EpochMs): void {
    const { time } = this.#world;
    const pod = lives[nth];
    if (pod === undefined) return;
    const { uid } = pod.spec.identity;
    if (this.#watch.isMade(uid)) {
      const { deletion } = pod;
      if (deletion !== null) this.#world.schedule(plusMs(time, deletion.afterMs), () => this.#delete(lives, nth, 0));
      return;
    }
    const isDue = time >= tryAt;
    if (isDue) this.#create(pod);
    this.#world.schedule(plusMs(time, LOOK_MS), () => this.#make(lives, nth, isDue ? plusMs(time, AGAIN_MS) : tryAt));
  }

  #create({ spec, name }: SeedPod): void {
    this.#ask(`makes the Pod ${name} (${spec.identity.uid})`, async (deps) => {
      const api = { ...apiOf(deps), jobCommands: createJobCommands(deps), authorizer: null };
      const kind = barePodKind({ ...api, needsCommand: false, hostFolders: null });
      const created = await kind.create(spec, [], SOMEBODY);
      if (created.kind !== 'created' && !(await this.#isOwn(spec, deps))) return;
      this.#did('bare Pod made');
      this.#watch.acknowledged(spec.identity.uid);
    });
  }

  /** The answer to an earlier request was lost: the same call once more says that it is there. */
  async #isOwn(spec: StoredSpec, deps: Deps): Promise<boolean> {
    const { namespace, name, uid } = spec.identity;
    if ((await deps.jobs.findJob(namespace, name)) !== uid) return false;
    return (await createJob(spec, deps)).kind === 'created';
  }

  /** Until it is gone. Somebody waits for its name. */
  #delete(lives: readonly SeedPod[], nth: number, turn: number): void {
    const pod = lives[nth];
    const { time } = this.#world;
    if (pod === undefined || pod.deletion === null) return;
    if (turn === 0) {
      const next = plusMs(time, this.#random.pick([1, 100, 5_000, 60_000]));
      this.#world.schedule(next, () => this.#make(lives, nth + 1, next));
    }
    if (this.#watch.isGone(pod.spec.identity.uid)) return;
    const { ways } = pod.deletion;
    this.#stop(pod, ways[Math.min(turn, ways.length - 1)] ?? 'with grace');
    this.#world.schedule(plusMs(time, 6 * AGAIN_MS), () => this.#delete(lives, nth, turn + 1));
  }

  #stop({ spec, name }: SeedPod, way: Way): void {
    const { uid } = spec.identity;
    this.#did(`bare Pod deleted ${way}`);
    this.#ask(`deletes the Pod ${name} ${way}`, async (deps) => {
      const commands = createJobCommands(deps);
      const jobCommands: typeof commands = {
        ...commands,
        deleteJob: async (of, propagation, by) => {
          this.#watch.isAsked(of, way);
          return commands.deleteJob(of, propagation, by);
        },
      };
      // The one that is meant: the next under its name is somebody else's.
      const found = await findPod('default', name, apiOf(deps));
      if (found === null || found.view.spec.identity.uid !== uid) return;
      const wanted = {
        dryRun: false,
        preconditions: { uid: found.pod.metadata.uid, resourceVersion: null },
        graceSec: way === 'at once' ? 0 : null,
      };
      const stopped = await stopPod('default', name, wanted, { ...apiOf(deps), jobCommands });
      if (stopped.kind === 'deleted' && way === 'at once') this.#watch.saidGone(uid);
    });
  }

  #ask(what: string, work: (deps: Deps) => Promise<unknown>): void {
    this.#world.handlers.user(what, ALL, work);
  }
}
