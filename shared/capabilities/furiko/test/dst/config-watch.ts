import type { JobUid } from '../../../../domain/base/ids.ts';
import { type EpochMs, asEpochMs } from '../../../../domain/base/time.ts';
import type { ConfigState } from '../../domain/config-state.ts';
import { SCHEDULE_TIME } from '../../domain/furiko-labels.ts';
import type { JobConfigSpec, JobConfigStatusDocument } from '../../domain/job-config.ts';
import { type Status, isHidden, podCount, tally } from '../../../../domain/scoreboard/status.ts';
import type { CronStore } from '../../../../ports/cron-store.ts';
import type { JobStore, StoredSpec } from '../../../../ports/job-store.ts';
import type { ObjectStore } from '../../../../ports/object-store.ts';
import { CONFIG_KEY, type SeedConfig } from './seed-config.ts';
import type { Law } from '../../../../../test/dst/checks/law.ts';
import { watchNewJobs } from '../../../../../test/dst/checks/new-jobs.ts';
import type { Sights } from '../../../../../test/dst/checks/sights.ts';
import type { Watchdog } from '../../../../../test/dst/checks/watchdog.ts';
import type { PlayWatch } from '../../../../../test/dst/world/play-watch.ts';
import type { World } from '../../../../../test/dst/world/world.ts';

/** Clocks of schedulers differ. */
const SKEW_MS = 10_000;
/** In calm weather: a slot has its Job, or whose turn it is has started. */
const LATE_MAX_MS = 15_000;
/** A place whose Job never came holds up those behind it for two minutes, and the sweep's minute. */
const TURN_MAX_MS = 200_000;

type Stores = { readonly jobs: JobStore; readonly objects: ObjectStore; readonly crons: CronStore };

/** Looks at every Job of a JobConfig that is let in, in which order, and beside how many (G21). */
export class ConfigWatch implements PlayWatch {
  #config: SeedConfig | null = null;
  /** Jobs in the order in which they took their places. */
  readonly #order: JobUid[] = [];
  readonly #letIn = new Set<JobUid>();
  readonly #known = new Set<string>();
  readonly #slots = new Map<EpochMs, { readonly uid: JobUid; readonly at: EpochMs }>();
  /** What rows have said of slots that get no Job. */
  readonly #said = new Set<string>();
  /** Since when one could start and does not. */
  readonly #idleSince = new Map<JobUid, EpochMs>();
  #state: ConfigState | null = null;
  /** The most that were ever allowed: a place that was given under another limit is good. */
  #mostAllowed = 0;
  #allowed = 0;
  readonly #now: () => EpochMs;
  readonly #law: Law;
  readonly #watchdog: Watchdog;
  readonly #sights: Sights;

  constructor(world: World) {
    this.#now = () => world.time;
    this.#law = world.law;
    this.#watchdog = world.watchdog;
    this.#sights = world.sights;
  }

  expect(config: SeedConfig): void {
    this.#config = config;
  }

  watchObjects(objects: ObjectStore): ObjectStore {
    return {
      ...objects,
      commit: async (kind, commit) => {
        const committed = await objects.commit(kind, commit);
        if (kind !== 'JobConfig' || committed.kind !== 'committed' || commit.document === null) return committed;
        const { concurrency } = commit.document['spec'] as JobConfigSpec;
        this.#allowed = concurrency.maxConcurrency ?? Number.POSITIVE_INFINITY;
        this.#mostAllowed = Math.max(this.#mostAllowed, this.#allowed);
        return committed;
      },
    };
  }

  watchCrons(crons: CronStore): CronStore {
    return {
      ...crons,
      write: async (row) => {
        const written = await crons.write(row);
        if (row.kind === 'JobConfig' && written.kind === 'written') this.#placed(row.state);
        return written;
      },
    };
  }

