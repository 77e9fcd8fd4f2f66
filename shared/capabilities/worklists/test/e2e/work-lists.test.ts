import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import * as z from 'zod';
import { DefinitionSchema } from '../../../../../local/ecs/definition.ts';
import { TaskRecordSchema } from '../../../../../local/ecs/task-record.ts';
import { type ALocalRuntime, aLocalRuntime } from '../../../../../test/e2e/a-local-runtime.ts';
import { JOBS, PATIENCE_MS, TEST_MS, conditionsOf, linesOf } from '../../../../../test/e2e/kube-calls.ts';

// Jobs with work lists, with real processes as tasks.

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
}, PATIENCE_MS);
afterAll(async () => local.close());

const FRUITS = 'FRUIT COLOR\napple green\nbanana yellow\ncherry red\n';

type Wish = { readonly annotations: Record<string, string>; readonly spec?: object; readonly env?: readonly object[] };

const listJob = (name: string, command: readonly string[], { annotations, spec = {}, env = [] }: Wish): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, annotations },
  spec: {
    parallelism: 4,
    ...spec,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'any', command, env }] } },
  },
});

const PodsSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        labels: z.record(z.string(), z.string()),
        annotations: z.record(z.string(), z.string()),
      }),
    }),
  ),
});

const podsOf = async (selector: string) => {
  const path = `/api/v1/namespaces/default/pods?labelSelector=${encodeURIComponent(selector)}`;
  return PodsSchema.parse(JSON.parse((await local.kube.ask('GET', path)).text)).items;
};

const LISTS = '/apis/muster.run/v1/namespaces/default/worklists';

const aList = (name: string, spec: object): object => ({
  apiVersion: 'muster.run/v1',
  kind: 'WorkList',
  metadata: { name },
  spec,
});

const makeList = async (name: string, spec: object): Promise<number> =>
  (await local.kube.ask('POST', LISTS, aList(name, spec))).status;

const logsOf = async (job: string): Promise<readonly string[]> =>
  Promise.all((await podsOf(`job-name=${job}`)).map(async ({ metadata }) => local.kube.log(metadata.name)));

