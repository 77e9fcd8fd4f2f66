import type { EpochMs } from '../../domain/base/time.ts';
import { type JobUid, asJobUid } from '../../domain/base/ids.ts';
import type { Status } from '../../domain/scoreboard/status.ts';
import { ALARM_STEP_MS, type JobStore } from '../../ports/job-store.ts';
import { type Program, alarmPage } from '../rows/program.ts';
import { type AlarmPage, type AlarmPlace, FIELD, type Fields, type RowKey } from '../rows/row.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { jobPartition, statusKey } from './row-keys.ts';

/** The number of partitions for the alarms of one minute. */
const ALARM_SHARDS = 4;

/** The fields that put a STATUS into the index of alarms; null if it waits for nothing. */
export function alarmOf(uid: JobUid, { alarms: [soonest] }: Pick<Status, 'alarms'>): Fields | null {
  if (soonest === undefined) return null;
  return {
    [FIELD.alarmShard]: shardOf(uid),
    // Rounded up: the sweep handles lost alarms, and must not wake Jobs whose own wake-up is still on its way.
    [FIELD.alarmMinute]: Math.ceil(soonest / ALARM_STEP_MS),
  };
}

const shardOf = (uid: JobUid): number => Buffer.from(uid).reduce((sum, byte) => sum + byte, 0) % ALARM_SHARDS;

/** Due alarms, shard by shard. The index is at most seconds behind, and an alarm is found within a minute of its time. */
export const alarms = (table: Table): Pick<JobStore, 'dueJobs'> => methodsOf(table, { dueJobs });

/** The position of a listing: in this shard, after this alarm. */
type Place = { readonly shard: number; readonly after: AlarmPlace | null };

type DuePage = { readonly now: EpochMs | null; readonly after: string | null; readonly limit: number };

function* dueJobs({ now, after, limit }: DuePage): Program<Awaited<ReturnType<JobStore['dueJobs']>>> {
  const uids: JobUid[] = [];
  const until = now === null ? null : now / ALARM_STEP_MS;
  let place: Place | null = placeOf(after);
  while (place !== null && uids.length < limit) {
    const { shard }: Place = place;
    const found: AlarmPage = yield* alarmPage({ ...place, until, limit: limit - uids.length });
    uids.push(...found.alarms.map(({ key }) => uidIn(key)));
    if (found.next !== null) place = { shard, after: found.next };
    else place = shard + 1 < ALARM_SHARDS ? { shard: shard + 1, after: null } : null;
  }
  return { uids, next: place === null ? null : tokenOf(place) };
}

const uidIn = ({ partition }: RowKey): JobUid => asJobUid(partition.slice(jobPartition(asJobUid('')).length));

const tokenOf = ({ shard, after }: Place): string =>
  after === null ? String(shard) : `${shard}/${after.minute}/${uidIn(after.key)}`;

function placeOf(token: string | null): Place {
  if (token === null) return { shard: 0, after: null };
  const [shard, minute, uid] = token.split('/');
  if (minute === undefined || uid === undefined) return { shard: Number(shard), after: null };
  return { shard: Number(shard), after: { minute: Number(minute), key: statusKey(asJobUid(uid)) } };
}
