import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patchDocument } from '../../../shared/kube/patch/patch-document.ts';
import { strategicDiff } from './strategic-diff.ts';
import { type Json, KINDS, aJob, aTemplate, anyJob } from './a-job.ts';
import { draws } from '../../verify/draws.ts';

const patched = (current: unknown, patch: unknown) => patchDocument(KINDS, 'Job', current, 'strategic', patch);
/** What a patch of the pod makes of the pod. */
const pod = (current: Json, patch: Json): unknown => {
  const outcome = patched({ spec: { template: { spec: current } } }, { spec: { template: { spec: patch } } });
  if (outcome.kind !== 'patched') return `${outcome.kind}: ${outcome.message}`;
  return (outcome.document as { spec: { template: { spec: unknown } } }).spec.template.spec;
};
/** The same for one list of its only container. */
const inContainer = (current: Json, patch: Json): unknown => {
  const after = pod({ containers: [{ name: 'c', ...current }] }, { containers: [{ name: 'c', ...patch }] });
  return typeof after === 'string' ? after : (after as { containers: unknown[] }).containers[0];
};
const named = (...names: string[]) => names.map((name) => ({ name }));
const letters = (names: string) => named(...names.split(''));

describe('objects', () => {
  test('are merged; null removes, other values replace', () => {
    const job = aJob({ suspend: true }, { labels: { a: '1', b: '2' } });
    expect(
      patched(job, { metadata: { labels: { a: null, c: '3' } }, spec: { suspend: false, parallelism: null } }),
    ).toEqual({
      kind: 'patched',
      document: aJob({ suspend: false, parallelism: undefined }, { labels: { b: '2', c: '3' } }),
    });
  });

  test('$patch replaces or empties one', () => {
    expect(
      patched({ metadata: { labels: { a: '1' } } }, { metadata: { labels: { $patch: 'replace', b: '2' } } }),
    ).toEqual({
      kind: 'patched',
      document: { metadata: { labels: { b: '2' } } },
    });
    expect(patched({ metadata: { labels: { a: '1' } } }, { metadata: { labels: { $patch: 'delete' } } })).toEqual({
      kind: 'patched',
      document: { metadata: { labels: {} } },
    });
  });

  test('$retainKeys leaves of a union only what is named', () => {
    const volumes = [{ name: 'v', emptyDir: { medium: 'Memory' } }];
    expect(
      pod({ volumes }, { volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }] }),
    ).toEqual({
      volumes: [{ name: 'v', secret: { secretName: 's' } }],
    });
  });

  test('what is added leaves its directives and nulls behind', () => {
    expect(
      pod(
        {},
        {
          '$setElementOrder/containers': named('c'),
          containers: [
            {
              name: 'c',
              image: null,
              env: [
                { name: 'A', $patch: 'delete' },
                { name: 'B', value: 'x' },
              ],
            },
          ],
          volumes: [{ name: 'v', $retainKeys: ['name', 'emptyDir'], emptyDir: {} }],
          '$deleteFromPrimitiveList/none': ['x'],
          securityContext: { runAsUser: null },
        },
      ),
    ).toEqual({
      containers: [{ name: 'c', env: [{ name: 'B', value: 'x' }] }],
      volumes: [{ name: 'v', emptyDir: {} }],
      securityContext: {},
    });
  });
});