describe.concurrent('a Job that names a WorkList', { timeout: TEST_MS }, () => {
  test('works on the items that the list had when it was created, whatever becomes of the list', async ({ expect }) => {
    const { kube } = local;
    const folder = join(local.workspaceDir, 'pinned');
    mkdirSync(folder);
    expect(await makeList('pinned', { columns: ['F'], items: [['a'], ['b'], ['c']] })).toBe(201);
    // Each index fails once, after the list is another one.
    const script = 'echo "$F" >> pinned/$F; while [ ! -e pinned/go ]; do sleep 0.1; done; [ $MUSTER_ATTEMPT = 2 ]';
    const annotations = { 'muster.run/work-list': 'pinned' };
    await kube.create(listJob('pinned', ['sh', '-c', script], { annotations, spec: { backoffLimitPerIndex: 1 } }));
    await kube.until('pinned', ({ status }) => (status.active ?? 0) === 3);
    expect((await kube.ask('DELETE', `${LISTS}/pinned`)).status).toBe(200);
    expect(await makeList('pinned', { columns: ['F'], items: [['x'], ['y'], ['z']] })).toBe(201);
    writeFileSync(join(folder, 'go'), '');
    expect((await kube.ended('pinned')).status).toMatchObject({ succeeded: 3, failed: 3 });
    for (const item of ['a', 'b', 'c']) expect(linesOf(folder, item)).toEqual([item, item]);
    await kube.create(listJob('new', ['/bin/echo', '$(F)'], { annotations }));
    await kube.ended('new');
    expect((await logsOf('new')).toSorted()).toEqual(['x\n', 'y\n', 'z\n']);
  });

  test('runs a list that came in parts, out of order and twice', async ({ expect }) => {
    const { kube } = local;
    expect(await makeList('parts', { columns: ['N', 'M'], itemsPerPart: 2 })).toBe(201);
    const annotations = { 'muster.run/work-list': 'parts' };
    const early = await kube.ask('POST', JOBS, listJob('early', ['true'], { annotations }));
    expect([early.status, early.text.includes('not sealed yet')]).toEqual([422, true]);
    const send = async (no: number, items: readonly (readonly string[])[]) =>
      (await kube.ask('POST', `${LISTS}/parts/parts/${no}`, { items })).status;
    const seal = async (said: object) => kube.ask('POST', `${LISTS}/parts/seal`, said);
    expect(
      await send(1, [
        ['2', 'c'],
        ['3', 'd'],
      ]),
    ).toBe(201);
    expect((await seal({})).text).toContain('part 0 has not been sent');
    expect(
      await send(0, [
        ['0', 'a'],
        ['1', 'b'],
        ['2', 'c'],
      ]),
    ).toBe(422);
    expect(await send(0, [['0', 'a'], ['1']])).toBe(422);
    expect(
      await send(0, [
        ['0', 'a'],
        ['1', 'b'],
      ]),
    ).toBe(201);
    expect(
      await send(0, [
        ['0', 'a'],
        ['1', 'b'],
      ]),
    ).toBe(201);
    expect(
      await send(0, [
        ['0', 'a'],
        ['1', 'other'],
      ]),
    ).toBe(409);
    expect(await send(2, [['4', 'e']])).toBe(201);
    expect((await seal({ items: 6 })).status).toBe(422);
    const sealed = await seal({ items: 5 });
    expect([sealed.status, JSON.parse(sealed.text)]).toMatchObject([200, { status: { sealed: true, items: 5 } }]);
    expect((await seal({ items: 5 })).status).toBe(200);
    expect(await send(3, [['5', 'f']])).toBe(409);
    await kube.create(listJob('parts', ['/bin/echo', '$(N)=$(M)'], { annotations }));
    expect((await kube.ended('parts')).status).toMatchObject({ completedIndexes: '0-4' });
    expect(await logsOf('parts')).toEqual(['0=a\n', '1=b\n', '2=c\n', '3=d\n', '4=e\n']);
  });

  test.for<[string, object, readonly string[]]>([
    ['text', { text: 'a b\nc\n', format: 'words' }, ['ITEM=a', 'ITEM=b', 'ITEM=c']],
    ['csv', { text: 'F,C\n"x, y",ö\n', format: 'csv', header: true }, ['F=x, y']],
    ['range', { range: '3-9:3', columns: ['N'] }, ['N=3', 'N=6', 'N=9']],
    ['matrix', { matrix: { os: ['a', 'b'], node: ['18', '20'] } }, ['node=18', 'node=18', 'node=20', 'node=20']],
  ])('runs a list of %s', async ([name, spec, expected], { expect }) => {
    const { kube } = local;
    expect(await makeList(name, spec)).toBe(201);
    const column = expected[0]?.split('=')[0] ?? '';
    const annotations = { 'muster.run/work-list': name };
    await kube.create(listJob(`of-${name}`, ['/bin/echo', `${column}=$(${column})`], { annotations }));
    await kube.ended(`of-${name}`);
    expect(await logsOf(`of-${name}`)).toEqual(expected.map((line) => `${line}\n`));
  });

  test('is refused if the list is wrong or absent, and nothing is stored', async ({ expect }) => {
    const { kube } = local;
    const answer = await kube.ask('POST', LISTS, aList('wrong', { text: 'F\n"a,b\n', format: 'csv', header: true }));
    expect(answer.status).toBe(422);
    expect(answer.text).toMatch(/spec\.text: Invalid value: line 2/);
    expect((await kube.ask('GET', `${LISTS}/wrong`)).status).toBe(404);
    for (const spec of [
      {},
      { items: [['a']], range: '1-3' },
      { items: [['a'], ['b', 'c']] },
      { range: '1-3', format: 'csv' },
    ])
      expect((await kube.ask('POST', LISTS, aList('wrong', spec))).status).toBe(422);
    const job = listJob('absent', ['true'], { annotations: { 'muster.run/work-list': 'nowhere' } });
    expect((await kube.ask('POST', JOBS, job)).text).toContain('metadata.annotations[muster.run/work-list]: Not found');
  });
});

/** The tasks of a Job that the embedded ECS has on disk. */
function recordsOf(uid: string) {
  const folder = join(local.dataDir, 'ecs', 'tasks');
  return readdirSync(folder)
    .map((id) => TaskRecordSchema.parse(JSON.parse(readFileSync(join(folder, id, 'task.json'), 'utf8'))))
    .filter(({ startedBy }) => startedBy === uid);
}

