import { describe, expect, test } from 'vitest';
import { createMemoryHostnames } from '../../../shared/capabilities/hostnames/test/memory-hostnames.ts';
import { LIMITING_STEPS, ROOM_STEPS } from '../../../shared/capabilities/lists/job-steps.ts';
import { CREATION_STEPS } from '../../../shared/control/lifecycle/creation-steps.ts';
import { createJob, createJobCommands, deleteJob } from '../../../shared/control/lifecycle/job-changes.ts';
import { type Step, checkAll, reserveAll } from '../../../shared/control/lifecycle/reserve-all.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { invariant } from '../../../shared/domain/base/invariant.ts';
import { partsOf } from '../../../shared/domain/items/item-parts.ts';
import { ANNOTATIONS } from '../../../shared/domain/manifests/annotations.ts';
import type { Held } from '../../../shared/ports/held.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import { type JobWish, aJob } from '../../support/a-job.ts';
import type { Handler } from '../../support/a-handler.ts';
import { BAD, Stage } from '../../support/a-stage.ts';

const UID = asJobUid('uid-new');
const CONTENT = 'uid-of-list';
const PIN = { content: CONTENT, columns: ['F'], count: 3, sha256: 'ab', widest: { columns: [1], line: 1 } };
const PINNED = { [ANNOTATIONS.pinnedItems]: JSON.stringify(PIN) };

/** A Job that every step concerns. */
const demanding = (wish: JobWish = {}): StoredSpec =>
  aJob({
    uid: UID,
    name: 'new',
    subdomain: 'workers',
    annotations: { ...PINNED, [ANNOTATIONS.rerunOf]: 'failed', [ANNOTATIONS.after]: 'other' },
    ...wish,
  });

/** Where there is all that it needs: a Job that has failed, a list, and names. */
async function aScene(): Promise<Stage> {
  const stage = new Stage();
  const { items } = stage.store;
  const { columns, count, sha256, widest } = PIN;
  const head = {
    content: CONTENT,
    namespace: 'default',
    name: 'list',
    columns,
    itemsPerPart: 9,
    createdAt: stage.time,
  };
  await items.begin(head);
  for (const part of partsOf({ columns, rows: [['a'], ['b'], ['c']] }, 9, (text) => text))
    await items.writePart({ ...head, sealed: null }, part);
  expect(await items.seal(CONTENT, { count, bytes: 3, sha256, widest })).toBe(true);
  stage.fate = { startMs: 0, runMs: 1_000, stopMs: 0, ending: BAD };
  const failed = await stage.job({ uid: 'uid-failed', name: 'failed', backoffLimit: 0, annotations: PINNED });
  for (let second = 0; second < 20; second++) {
    await stage.settle();
    stage.advance(2_000);
  }
  expect((await stage.status(failed)).phase.kind).toBe('finished');
  stage.ports = { hostnames: createMemoryHostnames({ zone: 'muster.internal' }) };
  return stage;
}

/** What is taken, by whomever. */
async function taken({ store }: Stage) {
  return {
    names: (await store.hosts.reservations()).map(({ uid }) => uid),
    items: (await store.items.listReservations(CONTENT)).map(({ job }) => job),
    waits: (await store.waiters.list('default', 'other')).map(({ uid }) => uid),
    stored: await store.jobs.findJob('default', 'new'),
  };
}

const NOTHING = { names: [], items: ['uid-failed'], waits: [], stored: null };
const ALL = { names: [UID], items: ['uid-failed', UID], waits: [UID], stored: UID };

const READS = /^[a-z]+[.](find|list|read|reservations)/i;
const writesOf = ({ calls }: Handler): readonly string[] => calls.filter((call) => !READS.test(call));

const WHY = { kind: 'forbidden', why: 'for a test' } as const;
const REFUSING: Step = { name: 'refuses', check: async () => WHY, reserve: async () => WHY };

/** Those of the kernel: what capabilities do is tested with them. */
const STEPS = CREATION_STEPS.filter((step) => ![...LIMITING_STEPS, ...ROOM_STEPS].includes(step));

/** The steps, which say when they are called; from `from` on with `instead` in place of the steps. */
function spied(log: string[], from: number, instead: readonly Step[], undoing = (_: string) => true): readonly Step[] {
  const spy = (step: Step): Step => ({
    name: step.name,
    check: async (draft, deps) => {
      log.push(`check ${step.name}`);
      return step.check(draft, deps);
    },
    reserve: async (draft, deps) => {
      log.push(`reserve ${step.name}`);
      const answer = await (step.reserve ?? step.check)(draft, deps);
      return answer.kind === 'held' ? heldBy(step, answer) : answer;
    },
  });
  const heldBy = ({ name }: Step, held: Held): Held => ({
    ...held,
    undo: async () => {
      log.push(`undo ${name}`);
      if (!undoing(name)) throw new Error(`cannot undo ${name}`);
      await held.undo();
    },
  });
  return [...STEPS.slice(0, from), ...instead, ...STEPS.slice(from + instead.length)].map(spy);
}

