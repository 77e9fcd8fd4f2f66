import { appendFileSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFileLogs } from '../../local/in-process/file-logs.ts';
import { LogFile, PIECE_BYTES_MAX } from '../../local/logs/log-stream.ts';
import { asTaskArn } from '../../shared/domain/base/ids.ts';
import type { LogReader } from '../../shared/ports/log-reader.ts';

const taskArn = asTaskArn(`arn:aws:ecs:us-east-1:000000000000:task/muster/${'0'.repeat(32)}`);
const STREAM = `muster/main/${'0'.repeat(32)}`;

/** The log of container `main`, printed in two parts, eight seconds apart, and looked at after each. */
function aReader(isComplete = true) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-file-logs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'stream');
  const file = new LogFile(path, join(folder, 'times'));
  for (const [atSec, text] of [
    [1_000, 'one\n\nthree\n'],
    [1_008, `f\u00fcnf\r\n${'x'.repeat(300_000)}\n`],
  ] as const) {
    appendFileSync(path, text);
    utimesSync(path, atSec, atSec);
    file.look();
  }
  return createFileLogs({
    logs: {
      read: ({ group, stream }, where, limit) =>
        group === '/muster' && stream === STREAM ? file.read(where, limit, isComplete) : null,
    },
    logGroup: '/muster',
  });
}

/** Each line with its time to the nanosecond, its length, and whether it goes on. */
const shown = (page: Awaited<ReturnType<LogReader['read']>>): readonly string[] =>
  page.kind === 'lines'
    ? page.lines.map(
        ({ atMs, nanos = 0, text, bytes, continues }) =>
          `${atMs}.${String(nanos).padStart(6, '0')} ${text.slice(0, 5)} ${bytes?.length ?? '?'} ${continues ?? 'ends'}`,
      )
    : [page.kind];

/** What is left of the long line after its first piece. */
const REST = 300_001 - PIECE_BYTES_MAX;
const FIRST = ['999999.999993 one 4 ends', '999999.999994  1 ends', '1000000.000000 three 6 ends'];

test('lines come with the time of each, their bytes, and whether the next goes on', async () => {
  const reader = aReader();
  const page = await reader.read({ taskArn, container: 'main', after: null });
  const lines = shown(page);
  expect(lines.slice(0, 3)).toEqual(FIRST);
  expect(lines.slice(3)).toEqual([
    '1007999.699999 fünf\r 7 ends',
    `1007999.${1_000_000 - REST} xxxxx ${PIECE_BYTES_MAX} surely`,
    `1008000.000000 xxxxx ${REST} ends`,
  ]);
  const next = page.kind === 'lines' ? page.next : '';
  expect(shown(await reader.read({ taskArn, container: 'main', after: next }))).toEqual([]);
});

test('the last lines, and those before them', async () => {
  const reader = aReader();
  const last = await reader.readBack({ taskArn, container: 'main', before: null, linesMax: 3 });
  expect(shown(last).map((line) => line.split(' ')[1])).toEqual(['fünf\r', 'xxxxx', 'xxxxx']);
  const before = last.kind === 'lines' ? last.previous : '';
  expect(shown(await reader.readBack({ taskArn, container: 'main', before }))).toEqual(FIRST);
});

test('whether more may come is known, and how often it may be asked', async () => {
  for (const isComplete of [true, false])
    expect(await aReader(isComplete).read({ taskArn, container: 'main', after: null })).toMatchObject({ isComplete });
  expect(aReader().polls?.mostMs).toBeLessThanOrEqual(250);
});

test('of another container there is none', async () => {
  expect(await aReader().read({ taskArn, container: 'other', after: null })).toEqual({ kind: 'none' });
  expect(await aReader().readBack({ taskArn, container: 'other', before: null })).toEqual({ kind: 'none' });
});
