import { holds } from '../../../shared/store/rows/condition.ts';
import {
  type AlarmPlace,
  type AlarmRange,
  FIELD,
  type Fields,
  type Range,
  type Refusal,
  type Row,
  type RowKey,
  type Write,
} from '../../../shared/store/rows/row.ts';

const textOf = ({ partition, sort }: RowKey): string => JSON.stringify([partition, sort]);
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
export const inOrder = (a: RowKey, b: RowKey): number => compare(a.partition, b.partition) || compare(a.sort, b.sort);

/** What an engine's rows are, without pages, sizes, and time: a map. */
export class PlainRows {
  readonly #rows = new Map<string, Row>();

  get(key: RowKey): Row | null {
    return this.#rows.get(textOf(key)) ?? null;
  }

  range({ partition, from, to, reverse = false, keysOnly = false, after = null }: Range): readonly Row[] {
    const isAfter = (sort: string) =>
      after === null || (reverse ? compare(sort, after.sort) < 0 : compare(sort, after.sort) > 0);
    const found = [...this.#rows.values()].filter(
      ({ key: { partition: own, sort } }) =>
        own === partition && compare(from, sort) <= 0 && compare(sort, to) <= 0 && isAfter(sort),
    );
    const sorted = found.toSorted((a, b) => inOrder(a.key, b.key) * (reverse ? -1 : 1));
    return keysOnly ? sorted.map(({ key }) => ({ key, fields: {} })) : sorted;
  }

  /** All places of the shard, by their minute, then by their key. */
  alarms({ shard, until }: Pick<AlarmRange, 'shard' | 'until'>): readonly AlarmPlace[] {
    return [...this.#rows.values()]
      .flatMap(({ key, fields: { [FIELD.alarmShard]: own, [FIELD.alarmMinute]: minute } }) =>
        own === shard && typeof minute === 'number' && (until === null || minute <= until) ? [{ minute, key }] : [],
      )
      .toSorted((a, b) => a.minute - b.minute || inOrder(a.key, b.key));
  }

  /** All, or none. */
  transact(writes: readonly Write[]): readonly (Refusal | null)[] | null {
    const refusals = writes.map((write) => this.#refusal(write));
    if (refusals.some((refusal) => refusal !== null)) return refusals;
    for (const write of writes) this.#set(write);
    return null;
  }

  #refusal({ key, condition, returnOld = false }: Write): Refusal | null {
    const row = this.get(key);
    const isFine = condition === undefined || holds(condition, row?.fields ?? null);
    return isFine ? null : { kind: 'condition', row: returnOld ? row : null };
  }

  #set(write: Write): void {
    const { key } = write;
    if (write.kind === 'delete') this.#rows.delete(textOf(key));
    if (write.kind === 'put') this.#rows.set(textOf(key), { key, fields: write.fields });
    if (write.kind !== 'update') return;
    const kept = Object.entries(this.get(key)?.fields ?? {}).filter(([name]) => !write.remove?.includes(name));
    const fields: Fields = { ...Object.fromEntries(kept), ...write.set };
    this.#rows.set(textOf(key), { key, fields });
  }
}
