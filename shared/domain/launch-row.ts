import { type EpochMs, type TaskArn, plusMs } from './brand.ts';
import type { AttemptId } from './fact.ts';
import { CLOCKS_APART_MAX_MS } from './timing.ts';

/** How far one launch has come: what excludes launching and cancelling, and what a repeated call is built from. */
export type LaunchSlot = AttemptId &
  /**
   * `traits`, and the number of the Job's launch `template`: frozen here, for a repeated call must be the same; absent: there is
   * nothing to say, and the first template.
   */
  (
    | {
        readonly state: 'launching';
        readonly since: EpochMs;
        readonly traits?: LaunchTraits | undefined;
        readonly template?: number | undefined;
      }
    /** `refusedAt`: by ECS, which may have started it all the same; else nobody has ever asked ECS for it, or it was nowhere. */
    | { readonly state: 'cancelled'; readonly refusedAt?: EpochMs | undefined }
    | { readonly state: 'launched'; readonly taskArn: TaskArn; readonly since: EpochMs }
  );

/** What the board has to say about a launch, beside which attempt it is. */
export type LaunchTraits = {
  /** Not on Spot, whatever the Pod template says. */
  readonly onDemand: boolean;
  /** Failures of the index before it, where each index has a limit of its own: counted ones, and ignored ones. */
  readonly failures: number;
  readonly ignored: number;
  /** How often its Pod was started again in a new task before it; absent: never. */
  readonly restarts?: number | undefined;
};
const PLAIN: LaunchTraits = { onDemand: false, failures: 0, ignored: 0 };

/** One RunTask. */
export type Run = {
  readonly id: AttemptId;
  readonly traits: LaunchTraits;
  /** Number of the Job's launch template. */
  readonly template: number;
  /** Somebody may have called it before, and nobody knows what became of that; null: nobody has. */
  readonly doubtedSince: EpochMs | null;
};

export type LaunchRow = {
  readonly row: number;
  readonly version: number;
  /** By index, at most ten. */
  readonly slots: readonly LaunchSlot[];
};

/** Consecutive indexes that share one launch row, so that an index leads to its row without a look-up. */
export const LAUNCH_ROW_INDEXES = 10;
export const launchRowOf = (index: number): number => Math.floor(index / LAUNCH_ROW_INDEXES);
export const indexesOfRow = (row: number): readonly number[] =>
  Array.from({ length: LAUNCH_ROW_INDEXES }, (_, nth) => row * LAUNCH_ROW_INDEXES + nth);

/** A clientToken is surely alive this long; ECS keeps it for the task's life and an hour, 24 hours at most (aws.md 1.2). */
const TOKEN_SAFE_MS = 45 * 60_000;
/** A launch that is under way is left alone this long before somebody else finds out what became of it. */
const UNDER_WAY_MS = 30_000;

/** What is to be done about one attempt, and the row that must be stored before anything of it is done. */
export type SlotWork = {
  readonly row: LaunchRow;
  /** The row differs from the one that was read. */
  readonly changed: boolean;
  /** RunTask: the slot says launching, so nobody can cancel it any more; repeating the call is harmless. */
  readonly run: readonly Run[];
  /** Launched or not, nobody knows, and the token may be dead: look for the task at ECS. */
  readonly find: readonly AttemptId[];
  /** Refused, and asked about again, as if there were a task: look for it; if it is nowhere, it is cancelled. */
  readonly doubted: readonly { readonly id: AttemptId; readonly refusedAt: EpochMs }[];
  readonly stop: readonly { readonly id: AttemptId; readonly taskArn: TaskArn }[];
  readonly launched: readonly { readonly id: AttemptId; readonly taskArn: TaskArn }[];
  readonly cancelled: readonly AttemptId[];
};

const again = ({ traits = PLAIN, template = 0, since }: Extract<LaunchSlot, { state: 'launching' }>) => ({
  traits,
  template,
  doubtedSince: since,
});