describe('lists of objects', () => {
  test.each<[why: string, current: string, patch: unknown[], after: unknown]>([
    ['are merged by key', 'ab', [{ name: 'b', value: '1' }], [{ name: 'a' }, { name: 'b', value: '1' }]],
    ['take new items before those that they are not compared with', 'ab', named('n'), named('n', 'a', 'b')],
    ['keep the order of what is there', 'abc', named('c', 'n'), named('a', 'b', 'c', 'n')],
    ['put items of the patch in its order', 'abc', named('c', 'a'), named('b', 'c', 'a')],
    ['delete an item', 'abc', [{ name: 'b', $patch: 'delete' }], named('a', 'c')],
    ['delete one that is not there', 'ab', [{ name: 'z', $patch: 'delete' }], named('a', 'b')],
    ['are replaced', 'abc', [{ $patch: 'replace' }, ...named('z', 'a')], named('z', 'a')],
    ['are emptied', 'abc', [{ $patch: 'replace' }], []],
    [
      'merge an item that the patch says twice',
      'a',
      [
        { name: 'n', value: '1' },
        { name: 'n', value: '2' },
      ],
      [{ name: 'n', value: '2' }, { name: 'a' }],
    ],
  ])('%s', (_why, current, patch, after) => {
    expect(inContainer({ env: letters(current) }, { env: patch })).toEqual({ name: 'c', env: after });
  });

  test.each<[current: string, patch: string, order: string, after: string]>([
    ['abc', '', 'cab', 'cab'],
    ['abc', 'd', 'dabc', 'dabc'],
    ['abc', 'd', 'abcd', 'abcd'],
    // items that only the server has keep their position relative to those that they are compared with
    ['xaybz', '', 'ba', 'xybaz'],
    ['axb', 'n', 'anb', 'anxb'],
    ['ab', '', 'azb', 'ab'],
    ['', 'ab', 'ab', 'ab'],
  ])('%s with %s in the order %s is %s', (current, patch, order, after) => {
    const change = patch === '' ? {} : { env: letters(patch) };
    expect(inContainer({ env: letters(current) }, { ...change, '$setElementOrder/env': letters(order) })).toEqual({
      name: 'c',
      env: letters(after),
    });
  });

  test('an order for a list that is nowhere does nothing', () => {
    expect(inContainer({}, { '$setElementOrder/env': named('a') })).toEqual({ name: 'c' });
  });

  test('every list has its own key', () => {
    expect(
      inContainer(
        { ports: [{ containerPort: 80, name: 'x' }] },
        { ports: [{ containerPort: 80, name: 'y' }, { containerPort: 81 }] },
      ),
    ).toEqual({
      name: 'c',
      ports: [{ containerPort: 80, name: 'y' }, { containerPort: 81 }],
    });
    expect(
      inContainer(
        { volumeMounts: [{ mountPath: '/a', name: 'x' }] },
        { volumeMounts: [{ mountPath: '/a', name: 'y' }] },
      ),
    ).toEqual({
      name: 'c',
      volumeMounts: [{ mountPath: '/a', name: 'y' }],
    });
  });

  test('twins, as an environment may have them, stay both; the first is the one that is changed', () => {
    const twins = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
      { name: 'A', value: '3' },
    ];
    expect(inContainer({ env: twins }, { env: [{ name: 'A', value: 'new' }] })).toEqual({
      name: 'c',
      env: [
        { name: 'A', value: 'new' },
        { name: 'A', value: '3' },
        { name: 'B', value: '2' },
      ],
    });
    expect(inContainer({ env: twins }, { env: [{ name: 'A', $patch: 'delete' }] })).toEqual({
      name: 'c',
      env: [{ name: 'B', value: '2' }],
    });
  });
});

describe('lists of values', () => {
  const finalizers = (current: unknown[], patch: Json): unknown => {
    const outcome = patched({ metadata: { finalizers: current } }, { metadata: patch });
    return outcome.kind === 'patched'
      ? (outcome.document as { metadata: Json }).metadata['finalizers']
      : outcome.message;
  };
  test.each<[current: unknown[], patch: Json, after: unknown]>([
    [['a', 'b'], { finalizers: ['c', 'b'] }, ['c', 'a', 'b']],
    [['a', 'b'], { finalizers: [] }, ['a', 'b']],
    [['a', 'b', 'c'], { '$deleteFromPrimitiveList/finalizers': ['b', 'z'] }, ['a', 'c']],
    [['a', 'b'], { '$setElementOrder/finalizers': ['b', 'c', 'a'], finalizers: ['c'] }, ['b', 'c', 'a']],
    [['a', 'b'], { '$deleteFromPrimitiveList/finalizers': ['a'], '$setElementOrder/finalizers': ['b'] }, ['b']],
    [['a'], { finalizers: null }, undefined],
  ])('%j with %j is %j', (current, patch, after) => {
    expect(finalizers(current, patch)).toEqual(after);
  });

  test('without a merge strategy are replaced', () => {
    expect(inContainer({ command: ['a', 'b'] }, { command: ['c'] })).toEqual({ name: 'c', command: ['c'] });
    expect(pod({ tolerations: [{ key: 'a' }] }, { tolerations: [{ key: 'b' }] })).toEqual({
      tolerations: [{ key: 'b' }],
    });
  });
});

