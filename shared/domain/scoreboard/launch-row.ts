import { type EpochMs, plusMs } from '../base/time.ts';
import type { TaskArn } from '../base/ids.ts';
import type { AttemptId } from '../base/fact.ts';
import { CLOCKS_APART_MAX_MS } from '../base/timing.ts';

/** How far one launch has come. It makes launching and cancelling exclude each other, and a repeated call is built from it. */
export type LaunchSlot = AttemptId &
  /**
   * `traits`, and the number of the Job's launch `template`: frozen here, because a repeated call must be identical; omitted:
   * no traits, and the first template.
   */
  (
    | {
        readonly state: 'launching';
        readonly since: EpochMs;
        readonly traits?: LaunchTraits | undefined;
        readonly template?: number | undefined;
        /** When the call was repeated last; omitted: never. `since` is when its token began. */
        readonly repeatedAt?: EpochMs | undefined;
        /** Version of the row that claimed it, or its repeated call, last: whose call it is. */
        readonly claim?: number | undefined;
      }
    /**
     * `refusedAt`: ECS refused it then, and may have started it anyway; omitted: ECS was never asked for it, or its task was
     * not found.
     */
    | { readonly state: 'cancelled'; readonly refusedAt?: EpochMs | undefined }
    /** `since`: when the task was created, by ECS's clock if ECS reported it */
    | { readonly state: 'launched'; readonly taskArn: TaskArn; readonly since: EpochMs }
  );

/** What the board adds to a launch, apart from which attempt it is. */
export type LaunchTraits = {
  /** Not on Spot, whatever the Pod template says. */
  readonly onDemand: boolean;
  /** Failures of the index before it, if each index has a limit of its own: counted ones, and ignored ones. */
  readonly failures: number;
  readonly ignored: number;
  /** How often Pods of its index were restarted in a new task before it; omitted: never. */
  readonly restarts?: number | undefined;
};
const PLAIN: LaunchTraits = { onDemand: false, failures: 0, ignored: 0 };

/** One RunTask call. */
export type Run = {
  readonly id: AttemptId;
  readonly traits: LaunchTraits;
  /** Number of the Job's launch template. */
  readonly template: number;
  /** It may have been called up to then, with an unknown outcome; null: it was never called. */
  readonly doubtedSince: EpochMs | null;
  /** What makes its slot what it was if it is not called. */
  readonly claim: Claim;
};

/** `version`: of the row that claimed the call; `was`: what the slot said before, null: nothing. */
export type Claim = { readonly version: number; readonly was: LaunchSlot | null };

export type LaunchRow = {
  readonly row: number;
  readonly version: number;
  /** By index, at most ten. */
  readonly slots: readonly LaunchSlot[];
};

/** Consecutive indexes that share one launch row, so that an index leads to its row without a lookup. */
export const LAUNCH_ROW_INDEXES = 10;
export const launchRowOf = (index: number): number => Math.floor(index / LAUNCH_ROW_INDEXES);
export const indexesOfRow = (row: number): readonly number[] =>
  Array.from({ length: LAUNCH_ROW_INDEXES }, (_, nth) => row * LAUNCH_ROW_INDEXES + nth);

/** A clientToken is certainly valid this long; ECS keeps it for the task's life and an hour, 24 hours at most (aws.md 1.2). */
const TOKEN_SAFE_MS = 45 * 60_000;
/** A launch in progress is left alone this long before another dispatcher finds out its outcome. */
const UNDER_WAY_MS = 30_000;

/** What a dispatch message asks of one launch row. */
export type SlotOrders = {
  readonly launch: readonly AttemptId[];
  /** Launches whose right to call has not come: the work says what the row knows of them, and nothing is written. Omitted: none. */
  readonly await?: readonly AttemptId[];
  readonly stop: readonly AttemptId[];
  /** Launches whose hostname cannot be had. Omitted: none. */
  readonly withdraw?: readonly Withdrawal[];
  /** By index, of those launches that have any. Omitted: none has. */
  readonly traits?: ReadonlyMap<number, LaunchTraits> | undefined;
  /** Number of the template that launches are made from. Omitted: the first. */
  readonly template?: number;
};

/** A launch that must not happen: not now (`later`: the next nonce may succeed), or never (`fatal`). */
export type Withdrawal = {
  readonly id: AttemptId;
  readonly why: { readonly kind: 'later' | 'fatal'; readonly reason: string };
};

