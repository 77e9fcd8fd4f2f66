import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ManagedFieldsEntry } from '../../../shared/domain/spec/manifest.ts';
import { applyConfiguration } from '../../../shared/kube/apply/apply.ts';
import { describeConflicts } from '../../../shared/kube/apply/apply-conflicts.ts';
import {
  EMPTY,
  type FieldSet,
  difference,
  intersection,
  isEmpty,
  pathsOf,
  sameSet,
} from '../../../shared/kube/apply/field-set.ts';
import { readFieldsV1 } from '../../../shared/kube/apply/fields-v1.ts';
import { managedAfterUpdate } from '../../../shared/kube/apply/managed-fields.ts';
import { compareFields, fieldsOf } from '../../../shared/kube/apply/object-fields.ts';
import { shared, tracked } from '../../../shared/kube/apply/tracked-fields.ts';
import { JOB, type Json, KINDS, aJob, aTemplate, anyJob } from '../patch/a-job.ts';
import { draws } from '../../support/draws.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString().replace('.000Z', 'Z');
type State = { readonly live: Json | null; readonly entries: readonly ManagedFieldsEntry[] };
const NOTHING: State = { live: null, entries: [] };

const tryApply = ({ live, entries }: State, config: unknown, manager: string, { force = false, second = 0 } = {}) =>
  applyConfiguration(KINDS, 'Job', live, config, entries, { manager, apiVersion: 'batch/v1', time: at(second), force });

/** Like {@link tryApply}, and it must be applied. */
function apply(
  state: State,
  config: unknown,
  manager: string,
  options: { force?: boolean; second?: number } = {},
): State {
  const applied = tryApply(state, config, manager, options);
  if (applied.kind !== 'applied') throw new Error(JSON.stringify(applied));
  return { live: applied.document, entries: applied.entries };
}
const updated = ({ live, entries }: State, after: Json, manager: string, second = 0): State => ({
  live: after,
  entries: managedAfterUpdate(KINDS, 'Job', live, after, entries, {
    manager,
    apiVersion: 'batch/v1',
    time: at(second),
  }),
});
const refusal = (state: State, config: unknown, manager: string): string => {
  const applied = tryApply(state, config, manager);
  if (applied.kind === 'conflicts') return describeConflicts(applied.conflicts).message;
  return applied.kind === 'bad' ? applied.message : 'applied';
};
const setOf = ({ fieldsV1 }: ManagedFieldsEntry): FieldSet => {
  const read = readFieldsV1(fieldsV1);
  return read.kind === 'read' ? read.set : EMPTY;
};
const owned = ({ entries }: State, manager: string, operation = 'Apply') =>
  entries
    .filter((entry) => entry.manager === manager && entry.operation === operation)
    .flatMap((entry) => pathsOf(setOf(entry)));
/** A configuration that sets only this. */
const only = (spec: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'pi', ...metadata },
  ...(Object.keys(spec).length > 0 ? { spec } : {}),
});
const env = (...vars: Json[]): Json => ({ template: { spec: { containers: [{ name: 'c', env: vars }] } } });
const C = '.spec.template.spec.containers[name="c"]';

