import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ManagedFieldsEntry } from '../../../shared/domain/manifests/manifest.ts';
import { EMPTY, type FieldSet, difference, pathsOf, union } from '../../../shared/kube/apply/field-set.ts';
import { readFieldsV1 } from '../../../shared/kube/apply/fields-v1.ts';
import { managedAfterUpdate } from '../../../shared/kube/apply/managed-fields.ts';
import { compareFields, fieldsOf } from '../../../shared/kube/apply/object-fields.ts';
import { shared, tracked } from '../../../shared/kube/apply/tracked-fields.ts';
import { JOB, type Json, KINDS, aJob, aTemplate, anyJob } from '../patch/a-job.ts';
import { draws } from '../../verify/draws.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString().replace('.000Z', 'Z');
const update = (
  before: Json | null,
  after: Json,
  entries: readonly ManagedFieldsEntry[],
  manager: string,
  second = 0,
) => managedAfterUpdate(KINDS, 'Job', before, after, entries, { manager, apiVersion: 'batch/v1', time: at(second) });
const setOf = ({ fieldsV1 }: ManagedFieldsEntry): FieldSet => {
  const read = readFieldsV1(fieldsV1);
  return read.kind === 'read' ? read.set : EMPTY;
};
const owned = (entries: readonly ManagedFieldsEntry[], manager: string) =>
  entries.filter((entry) => entry.manager === manager).flatMap((entry) => pathsOf(setOf(entry)));

test('the creator of an object owns everything that it set, and nothing that the server sets', () => {
  const job = aJob(
    { template: aTemplate({ ports: [{ containerPort: 80 }] }) },
    {
      labels: { a: 'b' },
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: at(0),
      generation: 1,
      generateName: 'pi-',
    },
  );
  expect(update(null, { ...job, status: { active: 1 } }, [], 'kubectl-create', 7)).toEqual([
    {
      manager: 'kubectl-create',
      operation: 'Update',
      apiVersion: 'batch/v1',
      time: at(7),
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:metadata': { 'f:generateName': {}, 'f:labels': { '.': {}, 'f:a': {} } },
        'f:spec': {
          'f:parallelism': {},
          'f:template': {
            'f:spec': {
              'f:containers': {
                'k:{"name":"c"}': {
                  '.': {},
                  'f:image': {},
                  'f:name': {},
                  'f:ports': { '.': {}, 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
                },
              },
              'f:restartPolicy': {},
            },
          },
        },
      },
    },
  ]);
});

test('a manager that changes a field takes it, one that adds a field owns it, and a removed field has no owner', () => {
  const first = aJob({ suspend: false }, { labels: { a: '1' } });
  const created = update(null, first, [], 'alice');
  const after = update(first, aJob({ suspend: true, completions: 3 }), created, 'bob', 1);
  expect(owned(after, 'bob')).toEqual(['.spec.completions', '.spec.suspend']);
  expect(owned(after, 'alice')).toEqual([
    '.spec.parallelism',
    '.spec.template.spec.restartPolicy',
    '.spec.template.spec.containers[name="c"]',
    '.spec.template.spec.containers[name="c"].image',
    '.spec.template.spec.containers[name="c"].name',
  ]);
  expect(after.map(({ manager, time }) => [manager, time])).toEqual([
    ['alice', at(0)],
    ['bob', at(1)],
  ]);
});

test("a manager's updates are one entry, by subresource and version", () => {
  const job = aJob();
  const created = update(null, job, [], 'alice');
  const again = update(job, aJob({ parallelism: 2 }), created, 'alice', 1);
  expect(again).toMatchObject([{ manager: 'alice', time: at(1) }]);
  const status = managedAfterUpdate(
    KINDS,
    'Job',
    { ...aJob({ parallelism: 2 }), status: {} },
    { ...aJob({ parallelism: 3 }), status: { active: 3 } },
    again,
    {
      manager: 'alice',
      apiVersion: 'batch/v1',
      time: at(2),
      subresource: 'status',
    },
  );
  expect(status).toMatchObject([{ time: at(1) }, { time: at(2), subresource: 'status' }]);
  // Whatever else such an update says has no effect.
  expect(owned(status.slice(1), 'alice')).toEqual(['.status.active']);
});

