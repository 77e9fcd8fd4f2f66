import { asEpochMs } from '../../domain/base/time.ts';
import type { CronRow, CronStore } from '../../ports/cron-store.ts';
import { CronBodySchema } from '../../store/programs/row-bodies.ts';
import { CRON_ALARMS, cronAlarmKey, cronKey } from './lmdb-keys.ts';
import { EMPTY, type Row, jsonIn, jsonRow } from './lmdb-row.ts';
import type { LmdbRows } from './lmdb-rows.ts';

/** {@link CronStore} as a row each, and a row for each alarm. */
export const crons = (rows: LmdbRows): CronStore => ({
  async read(uid) {
    return cronIn(uid, rows.read(cronKey(uid)));
  },

  async write({ uid, version, ...body }) {
    return rows.transact((now) => {
      const before = cronIn(uid, now.get(cronKey(uid)));
      if ((before?.version ?? 0) !== version) return { kind: 'lost' };
      const [old, alarm] = [before?.alarmAt ?? null, body.alarmAt];
      if (old !== null && old !== alarm) now.remove(cronAlarmKey(old, uid));
      if (alarm !== null) now.put(cronAlarmKey(alarm, uid), { version: 0, body: EMPTY });
      now.put(cronKey(uid), jsonRow(body, version + 1));
      return { kind: 'written' };
    });
  },

  async remove(uid) {
    return rows.transact((now) => {
      const alarm = cronIn(uid, now.get(cronKey(uid)))?.alarmAt ?? null;
      if (alarm !== null) now.remove(cronAlarmKey(alarm, uid));
      now.remove(cronKey(uid));
    });
  },

  async due({ until, after, limit }) {
    const to = cronAlarmKey(until, '~');
    const from = after === null ? CRON_ALARMS : `${CRON_ALARMS}${after}\0`;
    const places: string[] = [];
    for (const key of rows.keys(from, to)) {
      if (places.length === limit) return { crons: places.map(dueIn), next: places.at(-1) ?? null };
      places.push(key.slice(CRON_ALARMS.length));
    }
    return { crons: places.map(dueIn), next: null };
  },
});

function dueIn(place: string) {
  const mark = place.indexOf('#');
  return { uid: place.slice(mark + 1), alarmAt: asEpochMs(Number(place.slice(0, mark))) };
}

const cronIn = (uid: string, row: Row | null): CronRow | null =>
  row === null ? null : { uid, version: row.version, ...jsonIn(row, CronBodySchema) };
