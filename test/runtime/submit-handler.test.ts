import { beforeEach, describe, expect, test } from 'vitest';
import { aSubmitWorld, job } from './a-submit-world.ts';

let w: Awaited<ReturnType<typeof aSubmitWorld>>;
beforeEach(async () => {
  w = await aSubmitWorld();
});
const FROM = { kind: 'Job', name: 'report' };

describe('a Job of a template', () => {
  test('has the items and variables of the message', async () => {
    await w.ask('POST', w.path('jobs'), job('report'));
    await w.submit([{ from: FROM, items: ['x', 'y z'], env: { N: 3 }, name: 'mine', taskToken: 'T' }]);
    const made = await w.ask('GET', w.path('jobs', 'mine'));
    expect(made.metadata.annotations).toMatchObject({
      'muster.run/items': 'ITEM\nx\ny z\n',
      'muster.run/task-token': 'T',
    });
    expect(made.spec).toMatchObject({ completions: 2, completionMode: 'Indexed' });
    expect(made.spec.template.spec).toMatchObject({ containers: [{ env: [{ name: 'N', value: '3' }] }] });
  });

  test('of a Job: without what the server made for that one, and it runs though that one is suspended', async () => {
    const old = await w.ask(
      'POST',
      w.path('jobs'),
      job('old', { suspend: true, completions: 3, completionMode: 'Indexed' }),
    );
    await w.submit([{ from: { kind: 'Job', name: 'old' }, name: 'new' }]);
    const made = await w.ask('GET', w.path('jobs', 'new'));
    expect(made.metadata.uid).not.toBe(old.metadata.uid);
    expect(made.spec).toMatchObject({ suspend: false, completions: 3 });
    expect(JSON.stringify(made)).not.toContain(old.metadata.uid);
    expect(made.metadata.ownerReferences).toBeUndefined();
  });
});

describe('once', () => {
  test('a message that says nothing of its own: by its id in SQS', async () => {
    await w.ask('POST', w.path('jobs'), job('report'));
    await w.submit([{ from: FROM }, { from: FROM }]);
    await w.submit([{ from: FROM }]);
    expect(await w.jobs()).toHaveLength(3);
  });

  test('a name that a Job of another source has is refused', async () => {
    await w.ask('POST', w.path('jobs'), job('taken'));
    const { uid } = (await w.ask('GET', w.path('jobs', 'taken'))).metadata;
    expect(await w.submit([{ manifest: job('taken') }])).toEqual([]);
    expect((await w.ask('GET', w.path('jobs', 'taken'))).metadata.uid).toBe(uid);
    expect(w.letters.map(({ reason }) => reason)).toEqual(['jobs.batch "taken" already exists']);
    await w.submit([{ manifest: job('mine') }, { manifest: job('mine') }]);
    await w.submit([{ manifest: job('mine', { parallelism: 2 }) }]);
    expect(w.letters.map(({ reason }) => reason).slice(1)).toEqual(['jobs.batch "mine" already exists']);
  });

  test('names that are generated', async () => {
    await w.submit([{ manifest: job(undefined) }, { manifest: job(undefined, {}, { generateName: 'some-' }) }]);
    const names = (await w.jobs()).map(({ metadata }) => metadata.name).toSorted();
    expect(names).toEqual([
      expect.stringMatching(/^some-[a-z0-9]{12}$/),
      expect.stringMatching(/^submitted-[a-z0-9]{12}$/),
    ]);
  });
});