const NAMES = STEPS.map(({ name }) => name);
const HOLDING = ['names of tasks', 'pinned items', 'for whom it waits'];

test('the steps, in order', () => {
  expect(NAMES).toEqual([
    'the namespace is open',
    'indexes that a rerun inherits',
    'Jobs that it waits for',
    ...HOLDING,
    'the name of the Job',
  ]);
});

describe.each(NAMES.map((name, nth) => ({ name, nth })))('refused in place of: $name', ({ nth }) => {
  const before = NAMES.slice(0, nth);

  test('what was taken before is given back, the latest first, and nothing after it is asked', async () => {
    const stage = await aScene();
    const { deps } = stage.handler();
    const log: string[] = [];
    expect(await reserveAll(spied(log, nth, [REFUSING]), demanding(), deps)).toEqual(WHY);
    expect(log).toEqual([
      ...before.map((each) => `reserve ${each}`),
      'reserve refuses',
      ...before
        .filter((each) => HOLDING.includes(each))
        .toReversed()
        .map((each) => `undo ${each}`),
    ]);
    expect(await taken(stage)).toEqual(NOTHING);
  });

  test('a dry run asks the same, and writes nothing', async () => {
    const stage = await aScene();
    const handler = stage.handler();
    const log: string[] = [];
    expect(await checkAll(spied(log, nth, [REFUSING]), demanding(), handler.deps)).toEqual(WHY);
    expect(log).toEqual([...before.map((each) => `check ${each}`), 'check refuses']);
    expect(writesOf(handler)).toEqual([]);
    expect(await taken(stage)).toEqual(NOTHING);
  });
});

test('each step takes its own, and a Job that is stored keeps all', async () => {
  const stage = await aScene();
  const { deps } = stage.handler();
  expect(await createJob(demanding(), deps)).toMatchObject({ kind: 'created', spec: { inherited: '' } });
  expect(await taken(stage)).toEqual(ALL);
});

test('the last names are enough', async () => {
  const stage = await aScene();
  await stage.store.hosts.reserve(asJobUid('uid-many'), 1_997, 2_000, stage.time);
  const { deps } = stage.handler();
  expect((await createJobCommands(deps).tryCreation(demanding())).kind).toBe('fits');
  expect((await createJob(demanding(), deps)).kind).toBe('created');
});

test('a dry run says what would be stored, and writes nothing', async () => {
  const stage = await aScene();
  const handler = stage.handler();
  const tried = await createJobCommands(handler.deps).tryCreation(demanding());
  expect(writesOf(handler)).toEqual([]);
  expect(await taken(stage)).toEqual(NOTHING);
  const created = await createJob(demanding(), stage.handler().deps);
  invariant(created.kind === 'created', 'it fits');
  expect(tried).toEqual({ kind: 'fits', spec: created.spec });
});

test.each(HOLDING)(
  'if giving back fails for %s, the rest is given back, and the first error is thrown',
  async (bad) => {
    const stage = await aScene();
    const { deps } = stage.handler();
    const log: string[] = [];
    const isFine = (name: string): boolean => name !== bad && name !== 'names of tasks';
    const steps = spied(log, NAMES.length - 1, [REFUSING], isFine);
    await expect(reserveAll(steps, demanding(), deps)).rejects.toThrow(`cannot undo ${bad}`);
    expect(log.slice(NAMES.length)).toEqual(HOLDING.toReversed().map((each) => `undo ${each}`));
    expect(await taken(stage)).toEqual({
      ...NOTHING,
      names: [UID],
      ...(bad === 'pinned items' ? { items: ['uid-failed', UID] } : {}),
      ...(bad === 'for whom it waits' ? { waits: [UID] } : {}),
    });
  },
);

test.each(['items.reserve', 'waiters.add', 'jobs.createJob'] as const)(
  'where %s throws, nothing is given back: another call may have stored the same Job',
  async (call) => {
    const stage = await aScene();
    const handler = stage.handler();
    handler.arrange(call, async () => Promise.reject(new Error('throttled')));
    await expect(createJob(demanding(), handler.deps)).rejects.toThrow('throttled');
    expect(handler.calls.filter((each) => /release|remove/.test(each))).toEqual([]);
    expect((await taken(stage)).names).toEqual([UID]);
  },
);

