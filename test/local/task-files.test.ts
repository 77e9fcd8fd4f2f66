import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TaskFiles } from '../../local/ecs/driver/task-files.ts';

const NOW_MS = 1_000_000_000_000;
const HOURS_MS = 3 * 3_600_000;

/** A container's two files, as a file system dates them whose clock is `aheadMs` ahead of ours. */
function filesDated(aheadMs: number): TaskFiles {
  const dir = mkdtempSync(join(tmpdir(), 'muster-task-files-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const files = new TaskFiles(dir, () => NOW_MS);
  for (const [name, text] of [
    ['started.main', '123\n'],
    ['exit.main', '1 end\n'],
  ] as const) {
    const path = join(dir, name);
    writeFileSync(path, text);
    utimesSync(path, (NOW_MS + aheadMs) / 1000, (NOW_MS + aheadMs) / 1000);
  }
  return files;
}

test.each([
  ['ahead of ours', HOURS_MS, NOW_MS],
  ['ours', -1_000, NOW_MS - 1_000],
  ['behind ours', -HOURS_MS, NOW_MS - HOURS_MS],
])('a start and an end are no later than now, where the clock of the files is %s', (_, aheadMs, expected) => {
  const files = filesDated(aheadMs);
  expect(files.claim('', 'main')).toEqual({ pid: 123, atMs: expected });
  expect(files.exit('', 'main')).toEqual({ exitCode: 1, atMs: expected });
});