/** What to do about the attempts of a message, and the row that must be stored before any of it is done. */
export type SlotWork = {
  readonly row: LaunchRow;
  /** The row differs from the one that was read. */
  readonly changed: boolean;
  /** RunTask: the slot says launching, so it can no longer be cancelled; repeating the call is harmless. */
  readonly run: readonly Run[];
  /** Nothing keeps them from being launched once they have a right to call. */
  readonly awaited: readonly AttemptId[];
  /** Whether it was launched is unknown, and the token may be invalid: search for the task in ECS. */
  readonly find: readonly { readonly id: AttemptId; readonly calledAt: EpochMs }[];
  /** Refused, and requested again as if there were a task: search for it; if it is not found, it is cancelled. */
  readonly doubted: readonly { readonly id: AttemptId; readonly refusedAt: EpochMs }[];
  readonly stop: readonly { readonly id: AttemptId; readonly taskArn: TaskArn }[];
  /** To be stopped, and being launched by another dispatcher: the row will soon say what there is to stop. */
  readonly underWay: readonly AttemptId[];
  readonly launched: readonly { readonly id: AttemptId; readonly taskArn: TaskArn }[];
  /** By a stop. */
  readonly cancelled: readonly AttemptId[];
  /** Cancelled because the launch was withdrawn. */
  readonly withdrawn: readonly Withdrawal[];
};

type Launching = Extract<LaunchSlot, { state: 'launching' }>;

/** When it may have been called last. */
const calledAt = ({ since, repeatedAt = since }: Launching): EpochMs => repeatedAt;

/**
 * Applies a dispatch message to the row. A launch and a stop exclude each other: a slot that is launching cannot be cancelled,
 * and a cancelled one cannot launch. A withdrawn launch is cancelled like a stopped one, but a task that runs anyway is not
 * stopped.
 */
export function workOn(row: LaunchRow, orders: SlotOrders, now: EpochMs): SlotWork {
  const work = new RowWork(row, now);
  for (const id of orders.stop) work.stop(id);
  for (const withdrawal of orders.withdraw ?? []) work.withdraw(withdrawal);
  for (const id of orders.await ?? []) work.await(id);
  for (const id of orders.launch) work.launch(id, orders.traits?.get(id.index), orders.template ?? 0);
  return work.result();
}

class RowWork {
  readonly #row: LaunchRow;
  readonly #now: EpochMs;
  readonly #slots: Map<number, LaunchSlot>;
  #changed = false;
  readonly #run: Run[] = [];
  readonly #awaited: AttemptId[] = [];
  readonly #find: { id: AttemptId; calledAt: EpochMs }[] = [];
  readonly #doubted: { id: AttemptId; refusedAt: EpochMs }[] = [];
  readonly #stop: { id: AttemptId; taskArn: TaskArn }[] = [];
  readonly #underWay: AttemptId[] = [];
  readonly #launched: { id: AttemptId; taskArn: TaskArn }[] = [];
  readonly #cancelled: AttemptId[] = [];
  readonly #withdrawn: Withdrawal[] = [];

  constructor(row: LaunchRow, now: EpochMs) {
    this.#row = row;
    this.#now = now;
    this.#slots = new Map(row.slots.map((slot) => [slot.index, slot]));
  }

