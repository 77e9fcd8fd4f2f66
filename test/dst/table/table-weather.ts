import type { Weather } from '../../../shared/adapters/rows/weather.ts';
import { nameOf } from '../../../shared/store/rows/row.ts';
import { type EpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import type { FaultInjector } from '../world/fault-injector.ts';
import type { Calls } from '../world/calls.ts';

/** A read that need not be consistent shows a row as it was before its last write for this long; AWS says a second or less. */
const STALE_MAX_MS = 10_000;
/** How many of the requests that a throttled table gets it refuses. */
const GALE_SHARE = 0.5;
/** The same of a partition that has too much to do, and for how long. */
const HOT_SHARE = 0.7;
const HOT_MS = [500, 8_000] as const;
/** AWS says: within a few days. */
const EXPIRY_LATE_MS = 3 * 86_400_000;

/** What the table does to requests of processes. Watchers read in calm weather. */
export function tableWeather(calls: Calls, injector: FaultInjector, now: () => EpochMs): Weather {
  const hotUntil = new Map<string, EpochMs>();
  /** Rows that transactions have written: no other can meet one in progress. */
  const transacted = new Set<string>();

  const isHot = (partition: string): boolean => {
    const { partitionThrottled } = injector.faultRates;
    const until = hotUntil.get(partition);
    if (until !== undefined && until > now()) {
      if (!injector.luck('partition throttled').chance(HOT_SHARE)) return false;
      return calls.meets('partition throttled', 1);
    }
    if (!calls.meets('partition throttled', partitionThrottled)) return false;
    hotUntil.set(partition, plusMs(now(), injector.luck('partition throttled').between(...HOT_MS)));
    return true;
  };

  /** The request for which that was drawn: all rows of a transaction share its luck. */
  let drawnFor: object | null = null;
  const isThrottled = (request: object): boolean => {
    if (request === drawnFor) return false;
    drawnFor = request;
    return (
      injector.blows('table throttled for minutes', now(), GALE_SHARE) ||
      calls.meets('table throttled', injector.faultRates.tableThrottled)
    );
  };
  const isLeftOut = (): boolean =>
    injector.blows('table throttled for minutes', now(), GALE_SHARE) ||
    calls.meets('row left out', injector.faultRates.rowLeftOut);

  return {
    throttles(partition) {
      const request = calls.acting;
      if (request === null) return false;
      return isHot(partition) || (calls.isOfSeveral ? isLeftOut() : isThrottled(request));
    },
    conflicts(writes) {
      const [first] = writes;
      if (writes.length > 1) for (const { key } of writes) transacted.add(nameOf(key));
      else if (first === undefined || !transacted.has(nameOf(first.key))) return null;
      if (!calls.meets('conflict', injector.faultRates.conflict)) return null;
      return injector.luck('conflict').between(0, writes.length - 1);
    },
    repeats: () => calls.repeats(injector.faultRates.requestRepeated),
    staleMs: () =>
      calls.meets('stale read', injector.faultRates.staleRead)
        ? injector.luck('stale read').between(1, STALE_MAX_MS)
        : 0,
    indexLagMs: () => (calls.acting !== null ? injector.delayMs('alarm late', injector.faultRates.alarmLateMaxMs) : 0),
    ...(injector.strikes('expiry late', 0.5)
      ? {}
      : { expiryLateMs: injector.luck('expiry late').between(0, EXPIRY_LATE_MS) }),
  };
}
