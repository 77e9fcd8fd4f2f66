import Table from 'cli-table3';
import type { EngineRecord, Outcome } from './describe-engine.ts';

const COLUMNS: readonly Outcome[] = ['passed', 'wrong', 'left out', 'failed'];

/** The table of suites and engines, from the lines that `record` wrote. Of two lines about one case, the later counts. */
export function tableOf(lines: string): string {
  const outcomes = new Map<string, EngineRecord>();
  for (const line of lines.split('\n').filter((each) => each !== '')) {
    const one = JSON.parse(line) as EngineRecord;
    outcomes.set(`${one.suite}\n${one.engine}\n${one.name}`, one);
  }
  const rows = new Map<string, EngineRecord[]>();
  for (const one of outcomes.values()) {
    const key = `${one.suite}\n${one.engine}`;
    rows.set(key, [...(rows.get(key) ?? []), one]);
  }
  const table = new Table({
    head: ['suite', 'engine', 'cases', 'passed', 'known wrong', 'left out', 'failed'],
    style: { head: [], border: [] },
    colAligns: ['left', 'left', 'right', 'right', 'right', 'right', 'right'],
  });
  for (const [key, of] of [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const counts = COLUMNS.map((column) => of.filter(({ outcome }) => outcome === column).length);
    table.push([...key.split('\n'), of.length, ...counts]);
  }
  return table.toString();
}

/** The operations whose calls were held against AWS's models, and how many calls of each, from the lines that `noteSeen` wrote. */
export function operationsOf(lines: string): string {
  const counts = new Map<string, number>();
  for (const line of lines.split('\n').filter((each) => each !== ''))
    for (const [operation, count] of Object.entries(JSON.parse(line) as Readonly<Record<string, number>>))
      counts.set(operation, (counts.get(operation) ?? 0) + count);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const each = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `  ${name} ${count}`);
  return [`${total} calls of ${counts.size} operations are as AWS's models say:`, ...each].join('\n');
}
