import { chunkOf } from '../../domain/scoreboard/board.ts';
import { invariant } from '../../domain/base/invariant.ts';
import type { AttemptRecord, JobStore, LaunchRow } from '../../ports/job-store.ts';
import { AttemptSchema, SlotsSchema, TemplatesSchema } from '../../store/programs/row-bodies.ts';
import { attemptKey, attemptRange, launchKey, templateKey } from './lmdb-keys.ts';
import { type Row, jsonIn, jsonRow } from './lmdb-row.ts';
import type { LmdbRows } from './lmdb-rows.ts';

export type Attempts = Pick<
  JobStore,
  | 'writeAttempts'
  | 'readAttempts'
  | 'readTemplates'
  | 'addTemplate'
  | 'readLaunches'
  | 'readLaunchRange'
  | 'writeLaunches'
>;

/** What launches are made from, how far each has come, and records of attempts that have ended. */
export const attempts = (rows: LmdbRows): Attempts => ({
  async writeAttempts(uid, records, expireAt) {
    await rows.transact((now) => {
      for (const record of records)
        now.put(attemptKey(uid, record.index, record.attempt), jsonRow(record, 0, expireAt));
    });
  },

  async readAttempts(uid, from, to) {
    invariant(chunkOf(from) === chunkOf(to), 'attempts are read within one chunk');
    const found: AttemptRecord[] = [];
    for (const [, row] of rows.range(...attemptRange(uid, from, to))) found.push(jsonIn(row, AttemptSchema));
    return found;
  },

  async readTemplates(uid) {
    return templatesIn(rows.read(templateKey(uid)));
  },

  async addTemplate(uid, no, template) {
    return rows.transact((now) => {
      const known = templatesIn(now.get(templateKey(uid)));
      if (known.length !== no) return known;
      const all = [...known, template];
      now.put(templateKey(uid), jsonRow(all));
      return all;
    });
  },

  async readLaunches(uid, row) {
    return launchRow(row, rows.read(launchKey(uid, row)));
  },

  async readLaunchRange(uid, from, to) {
    const found: LaunchRow[] = [];
    for (const [key, row] of rows.range(launchKey(uid, from), launchKey(uid, to)))
      found.push(launchRow(Number(key.slice(key.lastIndexOf('#') + 1)), row));
    return found;
  },

  async writeLaunches(uid, row, expireAt) {
    const key = launchKey(uid, row.row);
    return rows.transact((now) => {
      const stored = launchRow(row.row, now.get(key));
      if (stored.version !== row.version) return { kind: 'lost', row: stored };
      const written = { ...row, version: row.version + 1 };
      now.put(key, jsonRow(row.slots, written.version, expireAt));
      return { kind: 'written', row: written };
    });
  },
});

const templatesIn = (row: Row | null) => (row === null ? [] : [jsonIn(row, TemplatesSchema)].flat());

const launchRow = (no: number, row: Row | null): LaunchRow =>
  row === null
    ? { row: no, version: 0, slots: [] }
    : { row: no, version: row.version, slots: jsonIn(row, SlotsSchema) };
