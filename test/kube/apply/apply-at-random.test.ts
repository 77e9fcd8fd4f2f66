import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type FieldSet,
  difference,
  intersection,
  isEmpty,
  pathsOf,
  sameSet,
} from '../../../shared/kube/apply/field-set.ts';
import { compareFields, fieldsOf } from '../../../shared/kube/apply/object-fields.ts';
import { shared, tracked } from '../../../shared/kube/apply/tracked-fields.ts';
import { JOB, type Json, KINDS, anyJob } from '../patch/a-job.ts';
import { draws } from '../../verify/draws.ts';
import { NOTHING, apply, only, setOf, tryApply, updated } from './applied-state.ts';

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
