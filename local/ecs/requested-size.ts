import { TAGS } from '../../shared/names/tags.ts';
import { NOTHING, type Size } from './room.ts';
import type { TaskRecord } from './task-record.ts';

/** The size that a task gets if its Pod requests nothing: ECS cannot tell it from a request for as much. */
const LEAST = { cpu: 256, memoryMib: 512 };

/**
 * What a task requests of the machine: what its Pod does, as the tag says. A task without the tag comes from a client that knows
 * only Fargate's sizes: it requests its size, or nothing if that is the smallest.
 */
export function requestOf({ cpu, memory, tags }: Pick<TaskRecord, 'cpu' | 'memory' | 'tags'>): Size {
  const said = REQUEST.exec(tags.find(({ key }) => key === TAGS.requests)?.value ?? '');
  if (said !== null) return { milliCpu: Number(said[1]), memoryMib: Number(said[2]) };
  const memoryMib = Number(memory);
  const isLeast = Number(cpu) === LEAST.cpu && memoryMib === LEAST.memoryMib;
  return isLeast ? NOTHING : { milliCpu: Math.round((Number(cpu) / 1024) * 1000), memoryMib };
}

/** As `requestsTag` of the adapter writes it: thousandths of a CPU, then MiB. */
const REQUEST = /^(\d{1,9})\/(\d{1,9})$/;
