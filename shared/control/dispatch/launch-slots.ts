import { plusMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { Fact } from '../../domain/base/fact.ts';
import {
  type LaunchRow,
  type SlotOrders,
  type SlotOutcome,
  type SlotWork,
  recordOutcomes,
  workOn,
} from '../../domain/scoreboard/launch-row.ts';
import { retryOnConflict } from '../../store/retry-on-conflict.ts';
import type { Deps } from '../process/deps.ts';

const TRIES_MAX = 6;

/**
 * The slots are ours to launch once the row says so. If another dispatcher was faster than `known`, its row is read and the
 * decision is made again.
 */
export async function claimSlots(
  uid: JobUid,
  known: LaunchRow,
  orders: SlotOrders,
  { jobs, clock, settings }: Deps,
): Promise<SlotWork> {
  let row = known;
  return retryOnConflict(`launch row ${known.row} of Job ${uid}`, TRIES_MAX, async () => {
    const now = clock.now();
    const work = workOn(row, orders, now);
    if (!work.changed) return work;
    const written = await jobs.writeLaunches(uid, work.row, plusMs(now, settings.historyMs));
    if (written.kind === 'written') return { ...work, row: written.row };
    row = written.row;
    return 'conflict';
  });
}

/**
 * A task that was not found, or that ECS refused, but that the row names by now, was found or started by another dispatcher in
 * the meantime.
 */
export function asRowSays(fact: Fact, { slots }: LaunchRow): Fact {
  const isNo = fact.kind === 'refused' || (fact.kind === 'stopped' && fact.taskArn === null);
  if (!isNo) return fact;
  const { index, attempt, nonce, at } = fact;
  const slot = slots.find((each) => each.index === index && each.attempt === attempt && each.nonce === nonce);
  return slot?.state === 'launched' ? { index, attempt, nonce, kind: 'launched', taskArn: slot.taskArn, at } : fact;
}

/** Records which task each launch became, so that it can be stopped and looked up. Returns the row after that. */
export async function storeOutcomes(
  uid: JobUid,
  known: LaunchRow,
  outcomes: readonly SlotOutcome[],
  { jobs, clock, settings }: Deps,
): Promise<LaunchRow> {
  let row = known;
  return retryOnConflict(`launch row ${known.row} of Job ${uid}`, TRIES_MAX, async () => {
    const now = clock.now();
    const written = await jobs.writeLaunches(uid, recordOutcomes(row, outcomes, now), plusMs(now, settings.historyMs));
    if (written.kind === 'written') return written.row;
    row = written.row;
    return 'conflict';
  });
}
