import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeManagedFields, entriesForUpdate } from '../../../shared/kube/apply/decode-managed-fields.ts';
import {
  EMPTY,
  type FieldSet,
  branch,
  difference,
  intersection,
  isEmpty,
  pathsOf,
  sameSet,
  toFieldsV1,
  union,
} from '../../../shared/kube/apply/field-set.ts';
import { readFieldsV1 } from '../../../shared/kube/apply/fields-v1.ts';
import { compareFields, fieldsOf } from '../../../shared/kube/apply/object-fields.ts';
import { JOB, KINDS, aJob, aTemplate, anyJob } from '../patch/a-job.ts';
import { draws } from '../../verify/draws.ts';

const { anySet } = fc.letrec<{ anySet: FieldSet }>((tie) => ({
  anySet: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constant<FieldSet>({ has: true, under: new Map() }),
    fc
      .tuple(
        fc.boolean(),
        fc.uniqueArray(fc.tuple(fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:1'), tie('anySet')), {
          selector: ([step]) => step,
          maxLength: 3,
        }),
      )
      .map(([has, under]) => branch(has, under)),
  ),
}));
/** The members as text, to compare with sets that are certainly right. */
const members = (set: FieldSet): Set<string> => new Set([...(set.has ? [''] : []), ...pathsOf(set)]);

describe('sets', () => {
  test('union, difference and intersection are those of their members', () => {
    fc.assert(
      fc.property(anySet, anySet, (one, other) => {
        const [a, b] = [members(one), members(other)];
        expect(members(union(one, other))).toEqual(new Set([...a, ...b]));
        expect(members(difference(one, other))).toEqual(new Set([...a].filter((path) => !b.has(path))));
        expect(members(intersection(one, other))).toEqual(new Set([...a].filter((path) => b.has(path))));
        expect(sameSet(one, other)).toBe(a.size === b.size && [...a].every((path) => b.has(path)));
        expect(isEmpty(one)).toBe(a.size === 0);
      }),
      { numRuns: draws(500) },
    );
  });

  test('are read back from FieldsV1 as they were', () => {
    fc.assert(
      fc.property(anySet, (set) => {
        const wanted = branch(false, set.under); // no manager owns the whole object
        const read = readFieldsV1(JSON.parse(JSON.stringify(toFieldsV1(wanted))));
        expect(read.kind === 'read' && sameSet(read.set, wanted)).toBe(true);
      }),
    );
  });

  test('list paths as messages print them', () => {
    const set = fieldsOf(
      KINDS,
      JOB,
      aJob({ template: aTemplate({ ports: [{ containerPort: 80 }] }) }, { finalizers: ['x/y'] }),
    );
    expect(pathsOf(set)).toEqual([
      '.apiVersion',
      '.kind',
      '.metadata.name',
      '.metadata.namespace',
      '.metadata.finalizers[="x/y"]',
      '.spec.parallelism',
      '.spec.template.spec.restartPolicy',
      '.spec.template.spec.containers[name="c"]',
      '.spec.template.spec.containers[name="c"].image',
      '.spec.template.spec.containers[name="c"].name',
      '.spec.template.spec.containers[name="c"].ports[containerPort=80,protocol="TCP"]',
      '.spec.template.spec.containers[name="c"].ports[containerPort=80,protocol="TCP"].containerPort',
    ]);
  });
});

test('steps come in the order of their kinds, and keys sorted, however they were written', () => {
  const read = readFieldsV1({
    'v:"z"': {},
    'k:{"protocol":"TCP","containerPort":80}': { '.': {} },
    'i:3': {},
    'f:b': {},
    'f:a': { '.': {}, 'f:x': {} },
  });
  expect(read.kind === 'read' && Object.keys(toFieldsV1(read.set))).toEqual([
    'f:a',
    'f:b',
    'k:{"containerPort":80,"protocol":"TCP"}',
    'v:"z"',
    'i:3',
  ]);
});

test.each<[fields: unknown, why: string]>([
  [7, 'expected a map of fields'],
  [{ 'f:a': 1 }, 'expected a map of fields under "f:a"'],
  [{ a: {} }, 'key must be 2 characters long:'],
  [{ abc: {} }, 'missing colon: abc'],
  [{ 'k:{"a"': {} }, 'not JSON: k:{"a"'],
  [{ 'k:[1]': {} }, 'keys must be a map: k:[1]'],
  [{ 'v:': {} }, 'not JSON: v:'],
  [{ 'i:x': {} }, 'not a number: i:x'],
  [JSON.parse(`${'{"f:a":'.repeat(120)}{}${'}'.repeat(120)}`), 'nested deeper than 100 levels'],
])('%j is no set of fields', (fields, why) => {
  expect(readFieldsV1(fields)).toEqual({ kind: 'malformed', why });
});

test('a step of a kind that is not known is passed over', () => {
  expect(readFieldsV1({ 'x:new': {} })).toEqual({ kind: 'read', set: EMPTY });
});