describe('the first apply', () => {
  test('creates what the configuration says, and its manager owns that', () => {
    expect(
      tryApply(
        NOTHING,
        only({ parallelism: 2, template: aTemplate({ env: [{ name: 'A', value: '1' }] }) }, { labels: { a: 'b' } }),
        'alice',
        { second: 5 },
      ),
    ).toEqual({
      kind: 'applied',
      document: only(
        { parallelism: 2, template: aTemplate({ env: [{ name: 'A', value: '1' }] }) },
        { labels: { a: 'b' } },
      ),
      entries: [
        {
          manager: 'alice',
          operation: 'Apply',
          apiVersion: 'batch/v1',
          time: at(5),
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': { 'f:a': {} } },
            'f:spec': {
              'f:parallelism': {},
              'f:template': {
                'f:spec': {
                  'f:containers': {
                    'k:{"name":"c"}': {
                      '.': {},
                      'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
                      'f:image': {},
                      'f:name': {},
                    },
                  },
                  'f:restartPolicy': {},
                },
              },
            },
          },
        },
      ],
    });
  });

  test('keeps what else is there, status and identity included', () => {
    const live = { ...aJob({ completions: 3 }, { uid: 'u', resourceVersion: '7' }), status: { active: 1 } };
    const state = updated(NOTHING, live, 'creator');
    const after = apply(state, { ...only({ suspend: true }), status: { active: 99 } }, 'alice');
    expect(after.live).toEqual({
      ...aJob({ completions: 3, suspend: true }, { uid: 'u', resourceVersion: '7' }),
      status: { active: 1 },
    });
    expect(owned(after, 'alice')).toEqual(['.spec.suspend']);
  });

  test('of an object without entries finds its fields owned by before-first-apply', () => {
    const state = { live: aJob({ completions: 3 }), entries: [] };
    expect(refusal(state, only({ completions: 4 }), 'alice')).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using batch/v1: .spec.completions',
    );
    const after = apply(state, only({ completions: 3 }), 'alice');
    expect(owned(after, 'before-first-apply', 'Update')).toContain('.spec.completions');
    expect(owned(after, 'alice')).toEqual(['.spec.completions']);
  });

  test('takes values that stand in the document without managedFields of it', () => {
    const live = aJob({}, { managedFields: [{ manager: 'x' }] });
    const after = apply({ live, entries: [] }, only({ suspend: true }), 'alice');
    expect((after.live!['metadata'] as Json)['managedFields']).toBeUndefined();
  });
});

describe('the same again', () => {
  test('changes nothing: the same entries, times included', () => {
    const config = only({ parallelism: 2, template: aTemplate() }, { labels: { a: 'b' } });
    const state = apply(NOTHING, config, 'alice');
    const again = apply(state, structuredClone(config), 'alice', { second: 9 });
    expect(again.entries).toBe(state.entries);
    expect(again.live).toEqual(state.live);
  });

  test('by another manager is shared, and only the other entry is new', () => {
    const state = apply(NOTHING, only({ parallelism: 2 }), 'alice');
    const both = apply(state, only({ parallelism: 2 }), 'bob', { second: 9 });
    expect(both.live).toEqual(state.live);
    expect(both.entries).toEqual([state.entries[0], expect.objectContaining({ manager: 'bob', time: at(9) })]);
    expect(both.entries[0]).toBe(state.entries[0]);
  });

  test('with another value is new, also if the fields are the same; and so is saying less that others say as well', () => {
    const state = apply(NOTHING, only({ parallelism: 2, suspend: true }), 'alice');
    expect(apply(state, only({ parallelism: 3, suspend: true }), 'alice', { second: 4 }).entries).toMatchObject([
      { time: at(4) },
    ]);
    const both = apply(state, only({ suspend: true }), 'bob', { second: 1 });
    const less = apply(both, only({ parallelism: 2 }), 'alice', { second: 4 });
    expect(less.live).toEqual(both.live);
    expect(less.entries.map(({ manager, time }) => [manager, time])).toEqual([
      ['bob', at(1)],
      ['alice', at(4)],
    ]);
  });

  test('as Go programs send it, with empty server fields, or as it was once read', () => {
    const config = only({ parallelism: 2 }, { creationTimestamp: null });
    const state = apply(NOTHING, config, 'alice');
    const live = only({ parallelism: 2 }, { uid: 'u', creationTimestamp: at(0), generation: 2, resourceVersion: '9' });
    for (const said of [config, only({ parallelism: 2 }, { creationTimestamp: at(0), generation: 1 })]) {
      expect(apply({ ...state, live }, said, 'alice', { second: 9 }).entries).toBe(state.entries);
    }
  });

  test('with defaults that admission filled in: no manager owns them', () => {
    const state = apply(NOTHING, only({ parallelism: 2 }), 'alice');
    const live = { ...state.live, spec: { parallelism: 2, backoffLimit: 6, suspend: false } };
    const again = apply({ ...state, live }, only({ parallelism: 2 }), 'alice', { second: 9 });
    expect(again.entries).toBe(state.entries);
    expect(again.live).toEqual(live);
  });
});

