import { spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { databaseOf, jobsFileOf } from '../../../local/data-folder.ts';
import { startDynamoEngine } from '../../../local/dynamodb/engine.ts';
import { enginesOn } from '../../../local/dynamodb/engine-processes.ts';
import { type LocalOptions, startLocalRuntime } from '../../../local/runtime.ts';
import { contextOf } from '../../../local/event-source/mapping.ts';
import { TEST_WIRING } from '../../support/test-wiring.ts';
import { aDisk, fill } from '../../support/a-disk.ts';
import { aLocalRuntime, someFolders } from '../a-local-runtime.ts';
import { JOBS, TEST_MS, conditionsOf, eventually, indexed, kubeAt, linesOf, shellJob } from '../kube-calls.ts';
import { canLook, processesNaming } from '../processes-left.ts';
import { killNow, startRuntime } from '../a-runtime-process.ts';
import { stopRuntime } from '../../../local/stop-runtime.ts';

if (!canLook) console.warn('SKIPPED: engines left behind and full disks are tried on Linux only');

function folders() {
  const made = someFolders();
  onTestFinished(made.remove);
  return made;
}

/** A start, and what it has said; it is stopped at the end. */
async function start(
  { dataDir, workspaceDir }: { dataDir: string; workspaceDir: string },
  more: Partial<LocalOptions> = {},
) {
  const said: string[] = [];
  const runtime = await startLocalRuntime({
    port: null,
    dataDir,
    workspaceDir,
    driver: 'process',
    wiring: TEST_WIRING,
    say: (line) => said.push(line),
    ...more,
  });
  if (runtime.kind === 'started') onTestFinished(async () => runtime.stop());
  return { runtime, said };
}

/** The file that holds the Jobs. */
const fileOf = TEST_WIRING === 'inProcess' ? jobsFileOf : databaseOf;
/** An engine runs on a database. */
const ENGINES = TEST_WIRING === 'inProcess' ? 0 : 1;

async function reasonOf(places: { dataDir: string; workspaceDir: string }): Promise<string> {
  const { runtime } = await start(places);
  if (runtime.kind !== 'refused') throw new Error('it has started');
  expect(enginesOn(databaseOf(places.dataDir))).toEqual([]);
  return runtime.reason;
}

describe.runIf(canLook)(
  'what keeps a runtime from starting is one sentence, and no engine is left',
  { timeout: TEST_MS },
  () => {
    test('a file in place of the folder, of a folder in it, or of the database', async () => {
      const { root, workspaceDir } = folders();
      const [file, below, database] = ['file', 'below', 'database'].map((name) => join(root, name)) as [
        string,
        string,
        string,
      ];
      writeFileSync(file, '');
      expect(await reasonOf({ dataDir: file, workspaceDir })).toMatch(`${file}: this is a file instead of a folder`);
      mkdirSync(below, { mode: 0o700 });
      writeFileSync(join(below, 'ecs'), '');
      expect(await reasonOf({ dataDir: below, workspaceDir })).toMatch(
        /below\/ecs.*: this is a file instead of a folder/,
      );
      mkdirSync(fileOf(database), { recursive: true, mode: 0o700 });
      expect(await reasonOf({ dataDir: database, workspaceDir })).toContain(
        `${fileOf(database)}: this is a file instead`,
      );
    });

    test('a damaged database', async () => {
      const { dataDir, workspaceDir } = folders();
      writeFileSync(fileOf(dataDir), 'no database'.repeat(1000));
      expect(await reasonOf({ dataDir, workspaceDir })).toContain(`${fileOf(dataDir)} is damaged: `);
    });

    test('links in place of the database', async () => {
      const { root, dataDir, workspaceDir } = folders();
      symlinkSync(join(root, 'elsewhere'), fileOf(dataDir));
      expect(await reasonOf({ dataDir, workspaceDir })).toContain(`${fileOf(dataDir)} is a link`);
      expect(existsSync(join(root, 'elsewhere'))).toBe(false);
    });

    test('a full disk, a nearly full one, and one that cannot be written', async ({ skip }) => {
      const disk = aDisk(256);
      if (disk === null) return skip();
      const { workspaceDir } = folders();
      const dataDir = join(disk.dir, 'data');
      mkdirSync(dataDir, { mode: 0o700 });
      fill(disk.dir);
      expect(await reasonOf({ dataDir, workspaceDir })).toContain(`the disk of ${dataDir} is full: free some space`);
      rmSync(join(disk.dir, 'filling'));
      writeFileSync(join(disk.dir, 'filling'), Buffer.alloc(180 * 1024)); // enough for the lock, not for a table
      expect(await reasonOf({ dataDir, workspaceDir })).toContain(`the disk of ${dataDir} is full: free some space`);
      expect(readdirSync(dataDir)).not.toContain('lock');
      rmSync(join(disk.dir, 'filling'));
      disk.remount('ro');
      expect(await reasonOf({ dataDir, workspaceDir })).toContain(`the disk of ${dataDir} is read-only`);
      disk.remount('rw');
    });

    test('a port that is taken', async () => {
      const { dataDir, workspaceDir } = folders();
      const server = createServer().listen(0, '127.0.0.1');
      await new Promise((listening) => server.once('listening', listening));
      onTestFinished(() => void server.close());
      const { port } = server.address() as { port: number };
      const { runtime } = await start({ dataDir, workspaceDir }, { port });
      expect(runtime).toEqual({ kind: 'refused', reason: `port ${port} is in use; omit --port to use a free one` });
      expect(enginesOn(databaseOf(dataDir))).toEqual([]);
      expect(existsSync(join(dataDir, 'lock'))).toBe(false);
    });
  },
);

describe.runIf(canLook)('what an earlier runtime left', { timeout: TEST_MS }, () => {
  test('an engine that nobody knows of is ended before another opens its file', async () => {
    const places = folders();
    const left = await startDynamoEngine({ dbPath: databaseOf(places.dataDir) });
    if (left.kind === 'absent') throw new Error(left.reason);
    await start(places, { wiring: 'emulateAws' });
    expect(await left.ended).toContain('Shutting down');
    expect(enginesOn(databaseOf(places.dataDir))).toHaveLength(1);
  });

  test('by a kill is ended by stop, and goes on when it is started again', async () => {
    const places = folders();
    const killed = startRuntime(places);
    const script = 'echo ran >> out; [ -e go ] || { setsid sleep 619 & sleep 619; }';
    await kubeAt(await killed.ready()).create(shellJob('frames', script, { ...indexed(2, 2), backoffLimit: 0 }));
    await eventually(
      () => (linesOf(places.workspaceDir, 'out').length === 2 ? true : null),
      () => 'not begun',
    );
    killNow(killed.child.pid);
    await killed.ended;
    expect(processesNaming(places.root)).not.toEqual([]);
    expect(await stopRuntime(places.dataDir, 10_000)).toEqual({ kind: 'cleared' });
    await eventually(
      () => (processesNaming(places.root).length === 0 ? true : null),
      () => 'some are left',
    );
    expect(await stopRuntime(places.dataDir, 10_000)).toEqual({ kind: 'none' });
    expect(existsSync(join(places.dataDir, 'lock'))).toBe(false);

    writeFileSync(join(places.workspaceDir, 'go'), '');
    const { runtime } = await start(places);
    if (runtime.kind !== 'started') throw new Error(runtime.reason);
    const job = await kubeAt(runtime.url).ended('frames');
    expect(job.status).toMatchObject({ succeeded: 2, failed: 0 });
  });

  test('a torn lock is taken over, and said; of a runtime that lives it keeps a second one out all the same', async () => {
    const places = folders();
    const lock = join(places.dataDir, 'lock');
    writeFileSync(lock, '{"pid":');
    const first = await start(places);
    expect(first.runtime.kind).toBe('started');
    expect(first.said).toContain(`warning: ${lock} cannot be read; no runtime is found there, so it is taken over`);
    writeFileSync(lock, '');
    const { runtime } = await start(places);
    expect(runtime).toEqual({
      kind: 'refused',
      reason: expect.stringContaining(`another runtime (pid ${process.pid})`) as string,
    });
    expect(enginesOn(databaseOf(places.dataDir))).toHaveLength(ENGINES);
  });

  test('torn files are put aside and said, and everything else goes on', async () => {
    const places = folders();
    const before = await start(places);
    if (before.runtime.kind !== 'started') throw new Error(before.runtime.reason);
    await kubeAt(before.runtime.url).create(shellJob('early', 'true', indexed(2, 2)));
    await kubeAt(before.runtime.url).ended('early');
    await before.runtime.stop();
    const definitions = join(places.dataDir, 'ecs', 'definitions');
    const [family = ''] = readdirSync(definitions);
    const file = join(definitions, family, '1.json');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.slice(0, whole.length / 2));
    mkdirSync(join(places.dataDir, 'cloudmap'), { recursive: true });
    writeFileSync(join(places.dataDir, 'cloudmap', 'srv-1.json'), '');

    const { runtime, said } = await start(places);
    if (runtime.kind !== 'started') throw new Error(runtime.reason);
    expect(said.filter((line) => line.includes('is torn'))).toEqual([
      expect.stringContaining(join('cloudmap', 'srv-1.json')) as string,
      expect.stringContaining(file) as string,
    ]);
    const kube = kubeAt(runtime.url);
    await kube.create(shellJob('late', 'true', indexed(2, 2)));
    expect(conditionsOf(await kube.ended('late'))).toContain('Complete');
    expect(readdirSync(join(definitions, family)).sort()).toEqual(['1.json.torn', '2.json']);
  });
});

