import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import { type AlarmPlace, type AlarmRange, FIELD, type Fields, type RowKey } from '../../store/rows/row.ts';
import { SortedTree, compareKeys } from './key-order.ts';

type Place = AlarmPlace & { readonly shard: number };

const inOrder = (a: Place, b: Place): number => a.shard - b.shard || a.minute - b.minute || compareKeys(a.key, b.key);

/** The index of alarms: the keys of all rows with both of its fields, as they were a moment ago. */
export class LateIndex {
  readonly #places = new SortedTree<Place, true>(undefined, inOrder);
  /** Changes that are not visible yet, in their order. */
  #coming: { readonly at: EpochMs; readonly before: Place | null; readonly after: Place | null }[] = [];

  /** A row has changed from these fields to those (null: there is none), which shows `lagMs` after `now`. */
  changed(key: RowKey, before: Fields | null, after: Fields | null, now: EpochMs, lagMs: () => number): void {
    const change = { before: placeOf(key, before), after: placeOf(key, after) };
    if (change.before?.shard === change.after?.shard && change.before?.minute === change.after?.minute) return;
    const at = plusMs(now, lagMs());
    this.#settle(now);
    if (at <= now && this.#coming.length === 0) this.#apply(change);
    else this.#coming.push({ at, ...change });
  }

  /** The visible places of the range, in order. */
  *range({ shard, until, after }: AlarmRange, now: EpochMs): Generator<AlarmPlace> {
    this.#settle(now);
    const first = { shard, ...(after ?? { minute: Number.NEGATIVE_INFINITY, key: { partition: '', sort: '' } }) };
    for (const place of this.#places.keys(first)) {
      if (place.shard !== shard || (until !== null && place.minute > until)) return;
      if (after === null || inOrder(place, first) > 0) yield { minute: place.minute, key: place.key };
    }
  }

  /** None overtakes another: what waits behind a later one waits as long. */
  #settle(now: EpochMs): void {
    const later = this.#coming.findIndex(({ at }) => at > now);
    const due = later === -1 ? this.#coming.length : later;
    for (const change of this.#coming.splice(0, due)) this.#apply(change);
  }

  #apply({ before, after }: { readonly before: Place | null; readonly after: Place | null }): void {
    if (before !== null) this.#places.delete(before);
    if (after !== null) this.#places.set(after, true);
  }
}

function placeOf(key: RowKey, fields: Fields | null): Place | null {
  const shard = fields?.[FIELD.alarmShard];
  const minute = fields?.[FIELD.alarmMinute];
  return typeof shard === 'number' && typeof minute === 'number' ? { shard, minute, key } : null;
}