describe('conflicts', () => {
  const state = apply(
    apply(NOTHING, only({ parallelism: 2, template: aTemplate({ env: [{ name: 'A', value: '1' }] }) }), 'alice'),
    only({ suspend: true }),
    'bob',
  );

  test('one', () => {
    expect(refusal(state, only({ parallelism: 3 }), 'carol')).toBe(
      'Apply failed with 1 conflict: conflict with "alice": .spec.parallelism',
    );
  });

  test('several, by manager', () => {
    expect(refusal(state, only({ suspend: false, parallelism: 3, ...env({ name: 'A', value: '2' }) }), 'carol')).toBe(
      `Apply failed with 3 conflicts: conflicts with "alice":\n- .spec.parallelism\n- ${C}.env[name="A"].value\nconflicts with "bob":\n- .spec.suspend`,
    );
  });

  test('with an updater name its version', () => {
    const csa = updated(NOTHING, aJob(), 'kubectl-client-side-apply');
    expect(refusal(csa, only({ parallelism: 3 }), 'kubectl')).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using batch/v1: .spec.parallelism',
    );
  });

  test('have a cause for each field, as kubectl prints it', () => {
    const entry = {
      manager: 'm "x"',
      operation: 'Update',
      apiVersion: 'batch/v1',
      time: at(0),
      fieldsType: 'FieldsV1',
      subresource: 'status',
    } as const;
    expect(describeConflicts([{ ...entry, fields: ['.spec.suspend', `${C}.image`] }])).toEqual({
      message: `Apply failed with 2 conflicts: conflicts with "m \\"x\\"" with subresource "status" using batch/v1:\n- .spec.suspend\n- ${C}.image`,
      causes: ['.spec.suspend', `${C}.image`].map((field) => ({
        reason: 'FieldManagerConflict',
        message: 'conflict with "m \\"x\\"" with subresource "status" using batch/v1',
        field,
      })),
    });
  });

  test('name each manager and field, without everything else that the other owns', () => {
    const applied = tryApply(state, only({ parallelism: 3 }), 'carol');
    expect(applied).toEqual({
      kind: 'conflicts',
      conflicts: [
        {
          manager: 'alice',
          operation: 'Apply',
          apiVersion: 'batch/v1',
          time: at(0),
          fieldsType: 'FieldsV1',
          fields: ['.spec.parallelism'],
        },
      ],
    });
  });

  test('are none if forced: the fields change hands', () => {
    const after = apply(state, only({ parallelism: 3 }), 'carol', { force: true });
    expect(owned(after, 'carol')).toEqual(['.spec.parallelism']);
    expect(owned(after, 'alice')).not.toContain('.spec.parallelism');
    expect(owned(after, 'bob')).toEqual(['.spec.suspend']);
    expect((after.live!['spec'] as Json)['parallelism']).toBe(3);
  });

  test('an atomic list is one field, whatever differs in it', () => {
    const first = apply(NOTHING, only({ template: aTemplate({ command: ['a', 'b'] }) }), 'alice');
    const other = only({ template: { spec: { containers: [{ name: 'c', command: ['a', 'z'] }] } } });
    expect(refusal(first, other, 'bob')).toBe(`Apply failed with 1 conflict: conflict with "alice": ${C}.command`);
  });

  test("one's own update is another manager's", () => {
    const state = updated(apply(NOTHING, only({ parallelism: 2 }), 'me'), only({ parallelism: 5 }), 'me', 1);
    expect(refusal(state, only({ parallelism: 2 }), 'me')).toBe(
      'Apply failed with 1 conflict: conflict with "me" using batch/v1: .spec.parallelism',
    );
  });
});

