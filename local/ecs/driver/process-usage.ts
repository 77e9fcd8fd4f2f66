import { readFileSync } from 'node:fs';
import { allPids, readProc } from '../../process-table.ts';
import type { Used } from './driver.ts';
import { markIn } from './processes.ts';

/** A process, as `/proc` has it. */
export type Seen = Used & { readonly parent: number; readonly mark: string | null };

/** Looked at in one turn of the event loop. */
const PIDS_AT_ONCE = 100;
/** Linux shows every program times in hundredths of a second (USER_HZ). */
const NANOS_PER_TICK = 10_000_000;

/** What all processes with marks use, and those that these have started: each is looked at once, however many marks there are. */
export async function usageByMark(): Promise<ReadonlyMap<string, Used>> {
  const seen = new Map<number, Seen>();
  const pageBytes = pageSize();
  for (const [n, pid] of allPids().entries()) {
    if (n % PIDS_AT_ONCE === PIDS_AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
    const stat = readProc(pid, 'stat');
    const found = stat === null ? null : processIn(stat, pageBytes);
    if (found !== null) seen.set(pid, { ...found, mark: markIn(readProc(pid, 'environ') ?? '') });
  }
  return usedBy(seen);
}

/** Sums what processes use by their mark, or by that of the closest one above them: a program may hide its environment. Pure. */
export function usedBy(seen: ReadonlyMap<number, Seen>): ReadonlyMap<string, Used> {
  const sums = new Map<string, Used>();
  for (const [pid, { cpuNanos, memoryBytes }] of seen) {
    const mark = markOf(pid, seen);
    if (mark === null) continue;
    const known = sums.get(mark) ?? { cpuNanos: 0, memoryBytes: 0 };
    sums.set(mark, { cpuNanos: known.cpuNanos + cpuNanos, memoryBytes: known.memoryBytes + memoryBytes });
  }
  return sums;
}

function markOf(pid: number, seen: ReadonlyMap<number, Seen>): string | null {
  for (let at: number | undefined = pid, steps = 0; at !== undefined && steps < seen.size; steps++) {
    const found: Seen | undefined = seen.get(at);
    if (found === undefined || found.mark !== null) return found?.mark ?? null;
    at = found.parent;
  }
  return null;
}

/** The fields of `stat` after the name (proc(5)): 4 is the parent, 14 to 17 are times, its own and its children's, 24 is the memory. */
export function processIn(stat: string, pageBytes: number): Omit<Seen, 'mark'> | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
  const [parent, pages] = [Number(fields[1]), Number(fields[21])];
  if ([ticks, parent, pages].some(Number.isNaN)) return null;
  return { parent, cpuNanos: ticks * NANOS_PER_TICK, memoryBytes: pages * pageBytes };
}

/** Both are looked at one after the other, and a page has a power of two. */
function pageSize(): number {
  const pages = Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[1]);
  return 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages));
}
