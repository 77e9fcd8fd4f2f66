import { describe, expect, test } from 'vitest';
import { inspect } from '../../../shared/control/dispatch/inspect.ts';
import type { Deps } from '../../../shared/control/process/deps.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { plusMs } from '../../../shared/domain/base/time.ts';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import { emptyChunk } from '../../../shared/domain/scoreboard/board.ts';
import { DONE, Stage } from '../../support/a-stage.ts';

// What one look-up of a Job's attempts asks of ECS, and what it sends.

/** A Job whose tasks ECS has accepted. */
async function launched(count: number): Promise<{ readonly stage: Stage; readonly uid: JobUid }> {
  const stage = new Stage();
  stage.fate = { startMs: 1_000, runMs: 60_000, stopMs: 500, ending: DONE };
  const uid = await stage.job({ completions: count, parallelism: count });
  await stage.settle();
  return { stage, uid };
}

/** What a look-up sends: facts, and messages with their delays. */
async function look(stage: Stage, uid: JobUid, jobs: Partial<Deps['jobs']> = {}, tasks: Partial<Deps['tasks']> = {}) {
  const facts: Fact[] = [];
  const messages: unknown[] = [];
  const described: number[] = [];
  const { deps } = stage.handler();
  await inspect(
    { uid, from: 0 },
    {
      ...deps,
      jobs: { ...deps.jobs, ...jobs },
      tasks: {
        ...deps.tasks,
        describe: async (arns) => {
          described.push(arns.length);
          return stage.tasks.describe(arns);
        },
        ...tasks,
      },
      queues: {
        ...deps.queues,
        facts: async (sent) => {
          for (const { facts: some } of sent) {
            expect(some).not.toEqual([]);
            facts.push(...some);
          }
        },
        dispatch: async (sent, delaySec) => {
          expect(sent).not.toEqual([]);
          messages.push(...sent.map((message) => [message, delaySec]));
        },
      },
    },
  );
  return { facts, kinds: facts.map(({ kind, index }) => `${kind} ${index}`), messages, described };
}

test('what the board does not know yet is sent, whether or not events come', async () => {
  const { stage, uid } = await launched(2);
  const kinds = async () => {
    stage.events = []; // they are lost
    return (await look(stage, uid)).kinds;
  };
  expect(await kinds()).toEqual([]); // starting, as the board says
  stage.advance(2_000);
  expect(await kinds()).toEqual(['running 0', 'running 1']);
  await stage.handler().pass({ uid, facts: (await look(stage, uid)).facts.slice(0, 1) });
  expect(await kinds()).toEqual(['running 1']);
  stage.advance(60_000);
  expect(await kinds()).toEqual(['stopped 0', 'stopped 1']);
});

test.each([
  [100, [100]],
  [101, [100, 1]],
  [200, [100, 100]],
])('of %i tasks, ECS is asked about 100 at a time', async (count, described) => {
  const { stage, uid } = await launched(count);
  const looked = await look(stage, uid);
  expect(looked).toMatchObject({ described, facts: [], messages: [] });
});

test('when ECS does not answer, the same look-up comes again after five seconds', async () => {
  const { stage, uid } = await launched(1);
  const { facts, messages } = await look(
    stage,
    uid,
    {},
    { describe: async () => ({ kind: 'later', reason: 'Rate exceeded' }) },
  );
  expect({ facts, messages }).toEqual({ facts: [], messages: [[{ kind: 'inspect', uid, from: 0 }, 5]] });
});

test('a task that no launch names is launched again, which returns it', async () => {
  const { stage, uid } = await launched(2);
  const row = await stage.store.jobs.readLaunches(uid, 0);
  const slots = row.slots.filter(({ index }) => index !== 1);
  await stage.store.jobs.writeLaunches(uid, { ...row, slots }, plusMs(stage.time, 3_600_000));
  const { messages, described } = await look(stage, uid);
  const launch = [{ index: 1, attempt: 1, nonce: 0 }];
  expect(messages).toEqual([[{ kind: 'pack', uid, launch, stop: [] }, 0]]);
  expect(described).toEqual([1]);
});

describe('the board', () => {
  test('is read as STATUS names it: a chunk that was never stored is not asked for', async () => {
    const { stage, uid } = await launched(1);
    const asked: (readonly number[])[] = [];
    const { described } = await look(stage, uid, {
      readChunks: async (_, nos) => {
        asked.push(nos);
        return new Map();
      },
    });
    expect(asked).toEqual([[]]);
    expect(described).toEqual([1]);
  });

  test.each([
    ['another version of it is there', 2, [[5, 0]]],
    ['it is not there', null, [[5, 0]]],
    ['it is there', 1, []],
  ])('of a chunk that was stored: %s', async (_, version, expected) => {
    const { stage, uid } = await launched(1);
    const status = await stage.status(uid);
    const { messages } = await look(stage, uid, {
      readStatus: async () => ({ ...status, chunks: status.chunks.map((chunk) => ({ ...chunk, version: 1 })) }),
      readChunks: async (_job, nos) =>
        new Map(version === null ? [] : nos.map((no) => [no, { version, chunk: emptyChunk() }])),
    });
    expect(messages).toEqual(expected.map(([delaySec, from]) => [{ kind: 'inspect', uid, from }, delaySec]));
  });

  test('is not there: nothing is asked', async () => {
    const { stage, uid } = await launched(1);
    expect(await look(stage, uid, { readStatus: async () => null })).toMatchObject({ described: [], messages: [] });
  });
});

test('an end that is found long after it is counted as one that no event has told, and a fresh one is not', async () => {
  const { stage, uid } = await launched(2);
  const handler = stage.handler();
  const found = async () => {
    handler.counts.clear();
    await inspect({ uid, from: 0 }, handler.deps);
    return handler.counts.get('EndsFoundByLookUp');
  };
  stage.advance(2_000);
  expect(await found()).toBeUndefined(); // they run
  stage.advance(60_000);
  expect(await found()).toBeUndefined(); // their events may be under way
  stage.advance(180_000);
  expect(await found()).toBe(2);
  await stage.settle();
  expect(await found()).toBeUndefined(); // the board knows
});