test('an update of nothing leaves the entries as they are, times included', () => {
  const job = aJob({}, { labels: { a: '1' } });
  const created = update(null, job, [], 'alice');
  expect(update(job, structuredClone(job), created, 'bob', 9)).toBe(created);
  const untracked = { ...aJob({}, { labels: { a: '1' }, resourceVersion: '7', generation: 3 }), status: { active: 3 } };
  expect(update(job, untracked, created, 'bob', 9)).toBe(created);
});

test('a manager that owns nothing any more is dropped', () => {
  const created = update(null, aJob({}, { labels: { a: '1' } }), [], 'alice');
  const labelled = update(
    aJob({}, { labels: { a: '1' } }),
    aJob({}, { labels: { a: '1', b: '2' } }),
    created,
    'bob',
    1,
  );
  expect(owned(labelled, 'bob')).toEqual(['.metadata.labels.b']);
  expect(
    update(aJob({}, { labels: { a: '1', b: '2' } }), aJob({}, { labels: { a: '1' } }), labelled, 'carol', 2),
  ).toEqual(created);
});

test('after a reset there are no managers until something is applied', () => {
  expect(update(aJob(), aJob({ parallelism: 9 }), [], 'bob')).toEqual([]);
});

test('entries of versions that we do not serve stay', () => {
  const foreign: ManagedFieldsEntry = {
    manager: 'old',
    operation: 'Update',
    apiVersion: 'batch/v2alpha1',
    time: at(0),
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:bygone': {} } },
  };
  expect(update(aJob(), aJob({ parallelism: 2 }), [foreign], 'bob', 1)[0]).toBe(foreign);
});

test('ten updaters are kept apart, older ones are merged', () => {
  let job = aJob({}, { annotations: { start: '' } });
  let entries = update(null, job, [], 'm00');
  for (let i = 1; i <= 12; i++) {
    const next = aJob({}, { annotations: { ...((job['metadata'] as Json)['annotations'] as Json), [`a${i}`]: '' } });
    entries = update(job, next, entries, `m${String(i).padStart(2, '0')}`, i);
    job = next;
  }
  expect(entries.map(({ manager }) => manager)).toEqual([
    'ancient-changes',
    ...['04', '05', '06', '07', '08', '09', '10', '11', '12'].map((i) => `m${i}`),
  ]);
  expect(entries[0]?.time).toBe(at(3));
  expect(owned(entries, 'ancient-changes')).toEqual(
    expect.arrayContaining(['.metadata.annotations.start', '.metadata.annotations.a3', '.spec.parallelism']),
  );
});

test('entries come by operation, time, manager', () => {
  const entry = (manager: string, operation: 'Apply' | 'Update', second: number): ManagedFieldsEntry => ({
    manager,
    operation,
    apiVersion: 'batch/v1',
    time: at(second),
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:suspend': {} } },
  });
  const given = [
    entry('u1', 'Update', 1),
    entry('b', 'Apply', 2),
    entry('u0', 'Update', 0),
    entry('a', 'Apply', 2),
    entry('z', 'Apply', 1),
  ];
  expect(update(aJob(), aJob({ parallelism: 2 }), given, 'new', 0).map(({ manager }) => manager)).toEqual([
    'z',
    'a',
    'b',
    'new',
    'u0',
    'u1',
  ]);
});

test('after random updates everything has an owner, and no manager owns a missing field', () => {
  const updates = fc.array(fc.tuple(anyJob, fc.constantFrom('alice', 'bob', 'carol')), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(updates, (steps) => {
      let before: Json | null = null;
      let entries: readonly ManagedFieldsEntry[] = [];
      for (const [i, [job, manager]] of steps.entries()) {
        const given = structuredClone(entries);
        const next = update(before, job, entries, manager, i);
        expect(entries).toEqual(given);
        entries = next;
        before = job;
      }
      const all = entries.map(setOf).reduce(union, EMPTY);
      const said = tracked(fieldsOf(KINDS, JOB, shared(before ?? {})));
      expect(pathsOf(difference(said, all))).toEqual([]);
      const there = compareFields(KINDS, JOB, undefined, shared(before ?? {})).added;
      expect(pathsOf(difference(all, there))).toEqual([]);
    }),
    { numRuns: draws(300) },
  );
});
