import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { type EpochMs, asEpochMs } from '../../../shared/domain/base/time.ts';
import { nextTime } from '../../../shared/capabilities/schedules/domain/next-time.ts';
import { endOf, isHidden } from '../../../shared/domain/scoreboard/status.ts';
import { parseSchedule } from '../../../shared/capabilities/schedules/domain/cron-schedule.ts';
import type { CronStore } from '../../../shared/ports/cron-store.ts';
import type { JobStore, StoredSpec } from '../../../shared/ports/job-store.ts';
import type { ObjectStore } from '../../../shared/ports/object-store.ts';
import type { SeedCron } from '../world/seed-cron.ts';
import type { Law } from './law.ts';
import type { Sights } from './sights.ts';
import { watchNewJobs } from './new-jobs.ts';
import type { Watchdog } from './watchdog.ts';

const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** Clocks of schedulers differ. */
const SKEW_MS = 10_000;
/** In calm weather. */
const LATE_MAX_MS = 15_000;

type SlotJob = { readonly uid: JobUid; readonly slot: EpochMs; readonly createdAt: EpochMs };

type Stores = { readonly jobs: JobStore; readonly objects: ObjectStore; readonly crons: CronStore };

/** Looks at every Job that is created for a slot, and in calm weather for those that are missing (G17). */
export class CronWatch {
  #cron: SeedCron | null = null;
  readonly #slots: SlotJob[] = [];
  readonly #known = new Set<string>();
  readonly #now: () => EpochMs;
  readonly #law: Law;
  readonly #watchdog: Watchdog;
  readonly #sights: Sights;

  constructor(now: () => EpochMs, law: Law, watchdog: Watchdog, sights: Sights) {
    this.#now = now;
    this.#law = law;
    this.#watchdog = watchdog;
    this.#sights = sights;
  }

  expect(cron: SeedCron): void {
    this.#cron = cron;
  }

  /** The newest Job of a slot that can still be seen. */
  newest(): JobUid | null {
    return this.#slots.findLast(({ uid }) => !this.#isGone(uid))?.uid ?? null;
  }

  watchJobs(jobs: JobStore): JobStore {
    return watchNewJobs(jobs, this.#known, (spec) => this.#created(spec));
  }

  #created({ identity: { uid }, manifest }: StoredSpec): void {
    const text = manifest.metadata.annotations?.[SCHEDULED_AT];
    if (this.#cron === null || text === undefined) return;
    const { concurrencyPolicy } = this.#cron.manifest.spec;
    const slot = asEpochMs(Date.parse(text));
    const forbid = this.#law.of(uid);
    const twice = this.#slots.some((each) => each.slot === slot);
    forbid(twice, 'G17', () => `the slot of ${text} gets another Job`);
    const own = this.#slotsBetween(asEpochMs(slot - 1), slot);
    forbid(own.length !== 1, 'G17', () => `${text} is no slot of the schedule`);
    forbid(slot > this.#now() + SKEW_MS, 'G17', () => `the slot of ${text} gets its Job too early`);
    const running = this.#slots.filter((each) => !this.#isGone(each.uid) && this.#endOf(each.uid) === null);
    const isAlone = concurrencyPolicy === 'Allow' || running.length === 0;
    forbid(
      !isAlone,
      'G17',
      () => `with ${concurrencyPolicy}, the slot of ${text} gets its Job beside ${running.length}`,
    );
    this.#slots.push({ uid, slot, createdAt: this.#now() });
    this.#sights.see('slot');
    if (concurrencyPolicy === 'Replace' && this.#slots.length > 1) this.#sights.see('slot after a replaced one');
  }

  #slotsBetween(after: EpochMs, until: EpochMs): readonly EpochMs[] {
    const parsed = parseSchedule(this.#cron?.manifest.spec.schedule ?? '');
    if (parsed.kind === 'bad') return [];
    const found: EpochMs[] = [];
    for (
      let at = nextTime(parsed.schedule, 'UTC', after);
      at !== null && at <= until;
      at = nextTime(parsed.schedule, 'UTC', at)
    )
      found.push(at);
    return found;
  }

  #endOf(uid: JobUid): EpochMs | null {
    const status = this.#watchdog.jobs.get(uid)?.status;
    return status === undefined ? null : (endOf(status.phase)?.at ?? null);
  }

  #isGone(uid: JobUid): boolean {
    const phase = this.#watchdog.jobs.get(uid)?.status.phase;
    return phase === undefined || isHidden(phase);
  }

  /** After some minutes of calm: each slot of them has its Job in time, or one that ran stood against it. */
  checkCalm(from: EpochMs): void {
    const cron = this.#cron;
    if (cron === null) return;
    const lateMs = LATE_MAX_MS + cron.jitterSec * 1_000;
    for (const slot of this.#slotsBetween(from, asEpochMs(this.#now() - lateMs))) {
      const found = this.#slots.find((each) => each.slot === slot);
      const isInTime = found !== undefined && found.createdAt <= slot + lateMs;
      const isForbidden = cron.manifest.spec.concurrencyPolicy === 'Forbid' && this.#ranBeside(slot);
      if (isForbidden && !isInTime) this.#sights.see('slot forbidden');
      this.#law.of(cron.uid)(
        !isInTime && !isForbidden,
        'G17',
        () => `the slot of ${new Date(slot).toISOString()} has ${found === undefined ? 'no Job' : 'its Job too late'}`,
      );
    }
  }

