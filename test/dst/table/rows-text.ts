import type { AlarmRange, Range, RowKey, Write } from '../../../shared/store/rows/row.ts';

/** Which rows a request is about, for a story: `JOB#sim-1 STATUS and 2 more`. */
export function rowsText(request: unknown): string {
  const [first, ...others] = [request].flat() as readonly (RowKey | Write | Range | AlarmRange | number)[];
  if (first === undefined) return 'nothing';
  return `${oneText(first)}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

function oneText(one: RowKey | Write | Range | AlarmRange | number): string {
  if (typeof one === 'number') return `for ${one} ms`;
  if ('shard' in one) return `of shard ${one.shard}`;
  if ('from' in one) return `${one.partition} ${one.from} to ${one.to}`;
  const { partition, sort } = 'key' in one ? one.key : one;
  return `${partition} ${sort}`;
}
