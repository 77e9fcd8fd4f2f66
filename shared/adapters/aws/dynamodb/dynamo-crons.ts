import { DeleteItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { asEpochMs } from '../../../domain/base/time.ts';
import { TABLE } from '../../../names/table.ts';
import type { CronRow, CronStore } from '../../../ports/cron-store.ts';
import { CronBodySchema } from '../../../store/programs/row-bodies.ts';
import { dueRequest } from './dynamo-alarms.ts';
import { CRON_SHARD, cronKey, cronUidIn } from './dynamo-keys.ts';
import { readRow } from './dynamo-read.ts';
import { ATTRIBUTE, type Row, jsonIn, number, numberIn, packedJson, text } from './dynamo-row.ts';
import { type Table, change, isBy, sendUpdate, versionIs } from './dynamo-write.ts';

/** {@link CronStore} as a row each, in the index of alarms in a shard of their own. */
export const crons = (table: Table): CronStore => ({
  async read(uid) {
    const row = await readRow(table, cronKey(uid));
    return row === null ? null : cronIn(uid, row);
  },

  async write(row) {
    const token = table.newToken();
    const refusal = await sendUpdate(table.client, writeRequest(table.name, token, row));
    return { kind: refusal === null || isBy(refusal, token) ? 'written' : 'lost' };
  },

  async remove(uid) {
    await table.client.send(new DeleteItemCommand({ TableName: table.name, Key: cronKey(uid) }));
  },

  async due({ until, after, limit }) {
    const place = { shard: CRON_SHARD, key: after === null ? null : placeIn(after) };
    const answer = await table.client.send(new QueryCommand(dueRequest(table.name, place, until, limit)));
    const last = answer.LastEvaluatedKey;
    return {
      crons: (answer.Items ?? []).map((row) => ({
        uid: cronUidIn(row),
        alarmAt: asEpochMs(Math.round(numberIn(row, TABLE.alarms.minute) * MINUTE_MS)),
      })),
      next: last === undefined ? null : `${numberIn(last, TABLE.alarms.minute)}#${cronUidIn(last)}`,
    };
  },
});

/** An alarm's key counts minutes; that of a CronJob is exact, by its decimals. */
const MINUTE_MS = 60_000;

/** The row's next version; its alarm enters or leaves the index with it. */
export function writeRequest(tableName: string, token: string, { uid, version, ...body }: CronRow) {
  const { shard, minute } = TABLE.alarms;
  const alarm: Row =
    body.alarmAt === null ? {} : { [shard]: number(CRON_SHARD), [minute]: number(body.alarmAt / MINUTE_MS) };
  return change(tableName, {
    key: cronKey(uid),
    set: {
      [ATTRIBUTE.version]: number(version + 1),
      [ATTRIBUTE.by]: text(token),
      [ATTRIBUTE.body]: packedJson(body),
      ...alarm,
    },
    remove: body.alarmAt === null ? [shard, minute] : [],
    condition: versionIs(version),
    returnOld: true,
  });
}

function placeIn(token: string): Row {
  const mark = token.indexOf('#');
  return {
    [TABLE.alarms.shard]: number(CRON_SHARD),
    [TABLE.alarms.minute]: number(Number(token.slice(0, mark))),
    ...cronKey(token.slice(mark + 1)),
  };
}

const cronIn = (uid: string, row: Row): CronRow => ({
  uid,
  version: numberIn(row, ATTRIBUTE.version),
  ...jsonIn(row, CronBodySchema),
});
