import { describe, expect, test } from 'vitest';
import { describeConflicts } from '../../../shared/kube/apply/apply-conflicts.ts';
import { type Json, aJob, aTemplate } from '../patch/a-job.ts';
import { C, NOTHING, apply, at, env, only, owned, refusal, tryApply, updated } from './applied-state.ts';

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