  /** A Job of an earlier slot had not ended when this slot was due, or ended about then. */
  #ranBeside(slot: EpochMs): boolean {
    return this.#slots.some(({ uid, slot: own }) => {
      const end = this.#endOf(uid);
      return own < slot && (end === null ? !this.#isGone(uid) : end > slot - LATE_MAX_MS);
    });
  }

  /** What users see of it agrees with its Jobs. */
  async checkStanding({ objects, crons }: Stores): Promise<void> {
    const cron = this.#cron;
    if (cron === null) return;
    const forbid = this.#law.of(cron.uid);
    const row = await crons.read(cron.uid);
    const object = row === null ? null : await objects.read('CronJob', row.key);
    const status = object?.document['status'] as
      | { readonly active?: readonly { readonly uid: string }[]; readonly lastScheduleTime?: string }
      | undefined;
    const newest = Math.max(...this.#slots.map(({ slot }) => slot));
    forbid(
      Date.parse(status?.lastScheduleTime ?? '') !== newest,
      'G17',
      () => `lastScheduleTime is ${status?.lastScheduleTime}, and the newest slot ${new Date(newest).toISOString()}`,
    );
    const shown = (status?.active ?? []).map(({ uid }) => uid).toSorted();
    const active = this.#slots.filter(({ uid }) => !this.#isGone(uid) && this.#endOf(uid) === null);
    const uids = active.map(({ uid }) => uid as string).toSorted();
    forbid(shown.join() !== uids.join(), 'G17', () => `status.active has ${shown.join()} in place of ${uids.join()}`);
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cron.manifest.spec;
    const ended = this.#slots.filter(({ uid }) => !this.#isGone(uid) && this.#endOf(uid) !== null);
    const most = successfulJobsHistoryLimit + failedJobsHistoryLimit;
    forbid(ended.length > most, 'G17', () => `${ended.length} Jobs are kept that have ended, ${most} may be`);
  }

  /** A deleted CronJob leaves nothing. */
  async checkGone({ jobs, crons }: Stores): Promise<void> {
    if (this.#cron === null) return;
    const forbid = this.#law.of(this.#cron.uid);
    const left = (await jobs.listJobs({ namespace: null, after: null, limit: 10 })).jobs.map(({ name }) => name);
    forbid(left.length > 0, 'G17', () => `a deleted CronJob leaves the Jobs ${left.join(', ')}`);
    forbid((await crons.read(this.#cron.uid)) !== null, 'G7', () => 'a deleted CronJob leaves its row');
  }
}