describe('what a manager does not say any more', () => {
  test('goes, with the structs that nothing is left in', () => {
    const state = apply(
      NOTHING,
      only(
        { parallelism: 2, template: aTemplate({}, { securityContext: { runAsUser: 1 } }) },
        { labels: { a: '1', b: '2' } },
      ),
      'alice',
    );
    const after = apply(state, only({ template: aTemplate() }, { labels: { b: '2' } }), 'alice', { second: 1 });
    expect(after.live).toEqual(only({ template: aTemplate() }, { labels: { b: '2' } }));
    expect(after.entries).toMatchObject([{ manager: 'alice', time: at(1) }]);
    expect(after.entries).toHaveLength(1);
  });

  test('stays if another manager owns it, applier or updater', () => {
    const state = apply(
      apply(NOTHING, only({ parallelism: 2, suspend: true }), 'alice'),
      only({ parallelism: 2 }),
      'bob',
    );
    const after = apply(state, only(), 'alice');
    expect(after.live).toEqual(only({ parallelism: 2 }));
    expect(after.entries.map(({ manager }) => manager)).toEqual(['bob']);
    const byUpdate = updated(apply(NOTHING, only({ suspend: true }), 'alice'), only({ suspend: false }), 'bob', 1);
    expect(apply(byUpdate, only(), 'alice').live).toEqual(only({ suspend: false }));
  });

  test('of a list: an item is removed as a whole when no manager owns anything in it', () => {
    const state = apply(NOTHING, only(env({ name: 'A', value: '1' }, { name: 'B', value: '2' })), 'alice');
    expect(apply(state, only(env({ name: 'B', value: '2' })), 'alice').live).toEqual(
      only(env({ name: 'B', value: '2' })),
    );
    const withDefault = {
      ...state,
      live: only({
        template: {
          spec: {
            containers: [
              {
                name: 'c',
                env: [
                  { name: 'A', value: '1', valueFrom: { fieldRef: { fieldPath: 'x' } } },
                  { name: 'B', value: '2' },
                ],
              },
            ],
          },
        },
      }),
    };
    expect(apply(withDefault, only(env({ name: 'B', value: '2' })), 'alice').live).toEqual(
      only(env({ name: 'B', value: '2' })),
    );
  });

  test("of a list: an item stays, without what was this manager's alone, if others own something in it", () => {
    const both = apply(
      apply(NOTHING, only({ template: { spec: { containers: [{ name: 'c', image: 'perl' }] } } }), 'alice'),
      only({ template: { spec: { containers: [{ name: 'c', workingDir: '/w' }] } } }),
      'bob',
    );
    const after = apply(both, only(), 'alice');
    expect(after.live).toEqual(only({ template: { spec: { containers: [{ name: 'c', workingDir: '/w' }] } } }));
    expect(owned(after, 'alice')).toEqual([]);
  });

  test('takes a struct with it that it alone had set, defaults and all, and what is left empty of one that others name', () => {
    const pod = (securityContext: unknown) => only({ template: { spec: { restartPolicy: 'Never', securityContext } } });
    const state = apply(NOTHING, pod({ runAsUser: 1 }), 'alice');
    const withDefault = { ...state, live: pod({ runAsUser: 1, fsGroup: 2 }) };
    const bare = only({ template: { spec: { restartPolicy: 'Never' } } });
    expect(apply(withDefault, bare, 'alice').live).toEqual(bare);
    const both = apply(state, pod({}), 'bob');
    expect(apply(both, bare, 'alice').live).toEqual(bare);
    const list = apply(
      apply(NOTHING, only(env({ name: 'A', value: '1' })), 'alice'),
      only({ template: { spec: { containers: [{ name: 'c', env: null }] } } }),
      'bob',
    );
    const withoutList = { template: { spec: { containers: [{ name: 'c' }] } } };
    expect(apply(list, only(withoutList), 'alice').live).toEqual(only(withoutList));
  });

  test('of a set and of a map are removed one by one', () => {
    const state = apply(NOTHING, only({}, { finalizers: ['x/a', 'x/b'], annotations: { a: '1', b: '2' } }), 'alice');
    const live = only({}, { finalizers: ['x/a', 'x/b', 'x/c'], annotations: { a: '1', b: '2', c: '3' } });
    const after = apply(
      updated(state, live, 'bob', 1),
      only({}, { finalizers: ['x/b'], annotations: { b: '2' } }),
      'alice',
    );
    expect(after.live).toEqual(only({}, { finalizers: ['x/b', 'x/c'], annotations: { b: '2', c: '3' } }));
  });

  test('under its own name stays if an update of that name owns it', () => {
    const state = updated(apply(NOTHING, only({ parallelism: 2 }), 'me'), only({ parallelism: 5 }), 'me', 1);
    expect(apply(state, only(), 'me').live).toEqual(only({ parallelism: 5 }));
  });
});

