import type { EpochMs } from '../../../domain/base/time.ts';
import { type Amounts, QUOTA_KEYS, type QuotaKey, countedFor } from './quota-keys.ts';
import { NO_USAGE, type Usage, beyond, isNothing, minus, plus } from './usage.ts';

/** A ResourceQuota, as far as it decides. */
export type Quota = {
  readonly name: string;
  readonly uid: string;
  readonly hard: Amounts;
  /** Of a new quota, and for a key that has just been added, nothing is known before all is counted. */
  readonly used: Amounts;
  readonly ledger: Ledger;
};

/** What `used` is made of, as far as it is not counted yet. Nobody sees it. */
export type Ledger = {
  /** The number of the next reservation. */
  readonly next: number;
  /** How often all was counted. */
  readonly counts: number;
  /** All that was reserved since it was counted last, whatever has become of it. */
  readonly since: Usage;
  /** What was reserved for changes of which no count has seen the outcome. */
  readonly open: readonly Reserved[];
};

/** Room for a Job, or another object, that is about to be stored, or changed. */
export type Reserved = {
  readonly no: number;
  readonly uid: string;
  /** The revision of the object with which the change takes effect. */
  readonly revision: number;
  readonly at: EpochMs;
  /** What it counts for with the change. */
  readonly want: Usage;
  /** By how much it has raised what is used. */
  readonly added: Usage;
};

export const FRESH_LEDGER: Ledger = { next: 1, counts: 0, since: NO_USAGE, open: [] };

/** A change that needs room. */
export type Wish = Pick<Reserved, 'uid' | 'revision' | 'want'> & {
  /** What it counts for now. */
  readonly before: Usage;
};

/** The reservation of this number, if it is still there. */
export const reservedIn = ({ ledger }: Quota, no: number | undefined): Reserved | undefined =>
  ledger.open.find((each) => each.no === no);

/** What a wish needs in a quota, beyond what its reservation of this number has added already. */
export const needOf = (quota: Quota, { want, before }: Wish, no: number | undefined): Usage =>
  beyond(beyond(want, before), reservedIn(quota, no)?.added ?? NO_USAGE);

/** Reserves what a wish needs, whether there is room or not. A change that is decided again keeps its reservation. */
export function reserve(
  quota: Quota,
  wish: Wish,
  no: number | undefined,
  at: EpochMs,
): { readonly quota: Quota; readonly no: number } {
  const { ledger } = quota;
  const need = needOf(quota, wish, no);
  const before = reservedIn(quota, no);
  const { uid, revision, want } = wish;
  const own = before?.no ?? ledger.next;
  const entry = { no: own, uid, revision, at, want, added: plus(before?.added ?? NO_USAGE, need) };
  return {
    no: own,
    quota: {
      ...quota,
      used: changed(quota.used, (key, amount) => amount + need[countedFor(key)]),
      ledger: {
        ...ledger,
        next: Math.max(ledger.next, own + 1),
        since: plus(ledger.since, need),
        open: [...ledger.open.filter((each) => each.no !== own), entry],
      },
    },
  };
}

/** A reservation that has an outcome. `isReturned`: nothing has changed, so its room is free again. */
export type Settled = { readonly no: number; readonly isReturned: boolean };

/** The quota without a reservation. One that is not there any more changes nothing. */
export function settle(quota: Quota, { no, isReturned }: Settled): Quota {
  const entry = reservedIn(quota, no);
  if (entry === undefined) return quota;
  const { added } = entry;
  return {
    ...quota,
    used: isReturned ? changed(quota.used, (key, amount) => Math.max(0, amount - added[countedFor(key)])) : quota.used,
    ledger: { ...quota.ledger, open: quota.ledger.open.filter((each) => each !== entry) },
  };
}

/** What a namespace's objects count for, and at which revision each was seen. An ended Job never changes: infinity. */
export type CountedUsage = {
  readonly total: Usage;
  readonly seen: ReadonlyMap<string, { readonly revision: number; readonly usage: Usage }>;
};

/** A change that was reserved for so long ago does not come any more. */
const RESERVED_MAX_MS = 60_000;

/**
 * The quota with what was counted. Whatever was reserved since it was read is added, perhaps though it was counted, too: what is
 * used may be too high until the next count, and is never too low. Null: somebody else has counted meanwhile.
 *
 * @param read the quota as it was before anything was counted
 */
export function recounted(quota: Quota, read: Quota, counted: CountedUsage, now: EpochMs): Quota | null {
  if (quota.uid !== read.uid || quota.ledger.counts !== read.ledger.counts) return null;
  const expected = read.ledger.open.flatMap((entry) => stillOpen(entry, counted, now));
  const missing = expected.reduce((sum, { added }) => plus(sum, added), NO_USAGE);
  const since = minus(quota.ledger.since, read.ledger.since);
  const total = plus(plus(counted.total, missing), since);
  const used = Object.fromEntries(
    QUOTA_KEYS.flatMap((key) => (quota.hard[key] === undefined ? [] : [[key, total[countedFor(key)]]])),
  );
  const open = quota.ledger.open.flatMap((entry) => {
    if (entry.no >= read.ledger.next) return [entry];
    const kept = expected.find(({ no }) => no === entry.no);
    // A change that was decided again since has another revision, or has added more.
    return entry === kept || isSameReservation(entry, reservedIn(read, entry.no))
      ? kept === undefined
        ? []
        : [kept]
      : [entry];
  });
  const ledger = { next: quota.ledger.next, counts: quota.ledger.counts + 1, since: NO_USAGE, open };
  return { ...quota, used, ledger };
}

/** The reservation, if its change may still take effect, with what it adds to what was counted. */
function stillOpen(entry: Reserved, { seen }: CountedUsage, now: EpochMs): readonly Reserved[] {
  const found = seen.get(entry.uid);
  if (found !== undefined && found.revision >= entry.revision) return [];
  if (now - entry.at >= RESERVED_MAX_MS) return [];
  return [{ ...entry, added: beyond(entry.want, found?.usage ?? NO_USAGE) }];
}

const isSameReservation = (a: Reserved, b: Reserved | undefined): boolean =>
  b !== undefined && a.revision === b.revision && a.at === b.at && isNothing(beyond(a.added, b.added));

function changed(amounts: Amounts, change: (key: QuotaKey, amount: number) => number): Amounts {
  const next: Partial<Record<QuotaKey, number>> = {};
  for (const key of QUOTA_KEYS) {
    const amount = amounts[key];
    if (amount !== undefined) next[key] = change(key, amount);
  }
  return next;
}