describe('comparison', () => {
  test('an added field counts with all that came with it, a struct that was always there does not', () => {
    const { added, modified, removed } = compareFields(
      KINDS,
      JOB,
      aJob(),
      aJob({ parallelism: 2, suspend: true, template: aTemplate({ env: [{ name: 'A', value: '1' }] }) }),
    );
    expect(pathsOf(added)).toEqual([
      '.spec.suspend',
      '.spec.template.spec.containers[name="c"].env',
      '.spec.template.spec.containers[name="c"].env[name="A"]',
      '.spec.template.spec.containers[name="c"].env[name="A"].name',
      '.spec.template.spec.containers[name="c"].env[name="A"].value',
    ]);
    expect(pathsOf(modified)).toEqual(['.spec.parallelism']);
    expect(pathsOf(removed)).toEqual([]);
  });

  test('atomic lists and maps are one leaf', () => {
    const one = aJob({
      template: aTemplate({ command: ['a'] }, { nodeSelector: { a: '1' }, tolerations: [{ key: 'a' }] }),
    });
    const other = aJob({
      template: aTemplate({ command: ['b'] }, { nodeSelector: { b: '1' }, tolerations: [{ key: 'b' }] }),
    });
    expect(pathsOf(compareFields(KINDS, JOB, one, other).modified)).toEqual([
      '.spec.template.spec.nodeSelector',
      '.spec.template.spec.tolerations',
      '.spec.template.spec.containers[name="c"].command',
    ]);
  });

  test('twins are compared together', () => {
    const env = (...values: string[]) =>
      aJob({ template: aTemplate({ env: values.map((value) => ({ name: 'A', value })) }) });
    const path = '.spec.template.spec.containers[name="c"].env[name="A"]';
    expect(pathsOf(compareFields(KINDS, JOB, env('1', '2'), env('1', '3')).modified)).toEqual([path]);
    expect(pathsOf(compareFields(KINDS, JOB, env('1', '2'), env('1', '2')).modified)).toEqual([]);
  });

  test('of random Jobs: nothing differs from itself, and there and back is the same', () => {
    fc.assert(
      fc.property(anyJob, anyJob, (one, other) => {
        const same = compareFields(KINDS, JOB, one, structuredClone(one));
        expect([same.added, same.modified, same.removed].every(isEmpty)).toBe(true);
        const [there, back] = [compareFields(KINDS, JOB, one, other), compareFields(KINDS, JOB, other, one)];
        expect(
          sameSet(there.added, back.removed) &&
            sameSet(there.removed, back.added) &&
            sameSet(there.modified, back.modified),
        ).toBe(true);
      }),
    );
  });
});

describe('managedFields from outside', () => {
  const time = '2026-01-01T00:00:00Z';
  const entry = {
    manager: 'm',
    operation: 'Update',
    apiVersion: 'batch/v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:suspend': {} } },
  } as const;

  test('are read, and written as we write them', () => {
    const { time: _, ...timeless } = entry;
    const said = [{ ...timeless, subresource: 'status', fieldsV1: { 'f:spec': { 'k:{"b":1,"a":2}': {} } } }];
    expect(decodeManagedFields(said, '2030-01-01T00:00:00Z')).toEqual({
      kind: 'decoded',
      entries: [
        {
          ...entry,
          subresource: 'status',
          time: '2030-01-01T00:00:00Z',
          fieldsV1: { 'f:spec': { 'k:{"a":2,"b":1}': {} } },
        },
      ],
    });
  });

  test.each<[value: unknown, message: string]>([
    ['x', 'expected a list'],
    [[7], 'expected a map in managed fields entry 0'],
    [[entry, {}], 'operation must be `Apply` or `Update`'],
    [[{ ...entry, operation: 'Delete' }], 'operation must be `Apply` or `Update`'],
    [[{ ...entry, apiVersion: '' }], 'apiVersion must not be empty'],
    [[{ ...entry, fieldsType: undefined }], 'missing fieldsType in managed fields entry 0'],
    [[entry, { ...entry, fieldsType: 'FieldsV2' }], 'invalid fieldsType "FieldsV2" in managed fields entry 1'],
    [[{ ...entry, manager: 'x'.repeat(129) }], 'invalid manager in managed fields entry 0'],
    [[{ ...entry, manager: {} }], 'invalid manager in managed fields entry 0'],
    [[{ ...entry, subresource: 1 }], 'invalid subresource in managed fields entry 0'],
    [[{ ...entry, time: 'yesterday' }], 'invalid time in managed fields entry 0'],
    [[{ ...entry, fieldsV1: { spec: {} } }], 'error decoding set: missing colon: spec'],
    [[{ ...entry, fieldsV1: 'x' }], 'error decoding set: expected a map of fields'],
  ])('%j are refused', (value, message) => {
    expect(decodeManagedFields(value, time)).toEqual({ kind: 'fieldError', message });
  });

  test('an update goes out from its own entries, from none after a reset, else from those that are stored', () => {
    const own = { ...entry, manager: 'own' };
    expect(entriesForUpdate([own], [entry], time)).toEqual([own]);
    for (const reset of [[], [{}]]) expect(entriesForUpdate(reset, [entry], time)).toEqual([]);
    for (const nothing of [undefined, null, 'x', [{ manager: 'half' }]])
      expect(entriesForUpdate(nothing, [entry], time)).toEqual([entry]);
  });
});
