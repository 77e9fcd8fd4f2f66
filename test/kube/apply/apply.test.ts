import { describe, expect, test } from 'vitest';
import { type Json, aJob, aTemplate } from '../patch/a-job.ts';
import { NOTHING, apply, at, env, only, owned, refusal, tryApply, updated } from './applied-state.ts';

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
    const state = apply(NOTHING, config, 'alice');
    expect(apply(state, config, 'alice', { second: 1 }).entries).toBe(state.entries);
    expect(apply(state, only(env({ name: 'N5', value: 'x' })), 'alice').live).toEqual(
      only(env({ name: 'N5', value: 'x' })),
    );
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
