import type { ChangeStep } from '../../../control/lifecycle/change-steps.ts';
import { PASSED, type Step } from '../../../control/lifecycle/reserve-all.ts';
import { withinLimits } from './job-limits.ts';
import { reserveForChange, reserveForNew, tryRoom, tryRoomForChange } from './job-room.ts';
import { NO_ROOM_TAKEN, type Room, keepRoom, returnRoom } from './room.ts';

/** A new Job gets what LimitRanges say, and stays within them. */
export const LIMITS: Step = {
  name: 'LimitRanges',
  async check({ spec }, deps) {
    const limited = await withinLimits(spec, deps);
    return limited.kind === 'limited' ? { ...PASSED, spec: limited.spec } : limited;
  },
};

/** A new Job has room in all quotas of its namespace. */
export const ROOM: Step = {
  name: 'room in quotas',
  async check({ spec, first }, deps) {
    return (await tryRoom(spec, first().status, deps)) ?? PASSED;
  },
  async reserve({ spec, first }, deps) {
    const room = await reserveForNew(spec, first().status, deps);
    if (room.kind === 'forbidden') return room;
    return { kind: 'held', undo: async () => returnRoom(room, deps), keep: () => keepRoom(room, deps) };
  },
};

/** A Job that counts for more after a change has room for that. */
export const ROOM_OF_CHANGE: ChangeStep = {
  name: 'room in quotas',
  check: tryRoomForChange,
  begin(deps) {
    let room: Room = NO_ROOM_TAKEN;
    return {
      async take(seen, spec) {
        const wanted = await reserveForChange(seen, spec, room, deps);
        if (wanted.kind === 'forbidden') return wanted;
        room = wanted;
        return null;
      },
      keep: () => keepRoom(room, deps),
      undo: async () => returnRoom(room, deps),
    };
  },
};
