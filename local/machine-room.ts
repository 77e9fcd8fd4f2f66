import { availableParallelism, totalmem } from 'node:os';

const MIB = 2 ** 20;

/** What this process may use of the machine: thousandths of a CPU, and MiB of memory. */
export function machineRoom(): { readonly milliCpu: number; readonly memoryMib: number } {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { milliCpu: availableParallelism() * 1000, memoryMib: Math.floor(bytes / MIB) };
}
