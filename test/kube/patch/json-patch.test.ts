import fc from 'fast-check';
import { createPatch } from 'rfc6902';
import { expect, test } from 'vitest';
import { patchDocument } from '../../../shared/kube/patch/patch-document.ts';
import { KINDS, aJob, anyJob } from './a-job.ts';

const patched = (current: unknown, patch: unknown) => patchDocument(KINDS, 'Job', current, 'json', patch);
const why = (current: unknown, patch: unknown): string => {
  const outcome = patched(current, patch);
  if (outcome.kind === 'patched') return `patched ${JSON.stringify(outcome.document)}`;
  return outcome.kind === 'inapplicable' ? (outcome.causes?.[0]?.message ?? '') : `${outcome.kind}: ${outcome.message}`;
};

test.each<[current: unknown, operations: unknown, expected: unknown]>([
  [{ a: 1 }, [{ op: 'add', path: '/b', value: [1] }], { a: 1, b: [1] }],
  [{ a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
  [{ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
  [{ a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
  [{ a: 1 }, [{ op: 'replace', path: '/a', value: null }], { a: null }],
  [{ a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/c' }], { a: {}, c: 1 }],
  [{ a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
  [{ 'a/b': { '~c': 1 } }, [{ op: 'replace', path: '/a~1b/~0c', value: 2 }], { 'a/b': { '~c': 2 } }],
  [{ a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
  [{ a: 1 }, [{ op: 'add', path: '', value: { b: 2 } }], { b: 2 }],
  [{ a: { x: 1, y: [2] } }, [{ op: 'test', path: '/a', value: { y: [2], x: 1 } }], { a: { x: 1, y: [2] } }],
  [{ a: 1 }, [], { a: 1 }],
  [{ a: 1 }, [{ op: 'test', path: '/a', value: 1, note: 'ignored' }], { a: 1 }],
])('%j by %j is %j', (current, operations, expected) => {
  expect(patched(current, operations)).toEqual({ kind: 'patched', document: expected });
});

test.each<[operations: unknown, why: string]>([
  [[{ op: 'test', path: '/spec/parallelism', value: 2 }], 'testing value /spec/parallelism failed: test failed'],
  [[{ op: 'test', path: '/spec/gone', value: null }], 'testing path /spec/gone failed: it is not there'],
  [[{ op: 'remove', path: '/spec/gone' }], 'remove operation does not apply: /spec/gone'],
  [[{ op: 'remove', path: '' }], 'nothing is left of the document'],
  [[{ op: 'remove', path: '/toString' }], 'remove operation does not apply: /toString'],
  [[{ op: 'replace', path: '/constructor', value: 1 }], 'replace operation does not apply: /constructor'],
  [
    [{ op: 'replace', path: '/spec/hasOwnProperty', value: 1 }],
    'replace operation does not apply: /spec/hasOwnProperty',
  ],
  [[{ op: 'add', path: '/constructor/x', value: 1 }], 'add operation does not apply: /constructor/x'],
  [[{ op: 'add', path: '/kind/x', value: 1 }], 'add operation does not apply: /kind/x'],
  [[{ op: 'replace', path: '/spec/gone', value: 1 }], 'replace operation does not apply: /spec/gone'],
  [[{ op: 'add', path: '/gone/x', value: 1 }], 'add operation does not apply: /gone/x'],
  [
    [{ op: 'add', path: '/spec/template/spec/containers/7', value: 1 }],
    'add operation does not apply: /spec/template/spec/containers/7',
  ],
  [[{ op: 'move', from: '/gone', path: '/x' }], 'move operation does not apply: doc is missing from path'],
  [[{ op: 'move', from: '/spec', path: '/spec/inner' }], 'move operation does not apply: /spec/inner'],
  [[{ op: 'remove', path: '/constructor' }], 'remove operation does not apply: /constructor'],
  [{ op: 'remove' }, 'bad: error decoding patch: json: cannot unmarshal object into an array'],
  [null, 'bad: error decoding patch: json: cannot unmarshal null into an array'],
  [[7], 'bad: error decoding patch: operation 0: cannot unmarshal number into an operation'],
  [[{ op: 'increment', path: '/a' }], 'bad: error decoding patch: operation 0: unexpected kind: "increment"'],
  [
    [{ op: 'remove', path: 'spec' }],
    'bad: error decoding patch: operation 0: path must be a JSON pointer of at most 100 steps',
  ],
  [
    [{ op: 'remove', path: '/a~2' }],
    'bad: error decoding patch: operation 0: path must be a JSON pointer of at most 100 steps',
  ],
  [
    [{ op: 'remove', path: '/a'.repeat(101) }],
    'bad: error decoding patch: operation 0: path must be a JSON pointer of at most 100 steps',
  ],
  [[{ op: 'add', path: '/a' }], 'bad: error decoding patch: operation 0: value is missing'],
  [
    [{ op: 'copy', path: '/a' }],
    'bad: error decoding patch: operation 0: from must be a JSON pointer of at most 100 steps',
  ],
])('%j is refused', (operations, expected) => {
  expect(why(aJob(), operations)).toBe(expected);
});

test('a failed operation is reported in the words of the API server', () => {
  expect(patched(aJob(), [{ op: 'remove', path: '/gone' }])).toMatchObject({
    kind: 'inapplicable',
    message: 'the server rejected our request due to an error in our request',
  });
});

test('all or nothing, and the given document does not change', () => {
  const job = aJob();
  const before = structuredClone(job);
  expect(
    patched(job, [
      { op: 'remove', path: '/spec' },
      { op: 'remove', path: '/gone' },
    ]).kind,
  ).toBe('inapplicable');
  expect(patched(job, [{ op: 'remove', path: '/spec' }]).kind).toBe('patched');
  expect(job).toEqual(before);
});

test('no more than 10,000 operations', () => {
  const operations = (count: number) =>
    Array.from({ length: count }, () => ({ op: 'test', path: '/kind', value: 'Job' }));
  expect(patched(aJob(), operations(10_000)).kind).toBe('patched');
  expect(patched(aJob(), operations(10_001))).toEqual({
    kind: 'tooLarge',
    message: 'The allowed maximum operations in a JSON patch is 10000, got 10001',
  });
});

test('copies that double each time end early', () => {
  const doubling = Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '/a', path: `/a/x${i}` }));
  expect(why({ a: { b: [1, 2, 3] } }, doubling)).toBe('copy operation does not apply: the patch copies too much');
});

test('nothing becomes deeper than parsed documents may be', () => {
  const deep = { op: 'copy', from: '/a', path: `${'/a'.repeat(60)}/b` };
  const tower = JSON.parse(`${'{"a":'.repeat(60)}{}${'}'.repeat(60)}`) as unknown;
  expect(why(tower, [deep])).toBe('copy operation does not apply: nested deeper than 100 levels');
});

test('prototypes are out of reach', () => {
  for (const path of [
    '/__proto__/evil',
    '/constructor/prototype/evil',
    '/spec/__proto__/evil',
    '/metadata/labels/__proto__/evil',
  ]) {
    patched(aJob({}, { labels: {} }), [{ op: 'add', path, value: 1 }]);
    patched(aJob({}, { labels: {} }), [{ op: 'copy', from: '/spec', path }]);
  }
  const { toString } = Object.prototype as unknown as { toString: Record<string, unknown> };
  expect([({} as Record<string, unknown>)['evil'], toString['evil'], Reflect.get(Object, 'evil')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('what the library says is the difference leads to the other Job', () => {
  fc.assert(
    fc.property(anyJob, anyJob, (one, other) => {
      expect(patched(one, createPatch(one, other))).toEqual({ kind: 'patched', document: other });
    }),
  );
});
