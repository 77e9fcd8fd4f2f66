import { type EpochMs, asEpochMs, plusMs } from '../../../domain/base/time.ts';
import { asJobUid, type JobUid } from '../../../domain/base/ids.ts';
import { invariant } from '../../../domain/base/invariant.ts';
import { cronRulesOf } from './cron-rules.ts';
import { type CronClaim, FRESH_CRON, type CronState } from './cron-state.ts';
import type { CronEvent } from '../../../domain/schedulers/scheduler-event.ts';
import { slotJitterMs } from './job-of-slot.ts';
import { type ObservedJob, activeJobs } from './owned-jobs.ts';
import { type CronView, planCron } from './plan-cron.ts';
import type { ClaimOutcome } from '../../../domain/schedulers/claim-outcome.ts';
import { slotsOf } from './slots.ts';
import type { CronJobManifest } from './cron-manifest.ts';

/** How each of its Jobs ends. */
export type JobFate = {
  /** From its creation; null: it never ends. */
  readonly takesMs: number | null;
  readonly verdict: 'complete' | 'failed';
};

export type CronSimulationOptions = {
  readonly cron: CronJobManifest;
  /** When the CronJob is created. */
  readonly start: EpochMs;
  /** This moment is no more simulated. */
  readonly end: EpochMs;
  readonly fate: JobFate;
  readonly hash: (text: string) => string;
  /** Hears how far the time has come. */
  readonly progress?: (now: EpochMs) => void;
};

/** What became of a slot. */
export type SimulatedSlot = { readonly slot: EpochMs } & (
  | { readonly kind: 'ran'; readonly run: SimulatedRun }
  | ({ readonly kind: 'skipped' } & Skip)
);

/** Why a slot has no Job. `isForbidden`: another one ran. */
type Skip = { readonly reason: string; readonly isForbidden: boolean };

export type SimulatedRun = {
  readonly job: string;
  readonly createdAt: EpochMs;
  /** The slot's own delay. */
  readonly jitterMs: number;
  /** null: it still runs at the end. */
  readonly endedAt: EpochMs | null;
  /** `replaced`: another slot's Job has taken its place. */
  readonly end: 'complete' | 'failed' | 'replaced' | 'running';
  /** Jobs that ran when it was created, and were not replaced. */
  readonly besides: number;
  readonly replaces: readonly string[];
};

export type CronSimulation = {
  readonly slots: readonly SimulatedSlot[];
  /** The CronJob's newest Events, oldest first. */
  readonly events: readonly CronEvent[];
  readonly mostAtOnce: number;
  /** Jobs that the history limits have left, and those that run. */
  readonly kept: number;
};

/** More take longer than anybody waits, and fill no table. */
const SLOTS_MAX = 50_000;

/**
 * Lets a CronJob's scheduler decide in virtual time, from its creation to the end: the one that runs on AWS, {@link planCron}. The
 * same options give the same simulation.
 *
 * @returns null: it has more than 50,000 slots
 */
export function simulateCron(options: CronSimulationOptions): CronSimulation | null {
  const world = new CronWorld(options);
  let now: EpochMs | null = options.start;
  while (now !== null && now < options.end) {
    const alarmAt = world.look(now);
    options.progress?.(now);
    if (world.slotCount > SLOTS_MAX) return null;
    now = soonestAfter(now, [alarmAt, world.nextEnd(now)]);
  }
  world.close();
  return world.slotCount > SLOTS_MAX ? null : world.result();
}

function soonestAfter(now: EpochMs, moments: readonly (EpochMs | null)[]): EpochMs | null {
  const coming = moments.filter((at) => at !== null).map((at) => Math.max(at, now + 1));
  return coming.length === 0 ? null : asEpochMs(Math.min(...coming));
}

type Run = { -readonly [K in keyof SimulatedRun]: SimulatedRun[K] } & { readonly endsAt: EpochMs | null };

class CronWorld {
  readonly #options: CronSimulationOptions;
  readonly #view: CronView;
  readonly #jitterSec: number;
  readonly #next: (after: EpochMs) => EpochMs | null;
  #state: CronState = FRESH_CRON;
  /** Jobs that are there. */
  readonly #jobs = new Map<JobUid, Run>();
  readonly #runs = new Map<EpochMs, Run>();
  /** Slots that are past, by the reason for which they have no Job yet. */
  readonly #passed = new Map<EpochMs, Skip>();
  #lastSlot: EpochMs;
  #mostAtOnce = 0;

  constructor(options: CronSimulationOptions) {
    const { metadata, spec } = options.cron;
    this.#options = options;
    const rules = cronRulesOf(metadata.annotations);
    this.#jitterSec = rules.jitterSec;
    const view = { name: metadata.name, createdAt: options.start, isDeleted: false, spec, rules, lastScheduleAt: null };
    this.#view = view;
    const slots = slotsOf(spec);
    this.#next = slots.kind === 'slots' ? slots.next : () => null;
    this.#lastSlot = options.start;
  }

  get slotCount(): number {
    return this.#passed.size;
  }

