import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommandLine } from '../../cli/program/program.ts';
import { taskIdOf } from '../../shared/domain/base/ids.ts';
import { plusMs } from '../../shared/domain/base/time.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { LmdbRows } from '../../shared/adapters/rows/lmdb.ts';
import { storeOf } from '../../local/store/lmdb-store.ts';
import { jobsFileOf } from '../../local/data-folder.ts';
import { createLogs } from '../../local/logs/create-logs.ts';
import { FEED_RETENTION_MS } from '../../shared/ports/feed.ts';
import { TEST_WIRING } from '../support/test-wiring.ts';
import { aShell } from '../cli/a-shell.ts';
import { aLocalRuntime } from './a-local-runtime.ts';
import { TEST_MS, eventually, indexed, shellJob } from './kube-calls.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const logsIn = (dataDir: string): readonly string[] => {
  const dir = join(dataDir, 'logs');
  return existsSync(dir) ? readdirSync(dir).flatMap((group) => readdirSync(join(dir, group))) : [];
};

// A DynamoDB removes rows by their time to live.
test.runIf(TEST_WIRING === 'inProcess')(
  'what is pruned leaves the disk: rows, and what its tasks have printed; all else stays',
  {
    timeout: TEST_MS,
  },
  async () => {
    const local = await aLocalRuntime();
    const { kube, dataDir, runtime } = local;
    const muster = async (line: string, now: () => number = Date.now) => {
      const shell = aShell({ cwd: local.root, now });
      const code = await runCommandLine(['--kubeconfig', runtime.kubeconfig, ...line.split(' ')], shell.shell);
      return { code, out: shell.out(), err: shell.err() };
    };
    const uids = {
      good: await kube.create(shellJob('good', 'echo done', indexed(12, 6))),
      bad: await kube.create(shellJob('bad', 'echo no; exit 1', { ...indexed(2, 2), backoffLimit: 0 })),
      open: await kube.create(shellJob('open', 'echo here; sleep 600', indexed(1, 1))),
    };
    await kube.ended('good');
    await kube.ended('bad');
    await kube.until('open', ({ status }) => status.active === 1);
    const logsBefore = await eventually(
      () => (logsIn(dataDir).length === 15 ? logsIn(dataDir) : null),
      () => `${logsIn(dataDir).length} logs`,
    );

    expect(await muster('prune --older-than 7d')).toEqual({ code: 0, out: '0 Jobs deleted\n', err: '' });
    const pruned = await muster('prune --older-than 7d', () => Date.now() + 7 * DAY_MS + HOUR_MS);
    expect({ code: pruned.code, lines: pruned.out.split('\n').length }).toEqual({ code: 0, lines: 4 });
    expect(pruned.out).toContain('job.batch "bad" deleted (ended 7d1h ago)\n');
    expect(pruned.out).toContain('2 Jobs deleted\n');
    expect((await muster('get -o name')).out).toBe('job.batch/open\n');
    const gone = [uids.good, uids.bad] as const;
    for (const uid of gone)
      await eventually(
        async () => ((await runtime.runtime.deps.jobs.readStatus(uid as never))?.alarms.length === 0 ? true : null),
        () => `${uid} has something left to do`,
      );
    await runtime.stop();

    // The next runtime, some hours later.
    const now = () => plusMs(systemClock.now(), FEED_RETENTION_MS + 2 * HOUR_MS);
    const rows = new LmdbRows(jobsFileOf(dataDir), now);
    const keys = (): readonly string[] => rows.slice('', null, 99_999).map(({ key }) => `${key.partition} ${key.sort}`);
    const logs = createLogs({ dataDir, isLive: () => false });
    expect(gone.every((uid) => keys().some((key) => key.startsWith('TASK') && key.includes(uid)))).toBe(true);
    const ofOpen = keys().filter((key) => key.includes(uids.open));
    await storeOf(rows, now, FEED_RETENTION_MS).removeOld((tasks) => logs.forget(new Set([...tasks].map(taskIdOf))));
    expect(keys().filter((key) => gone.some((uid) => key.includes(uid)))).toEqual([]);
    expect(keys().filter((key) => key.includes(uids.open))).toEqual(ofOpen);
    expect([logsBefore.length, logsIn(dataDir).length]).toEqual([15, 1]);
    await rows.close();
    local.remove();
  },
);