/** `index/attempt` */
const attemptIn = (group: string): string => group.split(':').slice(1, 3).join('/');

/** Their sizes, by index and attempt. */
const sizesOf = (uid: string): readonly string[] =>
  recordsOf(uid)
    .map(({ group, cpu, memory, overrides: { ephemeralStorage } }) =>
      `${attemptIn(group)}: ${cpu} ${memory} ${ephemeralStorage?.sizeInGiB ?? ''}`.trimEnd(),
    )
    .toSorted();

/** The images that the embedded ECS was given for the tasks of a Job, by index and attempt, and the definitions that name them. */
function imagesOf(uid: string): { readonly images: readonly string[]; readonly definitions: readonly string[] } {
  const records = recordsOf(uid).map(({ group, definition: { family, revision } }) => {
    const definition = join(family, `${revision}.json`);
    const text = readFileSync(join(definitionsDir(), definition), 'utf8');
    const { containerDefinitions } = DefinitionSchema.parse(JSON.parse(text));
    return { image: `${attemptIn(group)}: ${containerDefinitions[0]?.image}`, definition };
  });
  return {
    images: records.map(({ image }) => image).toSorted(),
    definitions: records.map(({ definition }) => definition),
  };
}

const definitionsDir = (): string => join(local.dataDir, 'ecs', 'definitions');

