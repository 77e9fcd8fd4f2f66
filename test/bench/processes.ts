import { readFileSync, readdirSync } from 'node:fs';

/** Linux counts CPU time in these, whatever the kernel's own clock is (proc(5), USER_HZ). */
const TICKS_PER_SEC = 100;
const PAGE_BYTES = 4_096;

/** What the kernel says of one process; null: it is gone. */
function statOf(pid: number): { readonly parent: number; readonly cpuMs: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in brackets and may hold anything; the fields behind it do not.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { parent: Number(fields[1]), cpuMs: (ticks * 1_000) / TICKS_PER_SEC };
  } catch {
    return null;
  }
}

/** The process and all that it has started, itself first. */
function familyOf(pid: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const child = Number(name);
    const parent = Number.isInteger(child) ? statOf(child)?.parent : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const family = [pid];
  for (const member of family) family.push(...(children.get(member) ?? []));
  return family;
}

/** CPU time of everything that this process has started and that still lives, in milliseconds. */
export const childrenCpuMs = (): number =>
  familyOf(process.pid)
    .slice(1)
    .reduce((sum, pid) => sum + (statOf(pid)?.cpuMs ?? 0), 0);

/** Ends everything that this process has started. */
export function endChildren(): void {
  for (const pid of familyOf(process.pid).slice(1).reverse()) {
    try {
      process.kill(pid, 'SIGTERM');
    } catch {
      // gone by itself
    }
  }
}

/** Resident memory of the process and all that it has started, in bytes; pages that several share count for each. */
export const familyRssBytes = (pid: number): number => familyPages(pid, ([, resident]) => resident) * PAGE_BYTES;

/** The same without the pages of files, which the kernel takes back when it needs them (RssAnon of proc(5)). */
export const familyAnonBytes = (pid: number): number =>
  familyPages(pid, ([, resident, shared]) => resident - shared) * PAGE_BYTES;

function familyPages(pid: number, count: (statm: readonly [number, number, number]) => number): number {
  let pages = 0;
  for (const member of familyOf(pid)) {
    try {
      const [size, resident, shared] = readFileSync(`/proc/${member}/statm`, 'utf8').split(' ').map(Number);
      if (size !== undefined && resident !== undefined && shared !== undefined)
        pages += count([size, resident, shared]);
    } catch {
      // gone since the family was asked for
    }
  }
  return pages;
}
