import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { canLook, processesNaming } from '../e2e/processes-left.ts';
import { type Runtime, WHY_NOT, aJob, aRuntime, aStart, anAttack, createJob, lateEnd, jobUntil } from './a-siege.ts';

/** What is wrong with how a signal ends it: it is to end in time, say so, and leave nothing running. */
async function faultsOfStop({
  end,
  said,
  dataDir,
}: Pick<Runtime, 'end' | 'said' | 'dataDir'>): Promise<readonly string[]> {
  const ended = await end();
  process.stderr.write(`it ended in ${ended.ms} ms\n`);
  const word = ended.code === 0 ? 'Stopped.' : 'Nothing is lost';
  return [...lateEnd(ended), ...(said().includes(word) ? [] : [said()]), ...processesNaming(dataDir)];
}

describe.runIf(canLook)('a signal ends `muster local` within five seconds', () => {
  test.each([
    ['200 tasks that ignore SIGTERM', 200, 'trap "" TERM INT HUP; while :; do sleep 60; done'],
    ['tasks whose children have left their session', 5, 'setsid sleep 600 & trap "" TERM; sleep 600; wait'],
  ])('with %s', async (_, count, command) => {
    const runtime = await aRuntime();
    await createJob(runtime, aJob('deaf', count, `touch "$MUSTER_WORKSPACE/$JOB_COMPLETION_INDEX.up"; ${command}`));
    await jobUntil(runtime, 'deaf', ({ active }) => active === count);
    while (!Array.from({ length: count }, (__, n) => join(runtime.dataDir, '..', `${n}.up`)).every(existsSync))
      await sleep(50);
    expect(await faultsOfStop(runtime)).toEqual([]);
  });

  test.each([
    ['an address that never answers', (url: string) => ['--on-event-url', url]],
    ['a command that hangs', () => ['--on-event', 'trap "" TERM; sleep 600; sleep 600']],
  ])('with a listener behind %s', async (_, options) => {
    let calls = 0;
    const server = createServer(() => calls++).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const runtime = await aRuntime({ options: options(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) });
    await createJob(runtime, aJob('told', 2, 'exit 0'));
    await jobUntil(runtime, 'told', ({ succeeded }) => succeeded === 2);
    await sleep(500);
    expect(await faultsOfStop(runtime)).toEqual([]);
    expect(calls > 0).toBe(_.startsWith('an address'));
  });

  test('while it starts, at any moment', async () => {
    for (const afterMs of [150, 300, 450, 600, 900]) {
      const start = aStart();
      await sleep(afterMs);
      const end = await start.end();
      // null: the signal came before anything listened for it
      expect(lateEnd({ ...end, code: end.code ?? 0 })).toEqual([]);
    }
  });

  test('once, however often it is sent', async () => {
    const runtime = await aRuntime();
    await createJob(runtime, aJob('deaf', 3, 'trap "" TERM; while :; do sleep 60; done'));
    await jobUntil(runtime, 'deaf', ({ active }) => active === 3);
    const faults = faultsOfStop(runtime);
    // While it stops; when node itself ends, a signal has its usual effect again.
    for (let n = 0; n < 5; n++) {
      await sleep(200);
      runtime.child.kill('SIGTERM');
    }
    expect(await faults).toEqual([]);
  });

  test('and a second Ctrl-C ends it at once; what ran is adopted', async () => {
    const runtime = await aRuntime();
    await createJob(runtime, aJob('deaf', 1, 'trap "" TERM INT; while :; do sleep 60; done'));
    await jobUntil(runtime, 'deaf', ({ active }) => active === 1);
    runtime.child.kill('SIGTERM');
    await sleep(600);
    const { code, ms } = await runtime.end('SIGINT');
    expect({ code, isSoon: ms < 1_000 }).toEqual({ code: 130, isSoon: true });
    const next = await aRuntime({ dir: join(runtime.dataDir, '..') });
    expect(await faultsOfStop(next)).toEqual([]);
  });
});

describe.runIf(WHY_NOT === null)('a signal ends `muster local` within five seconds', () => {
  test('with 1,000 watches open', async () => {
    const runtime = await aRuntime();
    const path = '/apis/batch/v1/jobs?watch=1';
    const watches = { kind: 'hold', port: runtime.port, seconds: 60, count: 1_000, path, asOwner: true };
    await anAttack(watches);
    expect(await faultsOfStop(runtime)).toEqual([]);
  });
});