describe.concurrent('a Job with a work list', { timeout: TEST_MS }, () => {
  test('runs a task as large as its item says, in every attempt, and accounts it as such', async ({ expect }) => {
    const { kube } = local;
    const items = [
      ['a', '1', '', ''],
      ['b', '', '3Gi', ''],
      ['c', '', '', '30Gi'],
      ['d', '', '', ''],
    ];
    const spec = { columns: ['F', 'cpu', 'memory', 'ephemeral-storage'], items };
    expect(await makeList('sized', spec)).toBe(201);
    const annotations = { 'muster.run/work-list': 'sized', 'muster.run/resources-from-items': 'true' };
    const again = { backoffLimitPerIndex: 1 };
    await kube.create(listJob('sized', ['sh', '-c', '[ $MUSTER_ATTEMPT = 2 ]'], { annotations, spec: again }));
    const { metadata } = await kube.ended('sized');
    expect(sizesOf(metadata.uid)).toEqual(
      ['0/{}: 1024 2048', '1/{}: 512 3072', '2/{}: 256 512 30', '3/{}: 256 512'].flatMap((size) =>
        [1, 2].map((attempt) => size.replace('{}', String(attempt))),
      ),
    );
    const attempts = await kube.ask('GET', '/muster/v1/namespaces/default/jobs/sized/attempts?which=last');
    expect(JSON.parse(attempts.text)).toMatchObject({
      items: [{ vcpu: 1 }, { vcpu: 0.5 }, { vcpu: 0.25 }, { vcpu: 0.25 }],
    });
  });

  test('runs a task in the image that its item says, in every attempt, and Jobs share definitions', async ({
    expect,
  }) => {
    const { kube } = local;
    const annotations = { 'muster.run/items': 'image\nx:1\n[""]\ny:1\nx:1\n', 'muster.run/image-from-items': 'true' };
    const again = { backoffLimitPerIndex: 1 };
    // No other Job here has this template: definitions are shared with such a Job, too.
    const command = ['sh', '-c', '[ $MUSTER_ATTEMPT = 2 ] || exit 3'];
    const run = async (name: string) => {
      await kube.create(listJob(name, command, { annotations, spec: again }));
      return imagesOf((await kube.ended(name)).metadata.uid);
    };
    const first = await run('imaged');
    // Where two calls register one definition at the same time, ECS makes two revisions, and a Job uses one.
    const registered = readdirSync(definitionsDir(), { recursive: true, encoding: 'utf8' });
    const second = await run('imaged-again');
    const expected = ['0/{}: x:1', '1/{}: any', '2/{}: y:1', '3/{}: x:1'].flatMap((image) =>
      [1, 2].map((attempt) => image.replace('{}', String(attempt))),
    );
    expect([first.images, second.images]).toEqual([expected, expected]);
    expect(second.definitions.filter((definition) => !registered.includes(definition))).toEqual([]);
  });

  test('gives each task its item, without a shell', async ({ expect }) => {
    const { kube } = local;
    const command = ['/bin/echo', 'Have a nice $(COLOR) $(FRUIT)', '$(MUSTER_RESULT_NAME)', '$(TASTE)', '$$(FRUIT)'];
    const env = [{ name: 'TASTE', value: 'sweet $(FRUIT)' }];
    await kube.create(listJob('say-fruit', command, { annotations: { 'muster.run/items': FRUITS }, env }));
    const job = await kube.ended('say-fruit');
    expect(conditionsOf(job)).toContain('Complete');
    expect(job.status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
    const pods = await podsOf('job-name=say-fruit');
    const said = await Promise.all(pods.map(async ({ metadata }) => kube.log(metadata.name)));
    expect(said.toSorted()).toEqual([
      'Have a nice green apple 000000-apple-green sweet apple $(FRUIT)\n',
      'Have a nice red cherry 000002-cherry-red sweet cherry $(FRUIT)\n',
      'Have a nice yellow banana 000001-banana-yellow sweet banana $(FRUIT)\n',
    ]);
  });

  test('shows items on its Pods, by which they are selected', async ({ expect }) => {
    const { kube } = local;
    await kube.create(listJob('shown', ['true'], { annotations: { 'muster.run/items': FRUITS } }));
    await kube.ended('shown');
    const pods = await podsOf('job-name=shown');
    const lines = pods.map(({ metadata }) => metadata.annotations['muster.run/item']);
    expect(lines).toEqual(['apple\tgreen', 'banana\tyellow', 'cherry\tred']);
    const hash = pods[1]?.metadata.labels['muster.run/item-hash'] ?? '';
    const [found, ...others] = await podsOf(`job-name=shown,muster.run/item-hash=${hash}`);
    expect(found?.metadata.name).toBe(pods[1]?.metadata.name);
    expect(others).toEqual([]);
  });

  test('gives a retried index the same item', async ({ expect }) => {
    const { kube } = local;
    const folder = join(local.workspaceDir, 'again');
    mkdirSync(folder);
    const script = 'echo "$FRUIT $MUSTER_ITEM" >> again/$FRUIT; [ $MUSTER_ATTEMPT = 2 ] || [ $FRUIT = apple ]';
    const spec = { backoffLimitPerIndex: 1 };
    await kube.create(listJob('again', ['sh', '-c', script], { annotations: { 'muster.run/items': FRUITS }, spec }));
    expect(conditionsOf(await kube.ended('again'))).toContain('Complete');
    expect(linesOf(folder, 'apple')).toEqual(['apple apple\tgreen']);
    expect(linesOf(folder, 'banana')).toEqual(['banana banana\tyellow', 'banana banana\tyellow']);
    expect(linesOf(folder, 'cherry')).toEqual(['cherry cherry\tred', 'cherry cherry\tred']);
  });

  test('gives each index of a batch several items, a line each', async ({ expect }) => {
    const { kube } = local;
    const items = `F\n${Array.from({ length: 7 }, (_, n) => `file ${n} ä.dat`).join('\n')}\n`;
    const annotations = { 'muster.run/items': items, 'muster.run/batch': '3' };
    await kube.create(listJob('batch', ['/bin/sh', '-c', 'printf "%s\\n" "$F" | wc -l; echo "$F"'], { annotations }));
    expect((await kube.ended('batch')).status).toMatchObject({ succeeded: 3 });
    const logs = await Promise.all(
      (await podsOf('job-name=batch')).map(async ({ metadata }) => kube.log(metadata.name)),
    );
    expect(
      logs.map((log) =>
        log
          .trim()
          .split('\n')
          .map((line) => line.trim()),
      ),
    ).toEqual([
      ['3', 'file 0 ä.dat', 'file 1 ä.dat', 'file 2 ä.dat'],
      ['3', 'file 3 ä.dat', 'file 4 ä.dat', 'file 5 ä.dat'],
      ['1', 'file 6 ä.dat'],
    ]);
  });
});
