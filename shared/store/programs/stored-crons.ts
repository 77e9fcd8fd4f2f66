import { asEpochMs } from '../../domain/base/time.ts';
import type { CronRow, CronStore } from '../../ports/cron-store.ts';
import { json, jsonIn, versionIn } from '../rows/fields.ts';
import { type Program, alarmPage, get, writeAlways, writeNext } from '../rows/program.ts';
import { type AlarmPlace, FIELD, type Fields } from '../rows/row.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { CronBodySchema } from './row-bodies.ts';
import { CRON_SHARD, cronKey, cronUidIn } from './row-keys.ts';

/** {@link CronStore} as a row each, in the index of alarms in a shard of their own. */
export const crons = (table: Table): CronStore =>
  methodsOf(table, { read: readCron, write: writeCron, remove: removeCron, due: dueCrons });

function* readCron(uid: string): Program<CronRow | null> {
  const row = yield* get(cronKey(uid));
  return row === null ? null : { uid, version: versionIn(row), ...jsonIn(row, CronBodySchema) };
}

/** An alarm's key counts minutes; that of a scheduler is exact, by its decimals. */
const MINUTE_MS = 60_000;

/** The row's next version; its alarm enters or leaves the index with it. */
function* writeCron({ uid, version, ...body }: CronRow): Program<Awaited<ReturnType<CronStore['write']>>> {
  const { alarmShard, alarmMinute } = FIELD;
  const { alarmAt } = body;
  const alarm: Fields = alarmAt === null ? {} : { [alarmShard]: CRON_SHARD, [alarmMinute]: alarmAt / MINUTE_MS };
  const set = { [FIELD.body]: json(body), ...alarm };
  const refusal = yield* writeNext(
    cronKey(uid),
    version,
    set,
    alarmAt === null ? { remove: [alarmShard, alarmMinute] } : {},
  );
  return { kind: refusal === null ? 'written' : 'lost' };
}

function* removeCron(uid: string): Program<void> {
  yield* writeAlways({ kind: 'delete', key: cronKey(uid) });
}

type DuePage = Parameters<CronStore['due']>[0];

function* dueCrons({ until, after, limit }: DuePage): Program<Awaited<ReturnType<CronStore['due']>>> {
  const place = after === null ? null : placeIn(after);
  const { alarms, next } = yield* alarmPage({ shard: CRON_SHARD, until: until / MINUTE_MS, limit, after: place });
  return {
    crons: alarms.map(({ key, minute }) => ({
      uid: cronUidIn(key),
      alarmAt: asEpochMs(Math.round(minute * MINUTE_MS)),
    })),
    next: next === null ? null : `${next.minute}#${cronUidIn(next.key)}`,
  };
}

function placeIn(token: string): AlarmPlace {
  const mark = token.indexOf('#');
  return { minute: Number(token.slice(0, mark)), key: cronKey(token.slice(mark + 1)) };
}