  /** One look of the scheduler, and what it entails; returns when it looks again. */
  look(now: EpochMs): EpochMs | null {
    this.#endJobs(now);
    let outcome: ClaimOutcome | null = null;
    for (;;) {
      const plan = planCron({
        cron: this.#view,
        state: this.#state,
        jobs: this.#observed(),
        outcome,
        now,
        jitterMs: (slot) => this.#jitterMs(slot),
        uidOf,
      });
      this.#state = plan.state;
      for (const uid of plan.prune) this.#jobs.delete(uid);
      if (plan.state.claim === null) {
        this.#noteSlots(now);
        return plan.alarmAt;
      }
      this.#create(plan.state.claim, now);
      outcome = { kind: 'created' };
    }
  }

  /** When the next Job ends; null: none does. */
  nextEnd(now: EpochMs): EpochMs | null {
    const ends = [...this.#jobs.values()].flatMap(({ endsAt, end }) => (end === 'running' ? (endsAt ?? []) : []));
    return ends.length === 0 ? null : asEpochMs(Math.max(now, Math.min(...ends)));
  }

  /** What happens between the last look and the end. */
  close(): void {
    const last = plusMs(this.#options.end, -1);
    this.#endJobs(last);
    this.#noteSlots(last);
  }

  result(): CronSimulation {
    const all = [...new Set([...this.#passed.keys(), ...this.#runs.keys()])].sort((a, b) => a - b);
    const slots = all.map((slot): SimulatedSlot => {
      const run = this.#runs.get(slot);
      if (run === undefined) return { slot, kind: 'skipped', ...(this.#passed.get(slot) ?? skipped('')) };
      const { endsAt: _endsAt, ...shown } = run;
      return { slot, kind: 'ran', run: shown };
    });
    return { slots, events: this.#state.events, mostAtOnce: this.#mostAtOnce, kept: this.#jobs.size };
  }

  #jitterMs(slot: EpochMs): number {
    return slotJitterMs(this.#jitterSec, this.#view.name, slot, this.#options.hash);
  }

  #observed(): ReadonlyMap<JobUid, ObservedJob | null> {
    const seen = this.#state.jobs.map(({ uid, name }): readonly [JobUid, ObservedJob | null] => {
      const run = this.#jobs.get(uid);
      if (run === undefined) return [uid, null];
      const { end, endedAt: at, createdAt: startAt } = run;
      const isOver = (end === 'complete' || end === 'failed') && at !== null;
      return [uid, { name, end: isOver ? { kind: end, startAt, at } : null }];
    });
    return new Map(seen);
  }

  #endJobs(now: EpochMs): void {
    for (const run of this.#jobs.values())
      if (run.end === 'running' && run.endsAt !== null && run.endsAt <= now) {
        run.end = this.#options.fate.verdict;
        run.endedAt = run.endsAt;
      }
  }

  #create({ slot, name, uid, replaces }: CronClaim, now: EpochMs): void {
    invariant(!this.#runs.has(slot), `two Jobs for the slot ${slot}`);
    const replaced = replaces.flatMap((each) => this.#jobs.get(each) ?? []);
    for (const run of replaced) Object.assign(run, { end: 'replaced', endedAt: now });
    for (const each of replaces) this.#jobs.delete(each);
    const besides = [...this.#jobs.values()].filter(({ end }) => end === 'running').length;
    const { takesMs } = this.#options.fate;
    const run: Run = {
      job: name,
      createdAt: now,
      jitterMs: this.#jitterMs(slot),
      endedAt: null,
      end: 'running',
      besides,
      replaces: replaced.map(({ job }) => job),
      endsAt: takesMs === null ? null : plusMs(now, takesMs),
    };
    this.#jobs.set(uid, run);
    this.#runs.set(slot, run);
    this.#mostAtOnce = Math.max(this.#mostAtOnce, besides + 1);
  }

  /** Writes down the slots up to now, with the reason why each has no Job, if it has none. */
  #noteSlots(now: EpochMs): void {
    for (let slot = this.#next(this.#lastSlot); slot !== null && slot <= now; slot = this.#next(slot)) {
      this.#passed.set(slot, this.#reasonOf(slot, now));
      this.#lastSlot = slot;
      if (this.#passed.size > SLOTS_MAX) return;
    }
  }

  #reasonOf(slot: EpochMs, now: EpochMs): Skip {
    const { suspend, concurrencyPolicy } = this.#view.spec;
    if (suspend) return skipped('suspended');
    const [active] = activeJobs(this.#state);
    if (concurrencyPolicy === 'Forbid' && active !== undefined && active.name !== this.#runs.get(slot)?.job)
      return { reason: `Forbid: ${active.name} was running`, isForbidden: true };
    return skipped(slot + this.#jitterMs(slot) > now ? 'its Job would come later' : 'missed');
  }
}

const skipped = (reason: string): Skip => ({ reason, isForbidden: false });

/** Only one CronJob is simulated, so the slot is enough. */
const uidOf = (slot: EpochMs): JobUid => asJobUid(`simulated-${slot}`);
