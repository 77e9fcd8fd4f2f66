import type { Wish } from '../../domain/quota/quota.ts';
import { NO_USAGE, ONE_CRON_JOB } from '../../domain/quota/usage.ts';
import type { QuotaCommands } from '../../ports/job-commands.ts';
import type { Deps } from '../process/deps.ts';
import { NO_ROOM_TAKEN, keepRoom, recount, reserveRoom, returnRoom } from './room.ts';
import { whyFull } from './job-room.ts';

/** A user waits for it; the sweep counts larger namespaces. */
const COUNTED_JOBS_MAX = 5_000;

/** What the API asks of quotas. */
export const createQuotaCommands = (deps: Deps): QuotaCommands => ({
  count: (namespace) => recount(namespace, deps, COUNTED_JOBS_MAX),

  async createCronJob(uid, { namespace }, store) {
    const room = await reserveRoom(namespace, wishOf(uid), null, NO_ROOM_TAKEN, deps);
    if (room.kind === 'forbidden') return room;
    const stored = await store();
    if (stored.kind === 'committed') keepRoom(room, deps);
    else await returnRoom(room, deps);
    return stored;
  },

  tryCronJob: (uid, { namespace }) => whyFull(namespace, { wish: wishOf(uid), pods: null, numbers: new Map() }, deps),
});

const wishOf = (uid: string): Wish => ({ uid, revision: 1, want: ONE_CRON_JOB, before: NO_USAGE });