  #placed(state: ConfigState): void {
    for (const { uid, stage } of state.places) {
      if (this.#order.includes(uid)) continue;
      this.#order.push(uid);
      if (stage === 'queued') this.#sights.see('place queued');
    }
    for (const { reason, message } of state.events) {
      if (reason === 'SkippedSchedule' && !this.#said.has(message)) this.#sights.see('slot skipped');
      this.#said.add(message);
    }
    this.#state = state;
  }

  watchJobs(jobs: JobStore): JobStore {
    return {
      ...watchNewJobs(jobs, this.#known, (spec) => this.#created(spec)),
      commitSpec: async (spec, status) => {
        const committed = await jobs.commitSpec(spec, status);
        if (committed.kind === 'committed') this.#mayStart(spec);
        return committed;
      },
    };
  }

  #created(spec: StoredSpec): void {
    const { uid } = spec.identity;
    const config = this.#config;
    if (config === null || spec.furiko === undefined) return;
    const forbid = this.#law.of(uid);
    forbid(!this.#order.includes(uid), 'G21', () => `Job ${spec.identity.name} is stored before it has a place`);
    const text = spec.furiko.metadata.annotations?.[SCHEDULE_TIME];
    if (text !== undefined) {
      const slot = asEpochMs(Number(text) * 1_000);
      const at = new Date(slot).toISOString();
      forbid(this.#slots.has(slot), 'G21', () => `the slot of ${at} gets another Job`);
      const isSlot = config.everySec !== null && Number(text) % config.everySec === 0;
      forbid(!isSlot, 'G21', () => `${at} is no slot of the schedule`);
      forbid(slot > this.#now() + SKEW_MS, 'G21', () => `the slot of ${at} gets its Job too early`);
      this.#slots.set(slot, { uid, at: this.#now() });
      this.#sights.see('slot of a JobConfig');
    }
    this.#mayStart(spec);
  }

  /** A Job that is not suspended may start. */
  #mayStart({ identity: { uid, name }, manifest, furiko }: StoredSpec): void {
    if (furiko === undefined || manifest.spec.suspend === true || this.#letIn.has(uid)) return;
    const others = this.active();
    const forbid = this.#law.of(uid);
    forbid(
      others >= this.#mostAllowed,
      'G21',
      () => `${name} starts beside ${others} others, and ${this.#mostAllowed} may be active`,
    );
    this.#letIn.add(uid);
    this.#sights.see('let in');
    const first = this.#order.indexOf(uid);
    const before = this.#order.slice(0, Math.max(0, first)).find((each) => this.#isWaiting(each, SKEW_MS));
    const isInLine = furiko.spec.startPolicy?.concurrencyPolicy === 'Enqueue';
    forbid(isInLine && before !== undefined, 'G21', () => `${name} starts before ${before ?? ''}, which was first`);
  }

  /** Its turn may come, as far as its policy and its time are concerned, and nobody has let it in. */
  #isWaiting(uid: JobUid, skewMs: number): boolean {
    const watched = this.#watchdog.jobs.get(uid);
    const { furiko } = watched?.stored ?? {};
    if (watched === undefined || furiko === undefined || this.#letIn.has(uid)) return false;
    if (isHidden(watched.status.phase) || watched.status.phase.kind === 'finished') return false;
    const { startAfter, concurrencyPolicy } = furiko.spec.startPolicy ?? {};
    if (concurrencyPolicy !== 'Enqueue') return false;
    if (startAfter !== undefined && Date.parse(startAfter) > this.#now() - skewMs) return false;
    return this.#state?.places.find((each) => each.uid === uid)?.stage === 'queued';
  }

  #isOver(uid: JobUid): boolean {
    const status = this.#watchdog.jobs.get(uid)?.status;
    if (status === undefined || status.phase.kind === 'finished' || status.phase.kind === 'deleted') return true;
    return (isHidden(status.phase) || status.phase.kind === 'terminating') && isIdle(status);
  }

  /** A Job that can still be seen: one that runs, if there is any. */
  anyone(): JobUid | null {
    const running = [...this.#letIn].find((uid) => !this.#isOver(uid));
    if (running !== undefined) return running;
    const seen = [...this.#watchdog.jobs].filter(([, { status }]) => !isHidden(status.phase));
    return seen.at(Math.floor(seen.length / 2))?.[0] ?? null;
  }

  /** Jobs in the order in which they took their places, and in that in which they were let in. */
  orders(): { readonly places: readonly JobUid[]; readonly letIn: readonly JobUid[] } {
    return { places: this.#order.filter((uid) => this.#watchdog.jobs.has(uid)), letIn: [...this.#letIn] };
  }

  /** Jobs that may start, or have, and not ended. */
  active(): number {
    return [...this.#letIn].filter((uid) => !this.#isOver(uid)).length;
  }

  /** Jobs that have not ended. */
  unfinished(): number {
    return [...this.#watchdog.jobs.keys()].filter((uid) => !this.#isOver(uid)).length;
  }

  /** In calm weather nobody waits for long while there is room. */
  checkTurns(): void {
    const active = this.active();
    const waiting = active < this.#allowed ? this.#order.filter((uid) => this.#isWaiting(uid, 0)) : [];
    for (const uid of this.#idleSince.keys()) if (!waiting.includes(uid)) this.#idleSince.delete(uid);
    for (const uid of waiting) {
      const since = this.#idleSince.get(uid) ?? this.#now();
      this.#idleSince.set(uid, since);
      const isLate = this.#now() - since > TURN_MAX_MS;
      this.#law.of(uid)(isLate, 'G21', () => `${uid} waits although only ${active} of ${this.#allowed} are active`);
    }
  }

  /** After some minutes of calm: each slot of them has its Job in time, or somebody has said why not. */
  checkSlots(from: EpochMs): void {
    const config = this.#config;
    if (config === null || config.everySec === null) return;
    const everyMs = config.everySec * 1_000;
    const until = this.#now() - LATE_MAX_MS;
    for (let slot = Math.ceil(from / everyMs) * everyMs; slot <= until; slot += everyMs) {
      const time = new Date(slot).toISOString().replace('.000Z', 'Z');
      const found = this.#slots.get(asEpochMs(slot));
      const isInTime = found !== undefined && found.at <= slot + LATE_MAX_MS;
      const isSaid = [...this.#said].some((message) => message.startsWith(`Skipped ${time}: `));
      this.#law.of(config.uid)(
        !isInTime && !isSaid,
        'G21',
        () => `the slot of ${time} has ${found === undefined ? 'no Job' : 'its Job too late'}`,
      );
    }
  }

  /** Nothing is new any more, and every Job has had its turn. */
  async checkStanding({ objects, crons }: Stores): Promise<void> {
    const config = this.#config;
    if (config === null) return;
    const forbid = this.#law.of(config.uid);
    const left = [...this.#watchdog.jobs].filter(([uid]) => !this.#isOver(uid));
    const names = left.map(([uid, { status }]) => `${uid} (${status.phase.kind})`).join(', ');
    forbid(left.length > 0, 'G21', () => `Jobs never end: ${names}`);
    const row = await crons.read(config.uid);
    const places = row?.kind === 'JobConfig' ? row.state.places.map(({ name }) => name) : [];
    forbid(row === null || places.length > 0, 'G21', () => `places are left: ${places.join(', ')}`);
    const status = (await objects.read('JobConfig', CONFIG_KEY))?.document['status'] as JobConfigStatusDocument;
    const isIdleShown = (status?.active ?? 0) + (status?.queued ?? 0) === 0;
    forbid(!isIdleShown, 'G21', () => `the status has ${JSON.stringify(status)}, and nothing is active or queued`);
    const newest = Math.max(0, ...this.#slots.keys());
    const isTold = newest === 0 || Date.parse(status?.lastScheduled ?? '') === newest;
    forbid(!isTold, 'G21', () => `lastScheduled is ${status?.lastScheduled}, not ${new Date(newest).toISOString()}`);
  }

  /** A deleted JobConfig leaves nothing. */
  async checkGone({ jobs, crons }: Stores): Promise<void> {
    if (this.#config === null) return;
    const forbid = this.#law.of(this.#config.uid);
    const left = (await jobs.listJobs({ namespace: null, after: null, limit: 10 })).jobs.map(({ name }) => name);
    forbid(left.length > 0, 'G21', () => `a deleted JobConfig leaves the Jobs ${left.join(', ')}`);
    forbid((await crons.read(this.#config.uid)) !== null, 'G7', () => 'a deleted JobConfig leaves its row');
  }
}

const isIdle = ({ replacedTasks, inFlight, chunks }: Status): boolean =>
  podCount(tally(chunks)) === 0 && replacedTasks.length === 0 && inFlight.length === 0;
