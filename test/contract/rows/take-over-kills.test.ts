import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLmdbStore } from '../../../local/store/lmdb-store.ts';
import { LmdbRows } from '../../../shared/adapters/rows/lmdb.ts';
import { T0, anAttempt, at } from '../store-under-test.ts';
import { json } from '../../../shared/store/rows/fields.ts';
import * as old from './format-2.ts';

const TREE = join(import.meta.dirname, '../../..');
const now = () => T0;
const MIB = 1024 * 1024;

/** Takes the file over in a process that is killed when the new one has so many bytes. Resolves with how it ended. */
const killedAt = async (path: string, bytes: number): Promise<number | string | null> =>
  new Promise((resolve) => {
    const program = join(import.meta.dirname, 'take-over-process.ts');
    const words = ['--import', 'tsx', program, path, String(bytes)];
    spawn(process.execPath, words, { cwd: TREE, stdio: ['ignore', 'ignore', 'inherit'] }).once('exit', (code, signal) =>
      resolve(signal ?? code),
    );
  });

/** Every row of a file that was taken over. */
async function rowsIn(path: string): Promise<readonly unknown[]> {
  const rows = new LmdbRows(path, now);
  const all = rows.slice('', null, 99_999).map(({ key, fields }) => ({ key, fields }));
  await rows.close();
  return all;
}

test('a take-over that is killed again and again has every row once in the end', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'muster-kills-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const [path, calm] = [join(dir, 'jobs.lmdb'), join(dir, 'calm.lmdb')];
  const attempts: Record<string, old.OldRow> = {};
  for (let n = 0; n < 20_000; n++) attempts[old.nameOfAttempt(n, 1)] = { ttl: old.TTL, body: json(anAttempt(n)) };
  await old.writeFormat2(path, { ...attempts, ...old.EVERY_KIND });
  copyFileSync(path, calm);
  for (const bytes of [0, 1, 2 * MIB, 3 * MIB, 4 * MIB]) {
    expect(await killedAt(path, bytes)).toBe('SIGKILL');
    expect(existsSync(`${path}-draft`)).toBe(bytes > 0);
  }
  const said: string[] = [];
  const store = await openLmdbStore(path, now, null, (line) => void said.push(line));
  const { jobs } = store;
  const count = Object.keys({ ...attempts, ...old.EVERY_KIND }).length;
  expect(said.at(-1)).toBe(`${count} rows were taken over`);
  expect([await jobs.readSpec(old.UID), await jobs.readStatus(old.UID)]).toEqual([old.SPEC, old.STATUS]);
  expect(await jobs.readLaunches(old.UID, 0)).toEqual({ row: 0, version: 2, slots: [old.SLOT] });
  expect((await jobs.dueJobs({ now: at(120_000), after: null, limit: 10 })).uids).toEqual([old.UID]);
  await store.close();
  await (await openLmdbStore(calm, now, null, () => undefined)).close();
  const all = await rowsIn(path);
  expect(all.length).toBeGreaterThan(20_000);
  expect(all).toEqual(await rowsIn(calm));
});
