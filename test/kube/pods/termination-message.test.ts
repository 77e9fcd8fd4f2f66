import { describe, expect, test } from 'vitest';
import type { Ending } from '../../../shared/domain/base/fact.ts';
import { JOBS, PODS, START, type World, aWorld, manifest } from '../a-world.ts';

// The end of a failed container's log as its termination message (Kubernetes: terminationMessagePolicy).

const EXITED: Ending = { cause: 'Error', exitCode: 3, container: 'main', reason: 'Essential container in task exited' };
const MAIN = { name: 'main', image: 'busybox', command: ['true'] };
const FALLBACK = { terminationMessagePolicy: 'FallbackToLogsOnError' };
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

/** Index 0 has ended like this, once. */
async function ended(
  ending: Ending,
  template: object = { containers: [{ ...MAIN, ...FALLBACK }] },
  startedAt?: null,
): Promise<World> {
  const world = await aWorld();
  const job = manifest('sums');
  const answer = await world.post(JOBS, {
    ...job,
    spec: { ...job.spec, template: { spec: { restartPolicy: 'Never', ...template } } },
  });
  expect(answer.status).toBe(201);
  await world.commit('sums', [{ op: 'claim', index: 0 }], { startTime: START });
  await world.launch('sums', [{ index: 0, attempt: 1 }]);
  await world.record('sums', 0, 1, ending, startedAt === null ? { startedAt } : {});
  await world.commit('sums', [
    ending.cause === 'Completed' ? { op: 'succeeded', index: 0 } : { op: 'failed', index: 0, notBefore: null },
  ]);
  return world;
}

type Statuses = readonly { readonly name: string; readonly state: Ends; readonly lastState: Ends }[];
type Ends = { readonly terminated?: { readonly message?: string; readonly exitCode: number } };
type Pod = {
  readonly metadata: { readonly name: string };
  readonly status: { readonly containerStatuses: Statuses; readonly initContainerStatuses?: Statuses };
};
const listed = async (world: World): Promise<Pod> =>
  ((await (await world.get(PODS)).json()) as { items: Pod[] }).items[0]!;
const alone = async (world: World): Promise<Pod> =>
  (await (await world.get(`${PODS}/${(await listed(world)).metadata.name}`)).json()) as Pod;
const messageOf = ({ status }: Pod): string | undefined => status.containerStatuses[0]?.state.terminated?.message;

describe('a container that failed', () => {
  test('has the end of its log, singly and not in a list', async () => {
    const world = await ended(EXITED);
    world.print(0, 1, 'main', 'Traceback', '  in a.py', 'KeyError', 'bye');
    expect(messageOf(await alone(world))).toBe('Traceback\n  in a.py\nKeyError\nbye\n');
    const before = world.logReads();
    expect(messageOf(await listed(world))).toBeUndefined();
    expect(world.logReads()).toBe(before);
  });

  test('a table shows no messages, so none is read', async () => {
    const world = await ended(EXITED);
    world.print(0, 1, 'main', 'x');
    const { name } = (await listed(world)).metadata;
    expect((await world.get(`${PODS}/${name}`, TABLE)).status).toBe(200);
    expect(world.logReads()).toBe(0);
  });

  test('that printed nothing has what else is known', async () => {
    const killed: Ending = { ...EXITED, cause: 'OOMKilled', exitCode: 137, reason: 'OutOfMemoryError: killed' };
    expect(messageOf(await alone(await ended(killed)))).toBe('OutOfMemoryError: killed');
  });

  test.each([
    ['has 100 lines', Array.from({ length: 100 }, (_, i) => `line ${i}`), /^line 88\n[^]*line 99\n$/],
    ['ends with a line of 3,000 bytes', ['first', 'x'.repeat(3_000)], /^x{2047}\n$/],
    ['would be cut in a character', ['é'.repeat(1_500)], /^é{1023}\n$/],
  ])('2,048 bytes at most, of a log that %s', async (_, lines, expected) => {
    const world = await ended(EXITED);
    world.print(0, 1, 'main', ...lines);
    const message = messageOf(await alone(world)) ?? '';
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2048);
    expect(message).toMatch(expected);
  });

  test('of the init container, if that is what failed', async () => {
    const world = await ended(
      { ...EXITED, container: 'fetch' },
      {
        initContainers: [{ ...MAIN, ...FALLBACK, name: 'fetch' }],
        containers: [{ ...MAIN, ...FALLBACK }],
      },
      null,
    );
    world.print(0, 1, 'fetch', 'no route');
    const { status } = await alone(world);
    expect(status.initContainerStatuses?.[0]?.state.terminated).toMatchObject({ exitCode: 3, message: 'no route\n' });
    expect(status.containerStatuses[0]?.state).not.toHaveProperty('terminated');
  });

  test('as the last state, while the Pod waits for its next task', async () => {
    const world = await aWorld();
    const job = manifest('sums');
    const template = { spec: { restartPolicy: 'OnFailure', containers: [{ ...MAIN, ...FALLBACK }] } };
    await world.post(JOBS, { ...job, spec: { ...job.spec, template } });
    await world.commit('sums', [{ op: 'claim', index: 0 }], { startTime: START });
    await world.launch('sums', [{ index: 0, attempt: 1 }]);
    await world.record('sums', 0, 1, EXITED, { as: 'restarted', why: { kind: 'exited', exitCode: 3 } });
    await world.commit('sums', [{ op: 'restart', index: 0, notBefore: null }]);
    world.print(0, 1, 'main', 'crashed');
    expect((await alone(world)).status.containerStatuses[0]?.lastState.terminated?.message).toBe('crashed\n');
  });
});

test.each<[string, Ending, object | undefined]>([
  ['a container that succeeded', { ...EXITED, cause: 'Completed', exitCode: 0 }, undefined],
  ['the policy File', EXITED, { containers: [{ ...MAIN, terminationMessagePolicy: 'File' }] }],
  ['no policy', EXITED, { containers: [MAIN] }],
  ['a task that was never placed', { ...EXITED, cause: 'Unplaced', exitCode: null, container: null }, undefined],
])('%s: no log is read', async (_, ending, template) => {
  const world = await ended(ending, template);
  world.print(0, 1, 'main', 'x');
  await alone(world);
  expect(world.logReads()).toBe(0);
});

test('a Pod is shown although its log cannot be read', async () => {
  const world = await ended(EXITED);
  world.print(0, 1, 'main', 'x');
  world.breakLogs('Rate exceeded');
  expect(messageOf(await alone(world))).toBeUndefined();
  expect(world.warnings).toMatchObject([{ message: 'a termination message could not be read' }]);
});

test('another policy is refused with its path', async () => {
  const world = await aWorld();
  const job = manifest('sums');
  const containers = [{ ...MAIN, terminationMessagePolicy: 'Never' }];
  const answer = await world.post(JOBS, {
    ...job,
    spec: { ...job.spec, template: { spec: { restartPolicy: 'Never', containers } } },
  });
  expect(await answer.json()).toMatchObject({
    code: 422,
    details: {
      causes: [
        {
          field: 'spec.template.spec.containers[0].terminationMessagePolicy',
          message: 'Unsupported value: "Never": supported values: "FallbackToLogsOnError", "File"',
        },
      ],
    },
  });
});