  stop(id: AttemptId): void {
    const slot = this.#current(id);
    if (slot === 'later') return;
    if (slot === null) {
      this.#store({ ...id, state: 'cancelled' });
      this.#cancelled.push(id);
    } else if (slot.state === 'cancelled') this.#refuse(id, slot);
    else if (slot.state === 'launched') {
      this.#stop.push({ id, taskArn: slot.taskArn });
      this.#launched.push({ id, taskArn: slot.taskArn }); // in case that answer was lost: only a launched task is looked up
    } else if (ageMs(calledAt(slot), this.#now) < UNDER_WAY_MS) this.#underWay.push(id);
    else this.#repeat(id, slot);
  }

  withdraw(withdrawal: Withdrawal): void {
    const { id } = withdrawal;
    const slot = this.#current(id);
    if (slot === 'later') return;
    if (slot === null) this.#store({ ...id, state: 'cancelled' });
    if (slot?.state === 'launched') this.#launched.push({ id, taskArn: slot.taskArn });
    else if (slot?.state === 'launching') {
      if (ageMs(calledAt(slot), this.#now) >= UNDER_WAY_MS) this.#repeat(id, slot);
    } else if (slot?.refusedAt === undefined) this.#withdrawn.push(withdrawal);
    else this.#doubted.push({ id, refusedAt: slot.refusedAt });
  }

  await(id: AttemptId): void {
    const slot = this.#current(id);
    const isYoung = slot !== 'later' && slot?.state === 'launching' && ageMs(slot.since, this.#now) < TOKEN_SAFE_MS;
    if (slot === null || isYoung) this.#awaited.push(id);
    else this.launch(id, undefined, 0);
  }

  launch(id: AttemptId, traits: LaunchTraits | undefined, template: number): void {
    const slot = this.#current(id);
    if (slot === 'later') return;
    if (slot === null) {
      const claim = { version: this.#row.version + 1, was: this.#slots.get(id.index) ?? null };
      const frozen = { ...(traits === undefined ? {} : { traits }), ...(template === 0 ? {} : { template }) };
      this.#store({ ...id, state: 'launching', since: this.#now, ...frozen, claim: claim.version });
      this.#run.push({ id, traits: traits ?? PLAIN, template, doubtedSince: null, claim });
    } else if (slot.state === 'cancelled') this.#refuse(id, slot);
    else if (slot.state === 'launched') this.#launched.push({ id, taskArn: slot.taskArn });
    else this.#repeat(id, slot);
  }

  result(): SlotWork {
    return {
      row: { ...this.#row, slots: [...this.#slots.values()] },
      changed: this.#changed,
      run: this.#run,
      awaited: this.#awaited,
      find: this.#find,
      doubted: this.#doubted,
      stop: this.#stop,
      underWay: this.#underWay,
      launched: this.#launched,
      cancelled: this.#cancelled,
      withdrawn: this.#withdrawn,
    };
  }

  /**
   * The slot, if it is this attempt's; null: nothing is known about the attempt yet; 'later': the slot is a later attempt's.
   */
  #current(id: AttemptId): LaunchSlot | 'later' | null {
    const slot = this.#slots.get(id.index);
    const order = slot === undefined ? -1 : compare(slot, id);
    if (slot === undefined || order < 0) return null;
    return order > 0 ? 'later' : slot;
  }

  #store(slot: LaunchSlot): void {
    this.#slots.set(slot.index, slot);
    this.#changed = true;
  }

  #refuse(id: AttemptId, { refusedAt }: Extract<LaunchSlot, { state: 'cancelled' }>): void {
    if (refusedAt === undefined) this.#cancelled.push(id);
    else this.#doubted.push({ id, refusedAt });
  }

  /**
   * A launch without an answer: the call is repeated while its token is certainly valid; after that, its task is searched for.
   * The row says first that it is repeated: nobody gives the slot back meanwhile, and ECS gets time to know the task.
   */
  #repeat(id: AttemptId, slot: Launching): void {
    if (ageMs(slot.since, this.#now) >= TOKEN_SAFE_MS) return void this.#find.push({ id, calledAt: calledAt(slot) });
    const claim = { version: this.#row.version + 1, was: slot };
    this.#store({ ...slot, repeatedAt: this.#now, claim: claim.version });
    const { traits = PLAIN, template = 0 } = slot;
    this.#run.push({ id, traits, template, doubtedSince: calledAt(slot), claim });
  }
}

/** A time from a clock that was wrong may be of any age. */
const ageMs = (since: EpochMs, now: EpochMs): number =>
  since > plusMs(now, CLOCKS_APART_MAX_MS) ? Number.POSITIVE_INFINITY : now - since;

/** `createdAt`: by ECS's clock; null if ECS did not report it. */
export type LaunchedTask = { readonly taskArn: TaskArn; readonly createdAt: EpochMs | null };

export type SlotOutcome =
  | ({ readonly id: AttemptId; readonly kind: 'launched' } & LaunchedTask)
  /** nothing runs under this nonce, and nothing must; `refused`: ECS said so */
  | { readonly id: AttemptId; readonly kind: 'closed' | 'refused' }
  /** it was not called, or that call has started nothing: the slot is as it was before the claim */
  | { readonly id: AttemptId; readonly kind: 'uncalled'; readonly claim: Claim };

/** The row after RunTask has answered; slots that have moved on to a later attempt or nonce stay as they are. */
export function recordOutcomes(row: LaunchRow, outcomes: readonly SlotOutcome[], now: EpochMs): LaunchRow {
  const slots = new Map(row.slots.map((slot) => [slot.index, slot]));
  for (const outcome of outcomes) {
    const slot = slots.get(outcome.id.index);
    if (slot === undefined || compare(slot, outcome.id) !== 0) continue;
    const startedThough = slot.state === 'cancelled' && slot.refusedAt !== undefined && outcome.kind === 'launched';
    if (slot.state !== 'launching' && !startedThough) continue;
    const { index, attempt, nonce } = slot;
    if (outcome.kind === 'uncalled') {
      const { version, was } = outcome.claim;
      if (slot.state !== 'launching' || slot.claim !== version) continue;
      if (was === null) slots.delete(index);
      else slots.set(index, was);
    } else if (outcome.kind === 'launched') {
      const { taskArn, createdAt } = outcome;
      slots.set(index, { index, attempt, nonce, state: 'launched', taskArn, since: createdAt ?? now });
    } else
      slots.set(index, {
        index,
        attempt,
        nonce,
        state: 'cancelled',
        ...(outcome.kind === 'refused' ? { refusedAt: now } : {}),
      });
  }
  return { ...row, slots: [...slots.values()] };
}

const compare = (a: AttemptId, b: AttemptId): number => a.attempt - b.attempt || a.nonce - b.nonce;