/** By step, what makes it refuse the demanding Job. */
const REFUSALS: Readonly<Record<string, { readonly kind: string; readonly make: (stage: Stage) => Promise<unknown> }>> =
  {
    'the namespace is open': {
      kind: 'terminating',
      make: async ({ store: { objects } }) => {
        const key = { namespace: '', name: 'default' };
        const found = await objects.read('Namespace', key);
        invariant(found !== null, 'it is open');
        const { metadata } = found.document;
        const marked = { ...metadata, deletionTimestamp: '2027-01-15T08:00:00Z' };
        await objects.commit('Namespace', {
          key,
          was: found.version,
          document: { ...found.document, metadata: marked },
        });
      },
    },
    'indexes that a rerun inherits': {
      kind: 'invalid',
      make: async (stage) => deleteJob(asJobUid('uid-failed'), stage.handler().deps),
    },
    'Jobs that it waits for': {
      kind: 'invalid',
      make: async (stage) =>
        stage.job({ uid: 'uid-other', name: 'other', annotations: { [ANNOTATIONS.after]: 'new' } }),
    },
    'names of tasks': {
      kind: 'noHosts',
      make: async ({ store, time }) => store.hosts.reserve(asJobUid('uid-many'), 1_998, 2_000, time),
    },
    'pinned items': {
      kind: 'invalid',
      make: async ({ store: { items } }) => {
        await items.release(CONTENT, asJobUid('uid-failed'));
        expect(await items.remove(CONTENT)).toEqual({ kind: 'marked' });
      },
    },
    'the name of the Job': { kind: 'taken', make: async (stage) => stage.job({ uid: 'uid-before', name: 'new' }) },
  };

describe.each(Object.entries(REFUSALS))('%s', (step, { kind, make }) => {
  /** What a creation says, which changes nothing; a dry run must say the same, without any write. */
  async function refused(stage: Stage): Promise<string> {
    const before = await taken(stage);
    const [dry, real] = [stage.handler(), stage.handler()];
    const tried = await createJobCommands(dry.deps).tryCreation(demanding());
    expect(writesOf(dry)).toEqual([]);
    const created = await createJob(demanding(), real.deps);
    expect(tried).toEqual(created);
    expect(await taken(stage)).toEqual(before);
    expect(await stage.store.jobs.readStatus(UID)).toBeNull();
    return created.kind;
  }

  test('is refused', async () => {
    const stage = await aScene();
    await make(stage);
    expect(await refused(stage)).toBe(kind);
  });

  test('is refused, where there is a Job of that name', async () => {
    const stage = await aScene();
    if (kind !== 'taken') await stage.job({ uid: 'uid-before', name: 'new' });
    await make(stage);
    expect(await refused(stage)).toBe(step === 'the namespace is open' ? 'terminating' : 'taken');
  });
});

test('a list that has not got all of its items is refused, also by a dry run', async () => {
  const stage = await aScene();
  const { deps } = stage.handler();
  const head = { content: 'half', namespace: 'default', name: 'half', columns: ['F'], itemsPerPart: 9 };
  await stage.store.items.begin({ ...head, createdAt: stage.time });
  const pinned = { [ANNOTATIONS.pinnedItems]: JSON.stringify({ ...PIN, content: 'half' }) };
  const spec = aJob({ uid: UID, name: 'new', annotations: pinned });
  const created = await createJob(spec, deps);
  // It says the kind's name, if there is the kind.
  const message = expect.stringMatching(/^the work ?list has just been deleted$/i) as string;
  expect(created).toMatchObject({ kind: 'invalid', errors: [{ message }] });
  expect(await createJobCommands(deps).tryCreation(spec)).toEqual(created);
});

test('every step that can refuse does above', () => {
  expect([...Object.keys(REFUSALS), 'for whom it waits'].toSorted()).toEqual(NAMES.toSorted());
});

test('what does not concern a Job costs nothing', async () => {
  const stage = new Stage();
  await stage.job({ uid: 'uid-first', name: 'first' });
  stage.ports = { hostnames: createMemoryHostnames({ zone: 'muster.internal' }) };
  const [dry, real] = [stage.handler(), stage.handler()];
  const plain = aJob({ uid: UID, name: 'new' });
  await checkAll(STEPS, plain, dry.deps);
  expect(dry.calls).toEqual(['objects.read', 'jobs.findJob']);
  await reserveAll(STEPS, plain, real.deps);
  expect(real.calls).toEqual(['objects.read', 'jobs.createJob']);
});
