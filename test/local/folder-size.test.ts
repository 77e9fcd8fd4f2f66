import { lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dataFolderSize } from '../../local/folder-size.ts';

function aFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-size-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const onDisk = (...paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + statSync(path).blocks * 512, 0);

test('what a folder takes of its disk, with all that is in it, and the parts that grow', async () => {
  const dir = aFolder();
  const [logs, group, tasks] = [join(dir, 'logs'), join(dir, 'logs', 'group'), join(dir, 'ecs', 'tasks')];
  for (const folder of [group, tasks]) mkdirSync(folder, { recursive: true });
  const files = [join(dir, 'jobs.lmdb'), join(group, 'a'), join(group, 'b'), join(tasks, 'task.json')];
  for (const [nth, file] of files.entries()) writeFileSync(file, 'x'.repeat(10_000 * (nth + 1)));
  const many = Array.from({ length: 450 }, (_, nth) => join(group, `log-${nth}`));
  for (const file of many) writeFileSync(file, 'a line\n');
  const elsewhere = aFolder();
  writeFileSync(join(elsewhere, 'large'), 'x'.repeat(1_000_000));
  const link = join(dir, 'link');
  symlinkSync(elsewhere, link);

  const jobs = { usedBytes: 1, fileBytes: 2 };
  const logsBytes = onDisk(group, files[1]!, files[2]!, ...many);
  const tasksBytes = onDisk(files[3]!);
  expect(logsBytes).toBeGreaterThan(50_000);
  expect(await dataFolderSize(dir, jobs)).toEqual({
    path: dir,
    jobs,
    logsBytes,
    tasksBytes,
    bytes: logsBytes + tasksBytes + onDisk(files[0]!, logs, join(dir, 'ecs'), tasks) + lstatSync(link).blocks * 512,
  });
});

test('a folder without logs and tasks', async () => {
  const dir = aFolder();
  expect(await dataFolderSize(dir, null)).toEqual({ path: dir, jobs: null, logsBytes: 0, tasksBytes: 0, bytes: 0 });
});
