import { describe, expect, test } from 'vitest';
import {
  type Attack,
  type Runtime,
  WHY_NOT,
  aJob,
  aRuntime,
  anAttack,
  ask,
  createJob,
  lateEnd,
  memoryMib,
  siege,
} from './a-siege.ts';

const JOBS = '/apis/batch/v1/jobs';
const SECONDS = 10;
/** Each of so many requests is work of its own, and they are served in turn. */
const IN_TURN_MS = 5_000;

/** 600 Jobs of one index that are suspended: they are listed, and cost nothing else. */
async function fill(runtime: Runtime): Promise<void> {
  for (let n = 0; n < 600; n += 50)
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => createJob(runtime, aJob(`kept-${n + i}`, 1, 'exit 0', true))),
    );
}

const attackOf =
  (kind: string, count: number, path: string) =>
  ({ port }: Runtime): readonly Attack[] => [{ kind, port, count, path, seconds: SECONDS + 60, asOwner: true }];

describe.runIf(WHY_NOT === null)('the owner is answered while a program of its own', () => {
  test('asks for 600 Jobs again and again on one connection and reads nothing', async () => {
    const attack = attackOf('pipeline', 1, JOBS);
    const wrong = await siege('600 Jobs, asked for and never read', attack, { seconds: SECONDS, prepare: fill });
    expect(wrong).toEqual([]);
  });

  test('opens 600 watches at once', async () => {
    const wrong = await siege('600 watches', attackOf('hold', 600, `${JOBS}?watch=1`), {
      seconds: SECONDS,
      answerMs: IN_TURN_MS,
    });
    expect(wrong).toEqual([]);
  });

  test('opens 2,000 connections at once', async () => {
    const wrong = await siege('2,000 connections', attackOf('hold', 2_000, '/version'), {
      seconds: SECONDS,
      answerMs: IN_TURN_MS,
    });
    expect(wrong).toEqual([]);
  });
});

describe.runIf(WHY_NOT === null)('a runtime', () => {
  test('drops what a program that is gone has asked on one connection for 10 s', async () => {
    const runtime = await aRuntime();
    await fill(runtime);
    const { port } = runtime;
    const attack = { kind: 'pipeline-once', port, seconds: 10, count: 1, path: JOBS, asOwner: true };
    await (await anAttack(attack)).over;
    const { status, ms } = await ask(runtime.url, '/version');
    expect({ status, isSoon: ms < IN_TURN_MS }).toEqual({ status: 200, isSoon: true });
    expect(memoryMib(runtime.pid, 'VmHWM')).toBeLessThan(400);
    expect(lateEnd(await runtime.end())).toEqual([]);
  });

  test('answers each of 200 requests that come at once', async () => {
    const runtime = await aRuntime();
    await createJob(runtime, aJob('one', 1, 'exit 0'));
    const answers = await Promise.all(Array.from({ length: 200 }, async () => ask(runtime.url, JOBS)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const created = await Promise.all(
      answers.map(async (_, n) => createJob(runtime, aJob(`many-${n}`, 1, 'exit 0', true))),
    );
    process.stderr.write(`200 lists and 200 Jobs at once: ${Math.round(Math.max(...created))} ms at most\n`);
    expect(lateEnd(await runtime.end())).toEqual([]);
  });
});
