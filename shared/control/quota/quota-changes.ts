import type { Wish } from '../../domain/quota/quota.ts';
import type { CountedKind } from '../../domain/quota/counted-kinds.ts';
import { NO_USAGE, oneOf } from '../../domain/quota/usage.ts';
import type { QuotaCommands } from '../../ports/job-commands.ts';
import type { Deps } from '../process/deps.ts';
import { NO_ROOM_TAKEN, keepRoom, recount, reserveRoom, returnRoom } from './room.ts';
import { whyFull } from './job-room.ts';

/** A user waits for it; the sweep counts larger namespaces. */
const COUNTED_MAX = 5_000;

/** What the API asks of quotas. */
export const createQuotaCommands = (deps: Deps): QuotaCommands => ({
  count: (namespace) => recount(namespace, deps, COUNTED_MAX),

  async createObject(kind, uid, key, store) {
    const room = await reserveRoom(key.namespace, wishOf(kind, uid), null, NO_ROOM_TAKEN, deps);
    if (room.kind === 'forbidden') return (await deps.objects.read(kind, key)) === null ? room : { kind: 'taken' };
    const stored = await store();
    if (stored.kind === 'committed') keepRoom(room, deps);
    else await returnRoom(room, deps);
    return stored;
  },

  tryObject: (kind, uid, { namespace }) =>
    whyFull(namespace, { wish: wishOf(kind, uid), pods: null, numbers: new Map() }, deps),
});

const wishOf = (kind: CountedKind, uid: string): Wish => ({
  uid,
  revision: 1,
  want: oneOf(kind),
  before: NO_USAGE,
});
