import type { RoomInUse, StartDelay } from '../../shared/domain/pending/start-delay.ts';
import type { StartDelays } from '../../shared/ports/gathered/start-delays.ts';
import type { Images } from '../docker/images.ts';
import type { Definition } from './definition.ts';
import type { Places, Size } from './room.ts';
import type { TaskEngine } from './task-engine.ts';
import type { TaskRecord } from './task-record.ts';

type LiveTask = { readonly task: TaskRecord; readonly definition: Definition };

/** @param images null: this driver pulls none */
export function startDelaysOf(engine: TaskEngine, images: Pick<Images, 'pulling'> | null): StartDelays {
  const delayOf = (live: LiveTask): StartDelay | null =>
    roomDelay(live.task.id, engine.places) ?? (images === null ? null : pullDelay(live, images));
  return {
    ofTasks(arns) {
      const found = new Map<(typeof arns)[number], StartDelay>();
      for (const arn of arns) {
        const live = engine.findLive(arn.slice(arn.lastIndexOf('/') + 1));
        const delay = live === null ? null : delayOf(live);
        if (delay !== null) found.set(arn, delay);
      }
      return found;
    },
    ofJob(job) {
      const found: StartDelay[] = [];
      for (const live of engine.live()) {
        const delay = live.task.startedBy === job ? delayOf(live) : null;
        if (delay !== null) found.push(delay);
      }
      return found;
    },
  };
}

function roomDelay(id: string, places: Pick<Places, 'waitOf' | 'used' | 'room'>): StartDelay | null {
  const wait = places.waitOf(id);
  return wait === null
    ? null
    : { kind: 'room', ahead: wait.ahead, short: wait.short.map((each) => inUse(each, places)) };
}

const inUse = (each: keyof Size, { used, room }: Pick<Places, 'used' | 'room'>): RoomInUse =>
  each === 'milliCpu'
    ? { what: 'cpu', usedMilli: used.milliCpu, totalMilli: room.milliCpu ?? 0 }
    : { what: 'memory', usedMib: used.memoryMib, totalMib: room.memoryMib ?? 0 };

/** The image of a container that is about to start, if it is one of those that are being pulled. */
function pullDelay({ task, definition }: LiveTask, images: Pick<Images, 'pulling'>): StartDelay | null {
  const pulls = images.pulling();
  if (pulls.size === 0) return null;
  for (const { name, image } of definition.containerDefinitions) {
    const progress = pulls.get(image);
    const isStarting = task.containers.some((each) => each.name === name && each.status === 'starting');
    if (progress !== undefined && isStarting) return { kind: 'pulling', image, progress };
  }
  return null;
}