test.each<[why: string, patch: unknown, message: string]>([
  [
    'an item without its key',
    { spec: { template: { spec: { containers: [{ image: 'nginx' }] } } } },
    'bad: map: map[image:nginx] does not contain declared merge key: name',
  ],
  [
    'a key that is no value',
    { spec: { template: aTemplate({ name: { a: 1 }, image: 'x' }) } },
    'bad: map: map[image:x name:map[a:1]] does not contain declared merge key: name',
  ],
  [
    'a deletion without a key',
    { spec: { template: { spec: { containers: [{ $patch: 'delete' }] } } } },
    'bad: map: map[$patch:delete] does not contain declared merge key: name',
  ],
  [
    'an unknown directive',
    { spec: { $patch: 'explode' } },
    'bad: unknown patch type: explode in map: map[$patch:explode]',
  ],
  [
    'merge, said of an object',
    { spec: { $patch: 'merge' } },
    'bad: unknown patch type: merge in map: map[$patch:merge]',
  ],
  [
    'an unknown directive in a list',
    { spec: { template: { spec: { containers: [{ name: 'c', $patch: 'x' }] } } } },
    'bad: unknown patch type: x in map: map[$patch:x name:c]',
  ],
  [
    'merge, said of a list',
    { spec: { template: { spec: { containers: [{ $patch: 'merge' }] } } } },
    'bad: merging lists cannot yet be specified in the patch',
  ],
  [
    'a value among objects',
    { spec: { template: { spec: { containers: ['c'] } } } },
    'bad: list element types are not identical: [[map[image:perl:5 name:c]] [c]]',
  ],
  [
    'a list of lists',
    { spec: { template: { spec: { containers: [[]] } } } },
    'bad: list element types are not identical: [[map[image:perl:5 name:c]] [[]]]',
  ],
  [
    'an order that is no list',
    { spec: { template: { spec: { '$setElementOrder/containers': 'c' } } } },
    'bad: expected a []interface {}, but received a string',
  ],
  ['an order of nothing', { spec: { $setElementOrder: [] } }, 'bad: invalid patch format of setElementOrder list'],
  [
    'an order that the patch does not keep',
    { spec: { template: { spec: { containers: named('b', 'a'), '$setElementOrder/containers': named('a', 'b') } } } },
    "bad: The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
  ],
  [
    'values to delete that are no list',
    { metadata: { '$deleteFromPrimitiveList/finalizers': 'x' } },
    'bad: invalid patch format of primitive list',
  ],
  ['keys to retain that are no list', { spec: { $retainKeys: 'x' } }, 'bad: invalid patch format of retainKeys'],
  [
    'a change of what is not retained',
    { spec: { $retainKeys: ['suspend'], parallelism: 1 } },
    'bad: invalid patch format of retainKeys',
  ],
  [
    'an unknown object',
    { spec: { nonsense: { a: 1 } } },
    'bad: unable to find api field in struct JobSpec for the json field "nonsense"',
  ],
  [
    'an order for an unknown list',
    { spec: { '$setElementOrder/other': [] } },
    'bad: unable to find api field in struct JobSpec for the json field "other"',
  ],
  ['a patch that is no object', [], 'bad: error decoding patch: json: cannot unmarshal into an object'],
])('%s is refused', (_why, patch, message) => {
  const outcome = patched(aJob({ nonsense: { a: 1 } }), patch);
  expect(outcome.kind === 'patched' ? outcome : `${outcome.kind}: ${outcome.message}`).toBe(message);
});

test('a list of lists is refused', () => {
  expect(inContainer({ env: [] }, { env: [[]] })).toBe('inapplicable: lists of lists are not supported');
  expect(inContainer({ env: named('a') }, { env: null, '$setElementOrder/env': named('a') })).toBe(
    'bad: expected a []interface {}, but received a %!s(<nil>)',
  );
});

describe('random Jobs', () => {
  test('replaced as a whole are the other one', () => {
    fc.assert(
      fc.property(anyJob, anyJob, (one, other) => {
        expect(patched(one, { ...other, $patch: 'replace' })).toEqual({ kind: 'patched', document: other });
      }),
    );
  });

  test('patched by the difference, as kubectl makes it, are the other one, order included', () => {
    fc.assert(
      fc.property(anyJob, anyJob, (one, other) => {
        expect(patched(one, strategicDiff(KINDS, 'Job', one, other))).toEqual({ kind: 'patched', document: other });
      }),
      { numRuns: draws(500) },
    );
  });

  test('patched twice are as patched once, and no argument is touched', () => {
    fc.assert(
      fc.property(anyJob, anyJob, (one, other) => {
        const before = structuredClone([one, other]);
        const once = patched(one, other);
        expect(once.kind).toBe('patched');
        expect(once.kind === 'patched' && patched(once.document, other)).toEqual(once);
        expect([one, other]).toEqual(before);
      }),
    );
  });
});

test('a list of 10,000 items is merged without going through it for each', () => {
  const names = Array.from({ length: 10_000 }, (_, i) => ({ name: `N${i}`, value: 'x' }));
  const many = names.map(({ name }) => ({ name, value: 'y' }));
  const after = inContainer(
    { env: names },
    { env: many, '$setElementOrder/env': [...names].reverse().map(({ name }) => ({ name })) },
  );
  expect(after).toMatch(/^bad: The order in patch list/);
  const turned = inContainer(
    { env: names },
    { env: [...many].reverse(), '$setElementOrder/env': [...names].reverse().map(({ name }) => ({ name })) },
  );
  expect((turned as { env: unknown[] }).env[0]).toEqual({ name: 'N9999', value: 'y' });
  inContainer({ env: names.map(() => ({ name: 'same' })) }, { env: many });
});