describe('lists', () => {
  const order = (live: string, config: string): string => {
    const finalizers = (said: string) => said.split('').map((letter) => `x/${letter}`);
    const state = updated(NOTHING, only({}, { finalizers: finalizers(live) }), 'creator');
    const after = apply(state, only({}, { finalizers: finalizers(config) }), 'alice').live;
    return ((after!['metadata'] as Json)['finalizers'] as string[]).map((each) => each.slice(2)).join('');
  };
  test.each([
    ['abc', 'cab', 'cab'],
    ['abc', 'd', 'abcd'],
    ['axb', 'ba', 'xba'],
    ['abc', 'adb', 'adbc'],
    ['abcd', 'db', 'acdb'],
    ['ab', 'xay', 'xaby'],
  ])('%s with %s is %s', (live, config, after) => {
    expect(order(live, config)).toBe(after);
  });

  test('a port without a protocol is the one that has the default', () => {
    const port = (said: Json) => only({ template: aTemplate({ ports: [said] }) });
    const state = updated(NOTHING, port({ containerPort: 80, protocol: 'TCP', name: 'web' }), 'creator');
    expect(apply(state, port({ containerPort: 80 }), 'alice').live).toEqual(state.live);
  });

  test('of 10,000 items are applied without going through them for each', () => {
    const config = only(env(...Array.from({ length: 10_000 }, (_, i) => ({ name: `N${i}`, value: 'x' }))));
    const startMs = performance.now();
    const state = apply(NOTHING, config, 'alice');
    expect(apply(state, config, 'alice', { second: 1 }).entries).toBe(state.entries);
    expect(apply(state, only(env({ name: 'N5', value: 'x' })), 'alice').live).toEqual(
      only(env({ name: 'N5', value: 'x' })),
    );
    expect(performance.now() - startMs).toBeLessThan(20_000); // walking them for each takes minutes
  });
});

describe('null in a configuration', () => {
  test('does not change a map or a list', () => {
    const state = updated(NOTHING, only({}, { labels: { a: '1' }, finalizers: ['x/a'] }), 'creator');
    expect(apply(state, only({}, { labels: null, finalizers: null }), 'alice').live).toEqual(state.live);
  });

  test('removes a value and owns that there is none', () => {
    const state = apply(NOTHING, only({ parallelism: 2, suspend: true }), 'alice');
    const after = apply(state, only({ parallelism: null, suspend: true }), 'alice');
    expect(after.live).toEqual(only({ suspend: true }));
    expect(owned(after, 'alice')).toEqual(['.spec.parallelism', '.spec.suspend']);
    expect(refusal(after, only({ parallelism: 1 }), 'bob')).toBe(
      'Apply failed with 1 conflict: conflict with "alice": .spec.parallelism',
    );
  });
});

