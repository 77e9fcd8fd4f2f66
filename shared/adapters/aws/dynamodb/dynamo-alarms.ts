import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { EpochMs } from '../../../domain/base/time.ts';
import { type JobUid, asJobUid } from '../../../domain/base/ids.ts';
import type { Status } from '../../../domain/scoreboard/status.ts';
import { TABLE } from '../../../names/table.ts';
import type { JobStore } from '../../../ports/job-store.ts';
import { jobPartition, statusKey } from './dynamo-keys.ts';
import { type Row, number, textIn } from './dynamo-row.ts';
import type { Table } from './dynamo-write.ts';

/** The number of partitions for the alarms of one minute. */
const ALARM_SHARDS = 4;
const MINUTE_MS = 60_000;

/** The attributes that put a STATUS into the index of alarms; null if it waits for nothing. */
export function alarmOf(uid: JobUid, { alarms: [soonest] }: Pick<Status, 'alarms'>): Row | null {
  if (soonest === undefined) return null;
  return {
    [TABLE.alarms.shard]: number(shardOf(uid)),
    // Rounded up: the sweep handles lost alarms, and must not wake Jobs whose own wake-up is still on its way.
    [TABLE.alarms.minute]: number(Math.ceil(soonest / MINUTE_MS)),
  };
}

const shardOf = (uid: JobUid): number => Buffer.from(uid).reduce((sum, byte) => sum + byte, 0) % ALARM_SHARDS;

/** Due alarms, shard by shard. The index is at most seconds behind, and an alarm is found within a minute of its time. */
export const alarms = (table: Table): Pick<JobStore, 'dueJobs'> => ({
  async dueJobs({ now, after, limit }) {
    const uids: JobUid[] = [];
    let place = placeOf(after);
    while (place !== null && uids.length < limit) {
      const answer = await table.client.send(new QueryCommand(dueRequest(table.name, place, now, limit - uids.length)));
      uids.push(...(answer.Items ?? []).map((row) => uidIn(row)));
      const { shard } = place;
      if (answer.LastEvaluatedKey !== undefined) place = { shard, key: answer.LastEvaluatedKey };
      else place = shard + 1 < ALARM_SHARDS ? { shard: shard + 1, key: null } : null;
    }
    return { uids, next: place === null ? null : tokenOf(place) };
  },
});

/** The position of a listing: in this shard, after this key. */
type Place = { readonly shard: number; readonly key: Row | null };

/** Alarms of one shard up to `now`, all of them if null, earliest first. */
export function dueRequest(
  tableName: string,
  { shard, key }: Place,
  now: EpochMs | null,
  limit: number,
): QueryCommandInput {
  const { index, shard: shardName, minute } = TABLE.alarms;
  return {
    TableName: tableName,
    IndexName: index,
    KeyConditionExpression: now === null ? '#shard = :shard' : '#shard = :shard AND #minute <= :minute',
    ExpressionAttributeNames: { '#shard': shardName, ...(now === null ? {} : { '#minute': minute }) },
    ExpressionAttributeValues: {
      ':shard': number(shard),
      ...(now === null ? {} : { ':minute': number(now / MINUTE_MS) }),
    },
    Limit: limit,
    ...(key === null ? {} : { ExclusiveStartKey: key }),
  };
}

const uidIn = (row: Row): JobUid => asJobUid(textIn(row, TABLE.partitionKey).slice(jobPartition(asJobUid('')).length));

const tokenOf = ({ shard, key }: Place): string =>
  key === null ? String(shard) : `${shard}/${key[TABLE.alarms.minute]?.N ?? ''}/${uidIn(key)}`;

function placeOf(token: string | null): Place | null {
  if (token === null) return { shard: 0, key: null };
  const [shard, minute, uid] = token.split('/');
  if (minute === undefined || uid === undefined) return { shard: Number(shard), key: null };
  return {
    shard: Number(shard),
    key: {
      [TABLE.alarms.shard]: number(Number(shard)),
      [TABLE.alarms.minute]: number(Number(minute)),
      ...statusKey(asJobUid(uid)),
    },
  };
}
