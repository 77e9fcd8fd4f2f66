import { isCountedKind } from '../domain/counted-kinds.ts';
import type { Wish } from '../domain/quota.ts';
import { NO_USAGE, oneOf } from '../domain/usage.ts';
import type { ObjectGuard } from '../../../ports/object-guard.ts';
import type { QuotaCommands } from '../ports/quota-commands.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { NO_ROOM_TAKEN, keepRoom, recount, reserveRoom, returnRoom } from './room.ts';
import { whyFull } from './job-room.ts';

/** A user waits for it; the sweep counts larger namespaces. */
const COUNTED_MAX = 5_000;

/** What the API asks of quotas. */
export const createQuotaCommands = (deps: Deps): QuotaCommands => ({
  count: (namespace) => recount(namespace, deps, COUNTED_MAX),
});

/** Lets a new object in if its quotas have room for one more of its kind. */
export const createQuotaGuard = (deps: Deps): ObjectGuard => ({
  async check({ kind, uid, key: { namespace } }) {
    if (!isCountedKind(kind)) return null;
    return whyFull(namespace, { wish: wishOf(uid, oneOf(kind)), pods: null, numbers: new Map() }, deps);
  },

  async take({ kind, uid, key: { namespace } }) {
    if (!isCountedKind(kind)) return null;
    const room = await reserveRoom(namespace, wishOf(uid, oneOf(kind)), null, NO_ROOM_TAKEN, deps);
    if (room.kind === 'forbidden') return room;
    return { kind: 'held', undo: async () => returnRoom(room, deps), keep: () => keepRoom(room, deps) };
  },
});

const wishOf = (uid: string, want: Wish['want']): Wish => ({ uid, revision: 1, want, before: NO_USAGE });