/** Reads a dispatch message against the row; what it launches is made from template number `template`. The two exclude each other: a slot once launching cannot be cancelled, one cancelled cannot launch. */
export function workOn(
  row: LaunchRow,
  launch: readonly AttemptId[],
  stop: readonly AttemptId[],
  now: EpochMs,
  traits: ReadonlyMap<number, LaunchTraits> = new Map(),
  template = 0,
): SlotWork {
  const slots = new Map(row.slots.map((slot) => [slot.index, slot]));
  const run: Run[] = [];
  const find: AttemptId[] = [];
  const doubted: { id: AttemptId; refusedAt: EpochMs }[] = [];
  const refuse = (id: AttemptId, { refusedAt }: Extract<LaunchSlot, { state: 'cancelled' }>): void => {
    if (refusedAt === undefined) cancelled.push(id);
    else doubted.push({ id, refusedAt });
  };
  const stopping: { id: AttemptId; taskArn: TaskArn }[] = [];
  const launched: { id: AttemptId; taskArn: TaskArn }[] = [];
  const cancelled: AttemptId[] = [];
  let changed = false;
  const store = (slot: LaunchSlot): void => {
    slots.set(slot.index, slot);
    changed = true;
  };

  for (const id of stop) {
    const slot = slots.get(id.index);
    const order = slot === undefined ? -1 : compare(slot, id);
    if (slot === undefined || order < 0) {
      store({ ...id, state: 'cancelled' });
      cancelled.push(id);
    } else if (order > 0) continue;
    else if (slot.state === 'cancelled') refuse(id, slot);
    else if (slot.state === 'launched') {
      stopping.push({ id, taskArn: slot.taskArn });
      launched.push({ id, taskArn: slot.taskArn }); // should that answer have been lost: only then is the task looked up
    } else if (ageMs(slot.since, now) >= TOKEN_SAFE_MS) find.push(id);
    else if (ageMs(slot.since, now) >= UNDER_WAY_MS) run.push({ id, ...again(slot) });
  }
  for (const id of launch) {
    const slot = slots.get(id.index);
    const order = slot === undefined ? -1 : compare(slot, id);
    if (slot === undefined || order < 0) {
      const own = traits.get(id.index);
      const frozen = { ...(own === undefined ? {} : { traits: own }), ...(template === 0 ? {} : { template }) };
      store({ ...id, state: 'launching', since: now, ...frozen });
      run.push({ id, traits: own ?? PLAIN, template, doubtedSince: null });
    } else if (order > 0) continue;
    else if (slot.state === 'cancelled') refuse(id, slot);
    else if (slot.state === 'launched') launched.push({ id, taskArn: slot.taskArn });
    else if (ageMs(slot.since, now) >= TOKEN_SAFE_MS) find.push(id);
    else run.push({ id, ...again(slot) });
  }
  return {
    row: { ...row, slots: [...slots.values()] },
    changed,
    run,
    find,
    doubted,
    stop: stopping,
    launched,
    cancelled,
  };
}

/** What a clock that was wrong has written is of any age. */
const ageMs = (since: EpochMs, now: EpochMs): number =>
  since > plusMs(now, CLOCKS_APART_MAX_MS) ? Number.POSITIVE_INFINITY : now - since;

export type SlotOutcome =
  | { readonly id: AttemptId; readonly kind: 'launched'; readonly taskArn: TaskArn }
  /** nothing runs under this nonce, and nothing must; `refused`: so ECS says */
  | { readonly id: AttemptId; readonly kind: 'closed' | 'refused' };

/** The row after RunTask has answered; slots that have moved on to a later attempt or nonce stay as they are. */
export function settle(row: LaunchRow, outcomes: readonly SlotOutcome[], now: EpochMs): LaunchRow {
  const slots = new Map(row.slots.map((slot) => [slot.index, slot]));
  for (const outcome of outcomes) {
    const slot = slots.get(outcome.id.index);
    if (slot === undefined || compare(slot, outcome.id) !== 0) continue;
    const startedThough = slot.state === 'cancelled' && slot.refusedAt !== undefined && outcome.kind === 'launched';
    if (slot.state !== 'launching' && !startedThough) continue;
    const { index, attempt, nonce } = slot;
    if (outcome.kind === 'launched')
      slots.set(index, { index, attempt, nonce, state: 'launched', taskArn: outcome.taskArn, since: now });
    else
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
