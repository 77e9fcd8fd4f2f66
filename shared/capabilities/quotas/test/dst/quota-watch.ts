import type { Deps } from '../../../../control/process/deps.ts';
import { createJobCommands } from '../../../../control/lifecycle/job-changes.ts';
import { type EpochMs, plusMs } from '../../../../domain/base/time.ts';
import { quotaIn } from '../../domain/quota-document.ts';
import type { Quota } from '../../domain/quota.ts';
import { endOf, isHidden } from '../../../../domain/scoreboard/status.ts';
import type { JobStore } from '../../../../ports/job-store.ts';
import type { ObjectStore } from '../../../../ports/object-store.ts';
import { aJob } from '../../../../../test/support/a-job.ts';
import type { Watched } from '../../../../../test/dst/checks/commits.ts';
import type { Law } from '../../../../../test/dst/checks/law.ts';
import type { Watchdog } from '../../../../../test/dst/checks/watchdog.ts';
import type { PlayWatch } from '../../../../../test/dst/world/play-watch.ts';
import type { World } from '../../../../../test/dst/world/world.ts';
import { type Hard, LIMITED, type LimitedKey, QUOTA_KEY, quotaDocument } from './seed-quota.ts';

type Amounts = Readonly<Record<LimitedKey, number>>;

/** A request that was decided before a quota was created, or lowered, has taken effect by then, or never does. */
const DECIDED_MS = 35_000;
/** Two sweeps: what is over has been given back, and what was reserved in vain. */
const RETURNED_MS = 150_000;
/** Nobody dies any more once it has been clear for so long. */
const SETTLED_MS = 300_000;

/** Looks at every commit of a Job or of the quota: what Jobs may use is within it, and what it says that is used is enough (G25). */
export class QuotaWatch implements PlayWatch {
  readonly #now: () => EpochMs;
  readonly #law: Law;
  readonly #watchdog: Watchdog;
  #quota: Quota | null = null;
  /** It was there before all Jobs, so it knows of all of them. */
  #isFirst = false;
  /** The most that may be in use: the limit, or what was in use already when that was lowered. */
  readonly #allowed = new Map<LimitedKey, number>();
  #decidedUntil: EpochMs;
  /** What was in use, from when on; as far as it matters. */
  #history: (readonly [at: EpochMs, used: Amounts])[] = [];
  readonly #tooHighSince = new Map<LimitedKey, EpochMs>();

  constructor(world: World) {
    this.#now = () => world.time;
    this.#law = world.law;
    this.#watchdog = world.watchdog;
    this.#decidedUntil = world.time;
  }

