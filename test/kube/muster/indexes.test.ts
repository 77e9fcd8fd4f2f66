import { describe, expect, test } from 'vitest';
import { JOBS, type World, aWorld, manifest } from '../a-world.ts';

const PATH = '/muster/v1/namespaces/default/jobs/sums/indexes';
const claim = (...indexes: readonly number[]) => indexes.map((index) => ({ op: 'claim' as const, index }));

const aJob = async (spec: object = {}): Promise<World> => {
  const world = await aWorld();
  await world.post(JOBS, manifest('sums', { completions: 6, parallelism: 6, ...spec }));
  return world;
};

type Answer = {
  readonly effects?: Readonly<Record<string, { readonly count: number; readonly indexes: string }>>;
  readonly message?: string;
};
const ask = async (world: World, action: string, indexes: unknown, query = '') => {
  const response = await world.post(`${PATH}${query}`, { action, indexes });
  const answer = (await response.json()) as Answer;
  const { effects = {} } = answer;
  const shown = Object.entries(effects).flatMap(([effect, of]) => (of.count > 0 ? [`${effect} ${of.indexes}`] : []));
  return { status: response.status, shown: shown.join(', '), answer };
};
const progressOf = async (world: World) =>
  (await (await world.get('/muster/v1/namespaces/default/jobs/sums/progress')).json()) as {
    readonly counts: Readonly<Record<string, number>>;
    readonly indexes: Readonly<Record<string, string>>;
    readonly waits: { readonly summary: string | null };
  };

describe('POST /muster/v1/.../jobs/NAME/indexes', () => {
  test('holds, says what becomes of each, and shows it; again, it changes nothing', async () => {
    const world = await aJob();
    await world.commit('sums', claim(1), { startTime: null });
    const { status, shown, answer } = await ask(world, 'hold', '0-2');
    expect([status, shown]).toEqual([200, 'done 0,2, later 1']);
    expect(answer).toMatchObject({
      apiVersion: 'muster.run/v1',
      kind: 'IndexChange',
      metadata: { namespace: 'default', name: 'sums' },
      action: 'hold',
      indexes: '0-2',
      dryRun: false,
    });
    expect((await ask(world, 'hold', '0-2')).shown).toBe('already 0-2');
    const { counts, indexes, waits } = await progressOf(world);
    expect([counts['held'], indexes['held'], counts['waiting']]).toEqual([2, '0,2', 3]);
    expect(waits.summary).toBe('2 wait: held back until they are released');
    expect((await ask(world, 'release', '2')).shown).toBe('done 2');
  });

  test('cancels, and tells what was cancelled from what was excluded', async () => {
    const world = await aWorld();
    const job = manifest('sums', { completions: 6, parallelism: 6 });
    await world.post(JOBS, { ...job, metadata: { ...job.metadata, annotations: { 'muster.run/indexes': '0-4' } } });
    expect((await ask(world, 'cancel', '0,5')).shown).toBe('done 0, already 5');
    const { counts, indexes } = await progressOf(world);
    expect([counts['cancelled'], indexes['cancelled'], counts['excluded'], indexes['excluded']]).toEqual([
      1,
      '0',
      1,
      '5',
    ]);
  });

  test('changes nothing in a dry run', async () => {
    const world = await aJob();
    expect((await ask(world, 'cancel', '0', '?dryRun=All')).shown).toBe('done 0');
    expect((await progressOf(world)).counts['cancelled']).toBe(0);
  });

  test('leaves an Event on the Job', async () => {
    const world = await aJob();
    await ask(world, 'hold', '0-2');
    const events = (await (await world.get('/api/v1/namespaces/default/events')).json()) as {
      readonly items: readonly { readonly reason: string; readonly message: string }[];
    };
    expect(events.items.map(({ reason, message }) => `${reason}: ${message}`)).toContain(
      'IndexesHeld: A user asked to hold indexes 0-2',
    );
  });

  test.each<[string, object, unknown, unknown, number, string]>([
    [
      'an index that does not exist',
      {},
      'hold',
      '4-6',
      422,
      'indexes: Invalid value: "4-6": index 6 does not exist: 0 to 5 do',
    ],
    ['no index', {}, 'hold', '', 422, 'indexes: Invalid value: "": names no index'],
    ['no text', {}, 'hold', 3, 422, 'indexes: Invalid value: 3: must be text such as "3,7-9"'],
    ['no set', {}, 'hold', '3-1', 422, 'indexes: Invalid value: "3-1": non-increasing order, previous: 3, current: 1'],
    ['no action', {}, undefined, '1', 422, 'action: Required value'],
    ['an unknown action', {}, 'stop', '1', 422, 'action: Unsupported value: "stop"'],
    [
      'a Job without indexes',
      { completionMode: 'NonIndexed' },
      'hold',
      '0',
      422,
      'spec.completionMode: Invalid value: "NonIndexed": must be Indexed',
    ],
    [
      'another controller’s Job',
      { managedBy: 'a.example/b' },
      'hold',
      '0',
      422,
      'spec.managedBy: Invalid value: "a.example/b": another controller runs this Job',
    ],
  ])('refuses %s', async (_, spec, action, indexes, code, message) => {
    const world = await aJob(spec);
    const { status, answer } = await ask(world, action as string, indexes);
    expect([status, answer.message]).toEqual([code, expect.stringContaining(message)]);
  });

  test('refuses to hold one index of a gang', async () => {
    const world = await aWorld();
    const job = manifest('sums', { completions: 2, parallelism: 2 });
    const template = { ...job.spec.template, spec: { ...job.spec.template.spec, subdomain: 'workers' } };
    const metadata = { ...job.metadata, annotations: { 'muster.run/gang': 'all' } };
    await world.post(JOBS, { ...job, metadata, spec: { ...job.spec, template } });
    const { status, answer } = await ask(world, 'hold', '0');
    expect([status, answer.message]).toEqual([422, expect.stringContaining('metadata.annotations[muster.run/gang]')]);
    expect((await ask(world, 'cancel', '0')).shown).toBe('done 0');
  });

  test('refuses a Job that is over, one that does not exist, and other bodies', async () => {
    const world = await aJob();
    expect((await world.post(PATH.replace('sums', 'none'), { action: 'hold', indexes: '0' })).status).toBe(404);
    expect((await world.post(PATH, { action: 'hold', indexes: '0', more: 1 })).status).toBe(400);
    expect((await world.get(PATH)).status).toBe(405);
    await ask(world, 'cancel', '0-5');
    const verdict = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null } as const;
    await world.commit('sums', [], { phase: { kind: 'finished', verdict, since: 0 as never, at: 0 as never } });
    const { status, answer } = await ask(world, 'hold', '0');
    expect([status, answer.message]).toEqual([
      409,
      expect.stringContaining('it is over: no index can change any more'),
    ]);
  });
});
