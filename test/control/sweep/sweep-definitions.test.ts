import { describe, expect, test } from 'vitest';
import { prefixAt, retireDefinitions, sweepDefinitions } from '../../../shared/control/sweep/sweep-definitions.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { familiesOf } from '../../../shared/domain/task/task.ts';
import { DONE, Stage } from '../../support/a-stage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const QUICK = { startMs: 100, runMs: 1_000, stopMs: 100, ending: DONE };

/** A Job that has launched tasks, of a template of its own. */
async function launched(stage: Stage, image: string): Promise<JobUid> {
  const name = image.replace(':', '-');
  const uid = await stage.job({ uid: `uid-${name}`, name, completions: 2, parallelism: 1, image });
  await stage.settle();
  return uid;
}

const familyOfJob = async (stage: Stage, uid: JobUid): Promise<string> =>
  familiesOf((await stage.store.jobs.readTemplates(uid)).at(-1)!)[0]!;

/** One look at all families, with all that follows from it. Returns how many definitions were deregistered. */
async function look(stage: Stage, prefix = 'muster-'): Promise<number> {
  const handler = stage.handler();
  await sweepDefinitions({ prefix, after: null }, handler.deps);
  for (let n = 0; n < 50; n++) {
    await handler.dispatch(stage.takeDispatches().filter(({ kind }) => kind.endsWith('Definitions')));
    stage.advance(10_000);
  }
  return handler.counts.get('DefinitionsDeregistered') ?? 0;
}

async function minutes(stage: Stage, count: number): Promise<void> {
  for (let n = 0; n < count * 6; n++) {
    stage.advance(10_000);
    await stage.settle();
  }
}

test('each family has its turn once in 256 hours', () => {
  const from = 1_800_000_000_000;
  const prefixes = Array.from({ length: 256 }, (_, hour) => prefixAt(asEpochMs(from + hour * HOUR_MS)));
  expect(new Set(prefixes).size).toBe(256);
  for (const prefix of prefixes) expect(prefix).toMatch(/^muster-[0-9a-f]{2}$/);
  expect(prefixAt(asEpochMs(from + 256 * HOUR_MS))).toBe(prefixes[0]);
  expect(prefixAt(asEpochMs(from + HOUR_MS / 4))).toBe(prefixes[0]);
});

describe('a definition', () => {
  test('that no Job uses is deregistered after the history, and only in its turn', async () => {
    const stage = new Stage();
    stage.fate = QUICK;
    const uid = await launched(stage, 'old:1');
    await minutes(stage, 2);
    expect(await stage.status(uid)).toMatchObject({ phase: { kind: 'finished' } });
    const family = await familyOfJob(stage, uid);
    stage.advance(30 * DAY_MS - HOUR_MS);
    expect(await look(stage)).toBe(0);
    stage.advance(2 * HOUR_MS);
    const ofOthers = family.startsWith('muster-0') ? 'muster-1' : 'muster-0';
    expect(await look(stage, ofOthers)).toBe(0);
    expect(await look(stage, family.slice(0, 9))).toBe(1);
    expect(await look(stage)).toBe(0);
  });

  test('of a Job that runs, or waits to run, is never deregistered, however old it is', async () => {
    const stage = new Stage();
    stage.fate = QUICK;
    const waiting = await launched(stage, 'waiting:1');
    stage.mistake = 'AccessDeniedException: not authorized';
    await minutes(stage, 2);
    expect(await stage.status(waiting)).toMatchObject({ phase: { kind: 'running' }, waitReason: stage.mistake });
    stage.mistake = null;
    stage.fate = { ...QUICK, runMs: 100 * DAY_MS };
    const running = await launched(stage, 'running:1');
    stage.advance(31 * DAY_MS);
    const before = stage.time;
    const handler = stage.handler();
    // Not even by a message that names it.
    const families = await Promise.all([running, waiting].map(async (uid) => familyOfJob(stage, uid)));
    await retireDefinitions({ families, before, after: null }, handler.deps);
    expect([await look(stage), handler.counts.get('DefinitionsDeregistered')]).toEqual([0, undefined]);
    expect(handler.calls.filter((call) => call === 'tasks.deregister')).toEqual([]);
  });

  test('of a task that runs is kept, even if no Job says so any more', async () => {
    const stage = new Stage();
    stage.fate = { ...QUICK, runMs: 100 * DAY_MS };
    const uid = await launched(stage, 'running:1');
    stage.advance(31 * DAY_MS);
    const asked = { families: [await familyOfJob(stage, uid)], before: stage.time };
    const handler = stage.handler();
    await retireDefinitions(asked, handler.deps);
    expect(handler.calls).toEqual(['tasks.deregister']);
    expect(handler.counts.get('DefinitionsDeregistered')).toBeUndefined();
  });
});