  /** Stores the quota before there are any Jobs. */
  async begin(hard: Hard, objects: ObjectStore): Promise<void> {
    const none = Object.fromEntries(Object.keys(hard).map((key) => [key, 0]));
    const document = quotaDocument(hard, none, this.#now());
    await objects.commit('ResourceQuota', { key: QUOTA_KEY, was: 0, document });
    this.#quota = quotaIn(document);
    this.#isFirst = true;
    for (const key of LIMITED) if (hard[key] !== undefined) this.#allowed.set(key, hard[key]);
  }

  isLimitedTo(hard: Hard): boolean {
    return LIMITED.every((key) => this.#quota?.hard[key] === hard[key]);
  }

  watchJobs(jobs: JobStore): JobStore {
    return {
      ...jobs,
      createJob: async (spec, status) => {
        const created = await jobs.createJob(spec, status);
        this.#look();
        return created;
      },
      commitPass: async (uid, status, chunks) => {
        const committed = await jobs.commitPass(uid, status, chunks);
        this.#look();
        return committed;
      },
      commitSpec: async (spec, status) => {
        const committed = await jobs.commitSpec(spec, status);
        this.#look();
        return committed;
      },
      commitDeletion: async (identity, status) => {
        const committed = await jobs.commitDeletion(identity, status);
        this.#look();
        return committed;
      },
    };
  }

  watchObjects(objects: ObjectStore): ObjectStore {
    return {
      ...objects,
      commit: async (kind, change) => {
        const committed = await objects.commit(kind, change);
        const { document } = change;
        if (kind === 'ResourceQuota' && committed.kind === 'committed' && document !== null) {
          this.#changed(quotaIn(document));
          this.#look();
        }
        return committed;
      },
    };
  }

  #changed(quota: Quota): void {
    const before = this.#quota?.hard ?? {};
    this.#quota = quota;
    for (const key of LIMITED) {
      const [was = Infinity, is] = [before[key], quota.hard[key]];
      if (is === undefined) continue;
      if (is < was) this.#decidedUntil = plusMs(this.#now(), DECIDED_MS);
      this.#allowed.set(key, Math.max(is, this.#allowed.get(key) ?? Infinity));
    }
  }

  #look(): void {
    const used = this.#used();
    const [, last] = this.#history.at(-1) ?? [];
    if (last === undefined || LIMITED.some((key) => last[key] !== used[key])) this.#history.push([this.#now(), used]);
    const quota = this.#quota;
    if (quota === null) return;
    for (const key of LIMITED) {
      const [hard, says] = [quota.hard[key], quota.used[key]];
      if (hard === undefined) continue;
      const tooLow = (): string => `the quota says that ${says} ${key} are used, and Jobs may use ${used[key]}`;
      if (this.#isFirst) this.#law.forbid(says !== undefined && says < used[key], 'G25', tooLow);
      if (this.#now() < this.#decidedUntil) continue;
      const allowed = this.#allowed.get(key) ?? Infinity;
      const tooMuch = (): string => `Jobs may use ${used[key]} ${key}, and the quota is ${hard}`;
      this.#law.forbid(allowed < Infinity && used[key] > allowed, 'G25', tooMuch);
      // Once more room than the quota has is not in use any more, nobody may take it again.
      this.#allowed.set(key, Math.max(hard, Math.min(allowed, used[key])));
    }
  }

  /** By what is stored, and by the watchdog's own boards. */
  #used(): Amounts {
    const jobs = [...this.#watchdog.jobs.values()].filter(({ status }) => !isHidden(status.phase));
    return { pods: jobs.reduce((sum, job) => sum + podsOf(job), 0), 'count/jobs.batch': jobs.length };
  }

  /** Once the weather is clear, now and then: what is not in use any more is given back. */
  checkReturned(clearSince: EpochMs): void {
    const quota = this.#quota;
    const now = this.#now();
    if (quota === null || now < plusMs(clearSince, SETTLED_MS)) return;
    const from = this.#history.findLastIndex(([at]) => at <= now - RETURNED_MS);
    this.#history = this.#history.slice(Math.max(0, from));
    for (const key of LIMITED) {
      const most = Math.max(...this.#history.map(([, used]) => used[key]));
      if (quota.hard[key] === undefined || (quota.used[key] ?? 0) <= most) {
        this.#tooHighSince.delete(key);
        continue;
      }
      const since = this.#tooHighSince.get(key) ?? now;
      this.#tooHighSince.set(key, since);
      const what = (): string =>
        `the quota says for minutes that ${quota.used[key]} ${key} are used, and it is ${most}`;
      this.#law.forbid(now - since > RETURNED_MS, 'G25', what);
    }
  }

  /** At the end, all Jobs being over: the quota says exactly what is used, and nothing stays reserved. */
  checkSettled(): void {
    const quota = this.#quota;
    const used = this.#used();
    if (quota === null) return this.#law.forbid(true, 'G25', () => 'the quota was never stored');
    for (const key of LIMITED) {
      const says = quota.used[key];
      const what = (): string =>
        `when all is quiet, the quota says that ${says} ${key} are used, and it is ${used[key]}`;
      this.#law.forbid(quota.hard[key] !== undefined && says !== used[key], 'G25', what);
    }
    const { open } = quota.ledger;
    this.#law.forbid(open.length > 0, 'G25', () => `${open.length} reservations stay for ever`);
  }

  /** And then a Job that fits is taken, and one that takes a Pod more is not. */
  async checkRoom(deps: Deps): Promise<void> {
    const { hard = {} } = this.#quota ?? {};
    const used = this.#used();
    const [podsMax = 50, jobsMax = Infinity] = [hard.pods, hard['count/jobs.batch']];
    const answer = async (parallelism: number): Promise<string> => {
      const probe = { uid: `sim-probe-${parallelism}`, name: `probe-${parallelism}`, completions: null, parallelism };
      const spec = aJob({ ...probe, completionMode: 'NonIndexed', createdAt: this.#now() });
      return (await createJobCommands(deps).tryCreation(spec)).kind;
    };
    const [fits, more] = [await answer(podsMax - used.pods), await answer(podsMax - used.pods + 1)];
    const expected = used['count/jobs.batch'] < jobsMax ? 'fits' : 'forbidden';
    this.#law.forbid(fits !== expected, 'G25', () => `a Job for what room there is gets: ${fits}, not: ${expected}`);
    const tooLarge = hard.pods === undefined ? expected : 'forbidden';
    this.#law.forbid(more !== tooLarge, 'G25', () => `a Job for a Pod more than that gets: ${more}, not: ${tooLarge}`);
  }
}

/** The most Pods that the Job may have at a time, as docs/quotas.md counts. */
function podsOf({ spec, status, board }: Watched): number {
  const { kind } = status.phase;
  const isOver = endOf(status.phase) !== null || kind === 'draining' || kind === 'terminating';
  if (isOver || spec.suspend) return 0;
  const { completions, parallelism } = spec;
  if (completions === null) return parallelism;
  const done = [...board.succeeded].filter((index) => index < completions).length;
  return Math.max(0, Math.min(parallelism, completions - done));
}
