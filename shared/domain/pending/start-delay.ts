/** Why a task that was accepted has not started yet, as far as an ECS of this machine knows. */
export type StartDelay =
  | {
      readonly kind: 'room';
      /** what there is too little of, with what is in use */
      readonly short: readonly RoomInUse[];
      /** how many tasks wait before it */
      readonly ahead: number;
    }
  /** `progress` null: not known yet */
  | {
      readonly kind: 'pulling';
      readonly image: string;
      readonly progress: { readonly doneBytes: number; readonly totalBytes: number } | null;
    };

export type RoomInUse =
  | { readonly what: 'cpu'; readonly usedMilli: number; readonly totalMilli: number }
  | { readonly what: 'memory'; readonly usedMib: number; readonly totalMib: number };

/** `no room on this machine: 2 of 2 CPUs in use; 3 tasks wait before it`. */
export function delayText(delay: StartDelay): string {
  if (delay.kind === 'pulling') return pullText(delay);
  const { ahead } = delay;
  if (ahead === 0) return roomText(delay);
  return `${roomText(delay)}; ${ahead === 1 ? '1 task waits' : `${ahead} tasks wait`} before it`;
}

/** Delays of several tasks: one line for each image, and one for all that lack room. Pure. */
export function delayWaits(
  delays: Iterable<StartDelay>,
): readonly { readonly cause: StartDelay['kind']; readonly count: number; readonly message: string }[] {
  const groups = new Map<string, { readonly first: StartDelay; count: number }>();
  for (const delay of delays) {
    const key = delay.kind === 'room' ? '' : delay.image;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: delay, count: 1 });
    else group.count++;
  }
  return [...groups.values()].map(({ first, count }) => ({
    cause: first.kind,
    count,
    message: first.kind === 'room' ? roomText(first) : pullText(first),
  }));
}

/** The first in the queue is short of what runs has; those behind it may fit, but wait for their turn. */
function roomText({ short }: Pick<Extract<StartDelay, { kind: 'room' }>, 'short'>): string {
  const parts = short.map((each) =>
    each.what === 'cpu'
      ? `${cpus(each.usedMilli)} of ${cpuText(each.totalMilli)}`
      : `${memoryText(each.usedMib)} of ${memoryText(each.totalMib)} of memory`,
  );
  return `no room on this machine: ${parts.join(' and ')} in use`;
}

const pullText = ({ image, progress }: Extract<StartDelay, { kind: 'pulling' }>): string =>
  progress === null
    ? `pulling ${image}`
    : `pulling ${image}, ${megabytes(progress.doneBytes)} of ${megabytes(progress.totalBytes)} MB`;

const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
const cpus = (milli: number): string => String(Number((milli / 1000).toFixed(3)));
/** `2 CPUs`, `0.5 CPUs`. */
export const cpuText = (milli: number): string => `${cpus(milli)} ${milli === 1000 ? 'CPU' : 'CPUs'}`;
/** `512 MiB`, `7.6 GiB`. */
export const memoryText = (mib: number): string =>
  mib < 1024 ? `${mib} MiB` : `${Number((Math.floor((mib / 1024) * 10) / 10).toFixed(1))} GiB`;
