import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { putRaw } from '../../contract/rows/raw-rows.ts';
import { startBuiltLocal } from '../../support/built/built-program.ts';
import { TEST_MS, indexed, kubeAt, shellJob } from '../kube-calls.ts';

const PROGRAM = resolve('dist/muster.mjs');

/** The pages of a file in which LMDB keeps rows or the way to them, each turned into zeros. */
function withoutPages(file: Buffer): Buffer {
  const damaged = Buffer.from(file);
  for (let at = 2 * 4_096; at < file.length; at += 4_096) damaged.fill(0, at, at + 24);
  return damaged;
}

test.each<[string, (file: string) => void, RegExp]>([
  ['is empty', (file) => writeFileSync(file, ''), /jobs\.lmdb is empty, and it held Jobs; put a copy/],
  ['is missing', (file) => rmSync(file), /jobs\.lmdb is missing, and it held Jobs; put a copy/],
  [
    'is cut off',
    (file) => writeFileSync(file, readFileSync(file).subarray(0, 9_000)),
    /has 9000 of \d+ bytes; put a copy/,
  ],
  [
    'has damaged pages',
    (file) => writeFileSync(file, withoutPages(readFileSync(file))),
    /jobs\.lmdb is damaged: page \d+ is no (leaf|branch) page; put a copy of it in its place, or move .* away/,
  ],
])(
  'a runtime whose file of Jobs %s says so, and begins anew in another folder only',
  { timeout: TEST_MS },
  async (_, lose, said) => {
    const dir = mkdtempSync(join(tmpdir(), 'muster-lost-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    await (await startBuiltLocal(PROGRAM, dir)).stop();
    const file = join(dir, 'data', 'jobs.lmdb');
    const copy = readFileSync(file);
    lose(file);
    for (const more of [[], ['--detach']]) {
      const args = [PROGRAM, 'local', '--data', 'data', '--port', '0', ...more];
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8' });
      expect(stderr).toMatch(said);
      expect({ status, lines: stderr.trim().split('\n').length }).toEqual({ status: 1, lines: 1 });
    }
    expect(existsSync(join(dir, 'data', 'lock'))).toBe(false);
    writeFileSync(file, copy);
    await (await startBuiltLocal(PROGRAM, dir)).stop();
  },
);

test('a damaged row is named, holds up no other Job, and can be left behind', { timeout: TEST_MS }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'muster-lost-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const first = await startBuiltLocal(PROGRAM, dir);
  await kubeAt(first.url).create(shellJob('sums', 'sleep 600', indexed(2, 2)));
  const { text } = await kubeAt(first.url).ask('GET', '/apis/batch/v1/namespaces/default/jobs/sums');
  const { uid } = (JSON.parse(text) as { metadata: { uid: string } }).metadata;
  await first.stop();
  const key = `JOB#${uid} STATUS`;
  await putRaw(join(dir, 'data', 'jobs.lmdb'), { [key]: Buffer.alloc(40) });

  const second = await startBuiltLocal(PROGRAM, dir);
  const kube = kubeAt(second.url);
  const refused = await kube.ask('GET', '/apis/batch/v1/namespaces/default/jobs');
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
    500,
    { reason: 'StorageReadError', message: expect.stringContaining(`--discard-row '${key}'`) as string },
  ]);
  expect((await kube.ask('GET', '/apis/batch/v1/namespaces/other/jobs')).status).toBe(200);
  await kube.create(shellJob('more', 'true', indexed(2, 2)));
  expect((await kube.ended('more')).status).toMatchObject({ succeeded: 2 });
  await second.stop();

  const third = await startBuiltLocal(PROGRAM, dir, '--discard-row', key);
  const listed = await kubeAt(third.url).ask('GET', '/apis/batch/v1/namespaces/default/jobs');
  const { items } = JSON.parse(listed.text) as { items: { metadata: { name: string } }[] };
  expect([listed.status, items.map((item) => item.metadata.name)]).toEqual([200, ['more']]);
  await kubeAt(third.url).create(shellJob('sums', 'true', indexed(2, 2)));
  expect((await kubeAt(third.url).ended('sums')).status).toMatchObject({ succeeded: 2 });
  await third.stop();
});