describe('kubectl coming from client-side apply', () => {
  const said = JSON.stringify(aJob());
  const annotated = (spec: Json, annotation = said): Json =>
    aJob(spec, { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': annotation } });
  const state = updated(NOTHING, annotated({}), 'kubectl-client-side-apply');

  test('takes over what it had applied, and brings the annotation up to date', () => {
    const after = apply(state, only({ parallelism: 4 }), 'kubectl', { second: 1 });
    expect(after.live).toEqual(
      annotated(
        { parallelism: 4 },
        '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"pi"},"spec":{"parallelism":4}}\n',
      ),
    );
    expect(owned(after, 'kubectl')).toEqual(['.spec.parallelism']);
    const again = apply(after, only({ parallelism: 4 }), 'kubectl', { second: 2 });
    expect(again.entries).toBe(after.entries);
  });

  test('but not what has changed since, nor what others own', () => {
    const changed = updated(state, annotated({ parallelism: 7 }), 'bob', 1);
    expect(refusal(changed, only({ parallelism: 4 }), 'kubectl')).toBe(
      'Apply failed with 1 conflict: conflict with "bob" using batch/v1: .spec.parallelism',
    );
  });

  test('no other manager does', () => {
    expect(refusal(state, only({ parallelism: 4 }), 'alice')).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using batch/v1: .spec.parallelism',
    );
  });

  test.each([
    'nonsense',
    '[]',
    '{"apiVersion":"v1"}',
    '['.repeat(5_000),
    `{"apiVersion":"batch/v1","spec":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    `{"apiVersion":"batch/v1","spec":{"parallelism":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}}`,
    JSON.stringify({ ...aJob(), spec: { parallelism: 'x' } }),
  ])('an annotation that is no configuration (%.20s) allows nothing', (annotation) => {
    const odd = updated(NOTHING, annotated({}, annotation), 'kubectl-client-side-apply');
    expect(refusal(odd, only({ parallelism: 4 }), 'kubectl')).toMatch(/^Apply failed with 1 conflict/);
  });
});

const untyped = 'failed to create typed patch object (/pi; batch/v1, Kind=Job): ';
test.each<[why: string, config: unknown, message: string]>([
  ['no object', ['x'], 'error decoding YAML: json: cannot unmarshal into an object'],
  [
    'another version',
    { ...only(), apiVersion: 'batch/v2' },
    'Incorrect version specified in apply patch. Specified patch version: batch/v2, expected: batch/v1',
  ],
  [
    'no version',
    { kind: 'Job' },
    'Incorrect version specified in apply patch. Specified patch version: , expected: batch/v1',
  ],
  ['managedFields', only({}, { managedFields: [] }), 'metadata.managedFields must be nil'],
  ['an unknown field', only({ paralelism: 1 }), `${untyped}.spec.paralelism: field not declared in schema`],
  [
    'a field that every object inherits',
    only({ constructor: 1 }),
    `${untyped}.spec.constructor: field not declared in schema`,
  ],
  [
    'a number for text',
    only(env({ name: 'A', value: 8080 })),
    `${untyped}${C}.env[name="A"].value: expected string, got &value.valueUnstructured{Value:8080}`,
  ],
  [
    'text for a number',
    only({ parallelism: '3' }),
    `${untyped}.spec.parallelism: expected numeric (int or float), got &value.valueUnstructured{Value:"3"}`,
  ],
  [
    'a number for a switch',
    only({ suspend: 1 }),
    `${untyped}.spec.suspend: expected boolean, got &value.valueUnstructured{Value:1}`,
  ],
  [
    'an object for a list',
    only({ template: { spec: { containers: { name: 'c' } } } }),
    `${untyped}.spec.template.spec.containers: expected list, got &{map[name:c]}`,
  ],
  ['a list for an object', only({ template: [] }), `${untyped}.spec.template: expected map, got &{[]}`],
  [
    'a wrong value in an atomic list',
    only({ template: aTemplate({ command: [1] }) }),
    `${untyped}${C}.command[0]: expected string, got &value.valueUnstructured{Value:1}`,
  ],
  [
    'a key said twice',
    only(env({ name: 'A' }, { name: 'A' })),
    `${untyped}${C}.env: duplicate entries for key [name="A"]`,
  ],
  [
    'a value said twice',
    only({}, { finalizers: ['x/a', 'x/a'] }),
    `${untyped}.metadata.finalizers: duplicate entries for key [="x/a"]`,
  ],
  [
    'no key',
    only(env({ value: '1' })),
    `${untyped}${C}.env: element 0: associative list with keys has an element that omits key field "name" (and doesn't have default value)`,
  ],
  [
    'null as an item',
    only({ template: { spec: { containers: [null] } } }),
    `${untyped}.spec.template.spec.containers: element 0: associative list with keys may not have a null element`,
  ],
  [
    'several',
    only({ a: 1, b: 2 }),
    `${untyped}errors:\n  .spec.a: field not declared in schema\n  .spec.b: field not declared in schema`,
  ],
])('%s is refused', (_why, config, message) => {
  expect(refusal(NOTHING, config, 'alice')).toBe(message);
  expect(refusal(updated(NOTHING, aJob(), 'creator'), config, 'alice')).toBe(message);
});

describe('random Jobs', () => {
  const fieldsSaid = (config: Json): FieldSet => tracked(fieldsOf(KINDS, JOB, shared(config)));

  test('twice is as once', () => {
    fc.assert(
      fc.property(anyJob, anyJob, anyJob, (first, second, config) => {
        const state = apply(updated(apply(NOTHING, first, 'alice'), second, 'bob', 1), config, 'carol', {
          force: true,
          second: 2,
        });
        const again = apply(state, config, 'carol', { second: 3 });
        expect(again.entries).toBe(state.entries);
        expect(again.live).toEqual(state.live);
      }),
    );
  });

  test('what a configuration says is there, its manager owns just that, and force takes it from others', () => {
    fc.assert(
      fc.property(anyJob, anyJob, (first, config) => {
        const before = structuredClone([first, config]);
        const state = apply(NOTHING, first, 'alice');
        const after = apply(state, config, 'bob', { force: true, second: 1 });
        const bob = after.entries.find(({ manager }) => manager === 'bob');
        expect(bob !== undefined && sameSet(setOf(bob), fieldsSaid(config))).toBe(true);
        const missing = compareFields(KINDS, JOB, shared(config), shared(after.live ?? {}));
        expect(pathsOf(missing.removed)).toEqual([]);
        expect(pathsOf(intersection(missing.modified, fieldsSaid(config)))).toEqual([]);
        const changed = compareFields(KINDS, JOB, shared(first), shared(after.live ?? {}));
        const alice = after.entries.find(({ manager }) => manager === 'alice');
        expect(alice === undefined || isEmpty(intersection(setOf(alice), changed.modified))).toBe(true);
        expect([first, config]).toEqual(before);
      }),
      { numRuns: draws(300) },
    );
  });

  test("without force: what conflicts is what would change and is another's, and then nothing is applied", () => {
    let refused = 0;
    fc.assert(
      fc.property(anyJob, anyJob, (first, config) => {
        const state = apply(NOTHING, first, 'alice');
        const applied = tryApply(state, config, 'bob');
        const forced = apply(state, config, 'bob', { force: true });
        const lost = difference(
          fieldsSaid(first),
          setOf(forced.entries.find(({ manager }) => manager === 'alice') ?? { ...state.entries[0]!, fieldsV1: {} }),
        );
        if (applied.kind === 'conflicts') refused++;
        expect(applied.kind === 'conflicts' ? applied.conflicts.flatMap(({ fields }) => fields) : []).toEqual(
          pathsOf(lost),
        );
      }),
      { numRuns: draws(300), seed: 8 },
    );
    expect(refused).toBeGreaterThan(draws(30));
  });

  test("when one manager says nothing any more, only the other's fields are left", () => {
    fc.assert(
      fc.property(anyJob, anyJob, (one, other) => {
        const both = apply(apply(NOTHING, one, 'alice'), other, 'bob', { force: true });
        const after = apply(both, only(), 'alice');
        expect(after.entries.map(({ manager }) => manager)).toEqual(['bob']);
        expect(pathsOf(fieldsSaid(after.live ?? {}))).toEqual(pathsOf(fieldsSaid(other)));
      }),
      { numRuns: draws(300) },
    );
  });

  test('going from one configuration to another is as if the other had been the first', () => {
    fc.assert(
      fc.property(anyJob, anyJob, (one, other) => {
        const after = apply(apply(NOTHING, one, 'alice'), other, 'alice', { second: 1 });
        expect(after.live).toEqual(apply(NOTHING, other, 'alice').live);
        expect(after.entries.map(setOf).map(pathsOf)).toEqual([pathsOf(fieldsSaid(other))]);
      }),
      { numRuns: draws(300) },
    );
  });
});

test('hostile configurations are refused or applied, never thrown at', () => {
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom(null, 1, 'x', true, '', -0.5),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          'metadata',
          'spec',
          'template',
          'containers',
          'env',
          'name',
          'labels',
          '__proto__',
          'constructor',
          'finalizers',
          '$patch',
        ),
        tie('json'),
        { noNullPrototype: true },
      ),
    ),
  }));
  fc.assert(
    fc.property(json, json, (config, live) => {
      const before = typeof live === 'object' && live !== null ? (live as Json) : null;
      const said =
        typeof config === 'object' && config !== null && !Array.isArray(config)
          ? { ...config, apiVersion: 'batch/v1' }
          : config;
      tryApply({ live: before, entries: [] }, said, 'alice');
    }),
    { numRuns: draws(1_000) },
  );
  expect(({} as Json)['metadata']).toBeUndefined();
});
