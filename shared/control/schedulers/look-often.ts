import { type EpochMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { CronRow } from '../../ports/cron-store.ts';
import { isSame } from '../../schema/object/object-update.ts';
import { tryOnConflict } from '../../store/retry-on-conflict.ts';
import type { Deps } from '../process/deps.ts';

/** Requests a look at an object that makes Jobs; `jobs`: those of its that have begun or ended. */
export type CronRequest = { readonly uid: string; readonly jobs: readonly JobUid[] };

/** Looks at an object of its kind; `other`: the object is of another one. */
export type Reconciler = (request: CronRequest, deps: Deps) => Promise<'done' | 'other'>;

/** Other schedulers, or users who change the object, may be faster so often. */
const TRIES_MAX = 10;
/** Slots that are caught up with in one message; another takes the rest. */
const LOOKS_MAX = 20;
/** A wake-up of this look's own: what is due later is found by the minute's sweep. */
const OWN_WAKE_MS = 90_000;
/** Clocks may differ by so much: a message that came early comes again. */
const EARLY_MS = 5_000;
const WAIT_MAX_MS = 1_000;

/** Looks until nothing is left to be done; if others are faster each time, another message goes on. */
export async function lookOften<Done extends string>(
  { uid, jobs }: CronRequest,
  { queues }: Deps,
  look: () => Promise<Done | 'done' | 'again' | 'conflict'>,
): Promise<Done | 'done'> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const outcome = await tryOnConflict(TRIES_MAX, look);
    if (outcome === 'conflict') break;
    if (outcome !== 'again') return outcome;
  }
  await queues.wakeCrons([{ cron: uid, delaySec: 1, jobs }]);
  return 'done';
}

/** Queues delay messages by whole seconds. They come before the moment, and wait for it here. */
export async function awaitAlarm({ alarmAt }: Pick<CronRow, 'alarmAt'>, { clock }: Deps): Promise<void> {
  const earlyMs = alarmAt === null ? 0 : alarmAt - clock.now();
  if (earlyMs > 0 && earlyMs <= WAIT_MAX_MS) await clock.sleep(earlyMs);
}

type Looked = { readonly state: object; readonly alarmAt: EpochMs | null };

/** An alarm that comes soon enough stays as it is. */
export function isNews({ state, alarmAt }: Looked, plan: Looked, now: EpochMs): boolean {
  if (!isSame(state, plan.state)) return true;
  if (alarmAt === plan.alarmAt) return false;
  return alarmAt === null || alarmAt <= now || (plan.alarmAt !== null && plan.alarmAt < alarmAt);
}

/** Sends a wake-up for a moment that is soon. `isNew`: there is none for it yet. */
export async function wakeAt(uid: string, at: EpochMs | null, isNew: boolean, { queues, clock }: Deps): Promise<void> {
  const withinMs = isNew ? OWN_WAKE_MS : EARLY_MS;
  const inMs = at === null ? Number.POSITIVE_INFINITY : at - clock.now();
  if (inMs <= withinMs) await queues.wakeCrons([{ cron: uid, delaySec: Math.max(0, Math.floor(inMs / 1000)) }]);
}
