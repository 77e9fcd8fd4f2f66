import { describe, expect, test } from 'vitest';
import { aTemplate } from '../patch/a-job.ts';
import { NOTHING, apply, at, env, only, owned, updated } from './applied-state.ts';

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