describe.runIf(canLook)('a runtime', { timeout: TEST_MS }, () => {
  test('keeps all that it writes from others, also in a folder that was open', async () => {
    const places = folders();
    const { runtime } = await start(places);
    if (runtime.kind !== 'started') throw new Error(runtime.reason);
    await kubeAt(runtime.url).create(shellJob('frames', 'echo hello', indexed(3, 3)));
    await kubeAt(runtime.url).ended('frames');
    expect(statSync(places.dataDir).mode & 0o777).toBe(0o700);
    const open = readdirSync(places.dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => {
      const stats = lstatSync(join(places.dataDir, name));
      return stats.isFile() && (stats.mode & 0o077) !== 0;
    });
    expect(open).toEqual([]);
  });

  test('whose disk fills up says so to those who ask, and runs no task again that ends meanwhile', async ({ skip }) => {
    const disk = aDisk(16 * 1024);
    if (disk === null) return skip();
    const { workspaceDir } = folders();
    const { runtime } = await start({ dataDir: join(disk.dir, 'data'), workspaceDir });
    if (runtime.kind !== 'started') throw new Error(runtime.reason);
    const kube = kubeAt(runtime.url);
    const script = 'echo ran >> out; while [ ! -e go ]; do sleep 0.05; done; echo over >> out';
    await kube.create(shellJob('frames', script, { ...indexed(5, 5), backoffLimit: 0 }));
    await kube.until('frames', ({ status }) => status.active === 5);
    await eventually(
      () => (linesOf(workspaceDir, 'out').length === 5 ? true : null),
      () => 'not all have begun',
    );

    fill(disk.dir);
    const refused = await kube.ask('POST', JOBS, shellJob('late', 'true'));
    expect({ status: refused.status, body: JSON.parse(refused.text) as object }).toMatchObject({
      status: 507,
      body: {
        kind: 'Status',
        status: 'Failure',
        reason: 'InsufficientStorage',
        message: expect.stringMatching(/^nothing can be stored: the disk of .* is full: free some space/) as string,
      },
    });
    writeFileSync(join(workspaceDir, 'go'), '');
    await eventually(
      () => (linesOf(workspaceDir, 'out').length === 10 ? true : null),
      () => 'not all are over',
    );
    await sleep(1_000); // so that their ends are reported while nothing can be stored
    rmSync(join(disk.dir, 'filling'));

    const job = await kube.ended('frames');
    expect(conditionsOf(job)).toContain('Complete');
    expect(job.status).toMatchObject({ succeeded: 5, failed: 0 });
    expect(linesOf(workspaceDir, 'out').filter((line) => line === 'ran')).toHaveLength(5);
  });

  test('that has stopped leaves nobody to be asked, whatever the environment names', async () => {
    const local = await aLocalRuntime({ driver: 'simulated' });
    await local.close();
    await expect(
      local.runtime.handlers.sweep({ time: '2026-11-20T12:00:00Z' }, contextOf('sweep', 1_000)),
    ).rejects.toThrow(/has stopped|was aborted/); // SDK clients say it in their way
  });

  test('whose process ends at once takes its engine along', async () => {
    const { dataDir } = folders();
    const program = `
      import { startDynamoEngine } from '${join(import.meta.dirname, '../../../local/dynamodb/engine.ts')}';
      await startDynamoEngine({ dbPath: ${JSON.stringify(databaseOf(dataDir))} });
      process.exit(3);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      cwd: join(import.meta.dirname, '../../..'),
    });
    expect(await new Promise((ended) => child.once('exit', ended))).toBe(3);
    await eventually(
      async () => (enginesOn(databaseOf(dataDir)).length === 0 ? true : null),
      () => 'an engine is left',
    );
  });
});
