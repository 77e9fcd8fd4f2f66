import { type CronRow, type CronStore } from '../../ports/cron-store.ts';

/** {@link CronStore} in this process's memory. */
export function createMemoryCrons(): CronStore {
  const rows = new Map<string, CronRow>();
  return {
    async read(uid) {
      return structuredClone(rows.get(uid) ?? null);
    },

    async write(row) {
      if ((rows.get(row.uid)?.version ?? 0) !== row.version) return { kind: 'lost' };
      rows.set(row.uid, structuredClone({ ...row, version: row.version + 1 }));
      return { kind: 'written' };
    },

    async remove(uid) {
      rows.delete(uid);
    },

    async due({ until, after, limit }) {
      const found = [...rows.values()]
        .flatMap(({ uid, alarmAt }) => (alarmAt === null || alarmAt > until ? [] : [{ uid, alarmAt }]))
        .map((each) => ({ ...each, place: `${String(each.alarmAt).padStart(15, '0')}#${each.uid}` }))
        .filter(({ place }) => after === null || place > after)
        .toSorted((a, b) => (a.place < b.place ? -1 : 1));
      const page = found.slice(0, limit);
      return {
        crons: page.map(({ uid, alarmAt }) => ({ uid, alarmAt })),
        next: found.length > limit ? (page.at(-1)?.place ?? null) : null,
      };
    },
  };
}
