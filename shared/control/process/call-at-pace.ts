import type { EpochMs } from '../../domain/base/time.ts';
import { type Lessee, RIGHT_LIFE_MS } from '../../domain/base/pace.ts';
import type { LimitName } from '../../ports/limits.ts';
import type { Deps } from './deps.ts';

export type Paced = Partial<Lessee> & {
  readonly name: LimitName;
  /** null: no limit of ours; all calls are made at once. */
  readonly ratePerSec: number | null;
};

type Ports = Pick<Deps, 'pacer' | 'clock'>;

/**
 * Calls `call` for each of some distinct items when the rate allows, for as many as it soon has room for; the others are returned
 * without a call. A caller that misses its moment leases another. If a call throws, the others are made before the error is thrown.
 */
export async function callAtPace<T>(
  items: readonly T[],
  paced: Paced,
  ports: Ports,
  call: (item: T) => Promise<void>,
): Promise<readonly T[]> {
  return callPrepared(items, paced, ports, {
    prepare: async (some) => new Map(some.map((item) => [item, item])),
    call,
  });
}

/**
 * As {@link callAtPace}, with what `prepare` makes of each item right before its moment, once, together with those of the second
 * that follows. An item that it leaves out is neither called nor returned. What has missed its moment, or has to wait longer than a
 * second, is taken back by `undo`, if there is one, and prepared again.
 */
export async function callPrepared<T, R>(
  items: readonly T[],
  { name, ratePerSec, namespace = null, ahead = 0 }: Paced,
  { pacer, clock }: Ports,
  {
    prepare,
    call,
    undo,
  }: {
    readonly prepare: (items: readonly T[]) => Promise<ReadonlyMap<T, R>>;
    readonly call: (ready: R) => Promise<void>;
    readonly undo?: (missed: readonly T[]) => Promise<void>;
  },
): Promise<readonly T[]> {
  if (ratePerSec === null) {
    const ready = await prepare(items);
    await allOf([...ready.values()].map(call));
    return [];
  }
  const ready = new Map<T, R>();
  let waiting = items;
  const left: T[] = [];
  for (let round = 0; round < ROUNDS_MAX && waiting.length > 0; round++) {
    const rights = await pacer.lease(name, waiting.length, ratePerSec, { namespace, ahead });
    left.push(...waiting.slice(rights.length));
    const turns = waiting.slice(0, rights.length).map((item, i) => ({ item, moment: rights[i] ?? clock.now() }));
    const missed: T[] = [];
    // What the caller has made ready itself must not wait for long.
    const [next] = turns;
    if (undo !== undefined && next !== undefined && next.moment > clock.now() + TOGETHER_MS)
      await undo(turns.map(({ item }) => item));
    await allOf(
      bySecond(turns).map(async ({ first, group }) => {
        const isUnready = ({ item }: Turn<T>): boolean => !ready.has(item);
        await until(first - PREPARE_MS, clock);
        if (group.some(isUnready))
          for (const [item, made] of await prepare(group.filter(isUnready).map(({ item }) => item)))
            ready.set(item, made);
        await allOf(
          group.map(async ({ item, moment }) => {
            const made = ready.get(item);
            if (made === undefined) return;
            await until(moment, clock);
            if (clock.now() <= moment + RIGHT_LIFE_MS) await call(made);
            else missed.push(item);
          }),
        );
      }),
    );
    waiting = missed;
    if (undo === undefined || missed.length === 0) continue;
    await undo(missed);
    for (const item of missed) ready.delete(item);
  }
  return [...left, ...waiting];
}

/** A process that misses its moments this often in a row gives up; the message comes again. */
const ROUNDS_MAX = 3;
/** Time for a read and a write before the moment. */
const PREPARE_MS = 150;
/** Items whose moments are this close are prepared together. */
const TOGETHER_MS = 1_000;

/** ECS has throttled a call that had a right. Without a limit of ours, there is no rate to cut. */
export async function slowDown({ name, ratePerSec }: Paced, { pacer }: Pick<Deps, 'pacer'>): Promise<void> {
  if (ratePerSec !== null) await pacer.throttled(name);
}

type Turn<T> = { readonly item: T; readonly moment: EpochMs };

/** Turns in the order of their moments, those within a second of the first together. */
function bySecond<T>(turns: readonly Turn<T>[]): readonly { first: EpochMs; group: readonly Turn<T>[] }[] {
  const groups: { first: EpochMs; group: Turn<T>[] }[] = [];
  for (const turn of turns) {
    const last = groups.at(-1);
    if (last !== undefined && turn.moment < last.first + TOGETHER_MS) last.group.push(turn);
    else groups.push({ first: turn.moment, group: [turn] });
  }
  return groups;
}

/** Waits for all, and then throws what the first of them threw. */
async function allOf(works: readonly Promise<void>[]): Promise<void> {
  for (const settled of await Promise.allSettled(works)) if (settled.status === 'rejected') throw settled.reason;
}

async function until(moment: number, clock: Deps['clock']): Promise<void> {
  for (let waitMs = moment - clock.now(); waitMs > 0; waitMs = moment - clock.now())
    await clock.sleep(Math.ceil(waitMs));
}