test('a Job that was suspended for longer than that registers its definition anew, and no operator is called', async () => {
  const stage = new Stage();
  stage.fate = QUICK;
  const uid = await launched(stage, 'suspended:1');
  await stage.change(uid, { suspend: true });
  await minutes(stage, 3);
  stage.advance(HOUR_MS);
  await stage.sweep();
  await minutes(stage, 1);
  expect(await stage.status(uid)).toMatchObject({ phase: { kind: 'suspended' }, alarms: [] });
  const [first] = await stage.store.jobs.readTemplates(uid);
  stage.advance(31 * DAY_MS);
  expect(await look(stage)).toBe(1);
  await stage.change(uid, { suspend: false });
  const handler = stage.handler();
  for (let n = 0; n < 30; n++) {
    await handler.pass(...stage.takeRequests());
    await handler.dispatch(stage.takeDispatches());
    stage.advance(10_000);
  }
  expect(await stage.status(uid)).toMatchObject({
    phase: { kind: 'finished', verdict: { kind: 'complete' } },
    failed: 0,
  });
  const templates = await stage.store.jobs.readTemplates(uid);
  expect(templates.map(({ taskDefinition }) => taskDefinition)).toEqual([
    first?.taskDefinition,
    first?.taskDefinition.replace(/:1$/, ':2'),
  ]);
  expect(handler.counts.get('LaunchesMisconfigured')).toBeUndefined();
});

describe('at ECS', () => {
  const NAMES = Array.from({ length: 12 }, (_, n) => `muster-${n.toString(16)}`);
  const before = asEpochMs(1);

  test('no more than five definitions are deregistered at once, and the rest ten seconds later', async () => {
    const stage = new Stage();
    const handler = stage.handler();
    const asked: string[] = [];
    const revisions = new Map(NAMES.map((family, n) => [family, n === 0 ? 2 : 1]));
    stage.tasks.deregister = async ({ family }) => {
      asked.push(family);
      const left = revisions.get(family) ?? 0;
      revisions.set(family, left - 1);
      return { kind: left > 0 ? 'deregistered' : 'kept' };
    };
    await retireDefinitions({ families: NAMES, before }, handler.deps);
    const atOnce: number[] = [handler.counts.get('DefinitionsDeregistered') ?? 0];
    for (let n = 0; n < 10; n++) {
      expect(stage.takeDispatches()).toEqual([]);
      stage.advance(10_000);
      await handler.dispatch(stage.takeDispatches());
      atOnce.push((handler.counts.get('DefinitionsDeregistered') ?? 0) - atOnce.reduce((a, b) => a + b, 0));
    }
    expect(atOnce.reduce((a, b) => a + b, 0)).toBe(13);
    expect(Math.max(...atOnce)).toBe(5);
    expect(new Set(asked)).toEqual(new Set(NAMES));
  });

  test.each(['listOldFamilies', 'deregister'] as const)(
    'a %s that is throttled is asked for again later, not for ever',
    async (call) => {
      const stage = new Stage();
      const handler = stage.handler();
      let asked = 0;
      stage.tasks[call] = async () => {
        asked++;
        return { kind: 'later', reason: 'Rate exceeded' };
      };
      if (call === 'deregister') await retireDefinitions({ families: NAMES, before }, handler.deps);
      else await sweepDefinitions({ prefix: 'muster-00', after: null }, handler.deps);
      for (let n = 0; n < 100; n++) {
        stage.advance(10_000);
        await handler.dispatch(stage.takeDispatches());
      }
      expect(asked).toBe(31);
    },
  );

  test.each(['listOldFamilies', 'deregister'] as const)('a %s that is refused ends the look, quietly', async (call) => {
    const stage = new Stage();
    const handler = stage.handler();
    stage.tasks[call] = async () => Promise.reject(new Error('AccessDeniedException'));
    if (call === 'deregister') await retireDefinitions({ families: NAMES, before }, handler.deps);
    else await sweepDefinitions({ prefix: 'muster-00', after: null }, handler.deps);
    stage.advance(60_000);
    expect(stage.takeDispatches()).toEqual([]);
  });

  test('all pages of families are looked at', async () => {
    const stage = new Stage();
    for (let n = 0; n < 41; n++)
      await stage.tasks.prepare({ family: `muster-a${n}`, containers: [] } as unknown as Parameters<
        typeof stage.tasks.prepare
      >[0]);
    stage.advance(31 * DAY_MS);
    expect(await look(stage)).toBe(41);
  });
});

test('more Jobs than one message has time for are gone through by several, and the last Job counts', async () => {
  const stage = new Stage();
  stage.fate = { ...QUICK, runMs: 100 * DAY_MS };
  const uids: JobUid[] = [];
  for (let n = 0; n < 5; n++) uids.push(await launched(stage, `image:${n}`));
  const families = await Promise.all(uids.map(async (uid) => familyOfJob(stage, uid)));
  const handler = stage.handler();
  for (let n = 0; n < 5; n++)
    handler.arrange('jobs.dueJobs', async (_, [page]) => {
      stage.time = asEpochMs(stage.time + 10_000);
      return stage.store.jobs.dueJobs({ ...(page as { now: null; after: null }), limit: 1 });
    });
  await retireDefinitions({ families: [...families, 'muster-unused'], before: stage.time, after: null }, handler.deps);
  const rounds: (readonly string[])[] = [];
  for (let n = 0; n < 3; n++) {
    const [next] = stage.takeDispatches();
    if (next?.kind !== 'retireDefinitions') break;
    rounds.push(next.families);
    await handler.dispatch([next]);
  }
  expect(rounds.map((left) => left.length)).toEqual([4, 2]);
  expect(handler.calls.filter((call) => call === 'tasks.deregister')).toHaveLength(1);
});