describe('a refusal', () => {
  test.each<[string, string | object, number, RegExp]>([
    ['no JSON', 'hello', 400, /^json parse error/],
    ['an unknown kind', { from: { kind: 'Pod', name: 'a' } }, 400, /from.kind: must be .*Job/],
    ['a Job that is missing', { from: { kind: 'Job', name: 'x' } }, 404, /^jobs.batch "x" not found$/],
    ['a namespace that is missing', { manifest: job('a'), namespace: 'typo' }, 404, /^namespaces "typo" not found$/],
    [
      'a template in a namespace that is missing',
      { from: FROM, namespace: 'typo' },
      404,
      /^namespaces "typo" not found$/,
    ],
    [
      'two namespaces',
      { manifest: job('a', {}, { namespace: 'b' }), namespace: 'default' },
      400,
      /does not match the namespace/,
    ],
    ['a field that is wrong', { manifest: job('a', { parallelism: -1 }) }, 422, /spec.parallelism: Invalid value: -1/],
    ['a field that is unknown', { manifest: job('a', { paralelism: 1 }) }, 400, /unknown field "spec.paralelism"/],
    ['another kind of object', { manifest: { apiVersion: 'v1', kind: 'Pod' } }, 400, /Pod/],
    [
      'a manifest that is too large',
      { manifest: job('a', {}, { annotations: { x: 'y'.repeat(262_144) } }) },
      413,
      /limit is 262144/,
    ],
  ])('%s: at once, with its Status, and nothing is stored', async (_, body, code, message) => {
    expect(await w.submit([body, { manifest: job('bystander') }])).toEqual([]);
    expect((await w.jobs()).map(({ metadata }) => metadata.name)).toEqual(['bystander']);
    const [letter, ...others] = w.letters;
    expect(others).toEqual([]);
    expect(letter?.body).toBe(typeof body === 'string' ? body : JSON.stringify(body));
    expect(letter?.reason).toMatch(message);
    expect(JSON.parse(letter?.refusal?.status ?? '')).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect(letter?.refusal?.namespace).toBe('default');
    const [event] = await w.events();
    expect(event).toMatchObject({
      reason: 'SubmissionRefused',
      type: 'Warning',
      count: 1,
      involvedObject: { kind: 'Namespace', name: 'default', uid: 'ns-uid', apiVersion: 'v1' },
    });
    expect(event?.message).toMatch(message);
  });

  test('equal ones are one Event, in their own namespace', async () => {
    await w.ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    await w.submit([{ from: FROM, namespace: 'team' }, { from: FROM, namespace: 'team' }, 'hello']);
    expect(await w.events('team')).toMatchObject([{ count: 2, message: 'jobs.batch "report" not found' }]);
    expect(await w.events('default')).toMatchObject([{ count: 1 }]);
    const { items } = await w.ask('GET', '/api/v1/events');
    expect(items).toHaveLength(2);
    const page = await w.ask('GET', '/api/v1/events?limit=1');
    const { continue: token } = page.metadata as unknown as { readonly continue: string };
    const next = await w.ask('GET', `/api/v1/events?limit=1&continue=${token}`);
    expect([...page.items, ...next.items]).toEqual(items);
    const name = items[0]!.metadata.name;
    expect((await w.ask('GET', `/api/v1/namespaces/default/events/${name}`)).metadata.name).toBe(name);
  });

  test('a namespace that is being deleted takes nothing', async () => {
    await w.ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    const { objects } = w.runtime.deps;
    w.over({
      objects: {
        ...objects,
        async read(kind, key) {
          const found = await objects.read(kind, key);
          if (kind !== 'Namespace' || key.name !== 'team' || found === null) return found;
          return {
            ...found,
            document: {
              ...found.document,
              status: { phase: 'Terminating' },
              metadata: { ...found.document.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
            },
          };
        },
      },
    });
    await w.submit([{ manifest: job('late'), namespace: 'team' }]);
    expect(w.letters.map(({ reason }) => reason)).toEqual([
      'jobs.batch "late" is forbidden: unable to create new content in namespace team because it is being terminated',
    ]);
  });

  test('an error of the store is none: the message comes again, and then makes its Job', async () => {
    const { jobs } = w.runtime.deps;
    w.over({ jobs: { ...jobs, createJob: async () => Promise.reject(new Error('socket hang up')) } });
    expect(await w.submit([{ manifest: job('a') }, 'hello', { manifest: job('b') }])).toEqual(['m0', 'm2']);
    expect(w.retried).toHaveLength(2);
    expect(w.letters).toHaveLength(1);
    w.over({});
    expect(await w.submit([{ manifest: job('a') }])).toEqual([]);
    expect((await w.jobs()).map(({ metadata }) => metadata.name)).toEqual(['a']);
  });
});
