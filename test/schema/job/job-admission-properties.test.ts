import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planningSpec } from '../../../shared/domain/manifests/job.ts';
import type { Admission } from '../../../shared/schema/job/job-manifest.ts';
import { type JobUpdate, admitJobUpdate, documentOf } from '../../../shared/schema/job/job-update.ts';
import { UID, admitDocument, faultLines, jobDocument } from '../../support/job-document.ts';
import { draws } from '../../verify/draws.ts';

type Fields = { readonly [field: string]: unknown };

const small = fc.integer({ min: 0, max: 6 });
const rule = fc.constantFrom<Fields>(
  { action: 'FailJob', onExitCodes: { operator: 'In', values: [1, 7] } },
  { action: 'Count', onExitCodes: { containerName: 'main', operator: 'NotIn', values: [0] } },
  { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
);

/** What a user may write. */
const fine: fc.Arbitrary<Fields> = fc.oneof(
  fc.record<Fields>({ parallelism: small }),
  fc.record<Fields>({
    completions: small,
    suspend: fc.boolean(),
    podFailurePolicy: fc.record({ rules: fc.array(rule) }),
  }),
  fc.record<Fields>({ completionMode: fc.constant('Indexed'), completions: small, parallelism: small }),
  fc.record<Fields>({
    completionMode: fc.constant('Indexed'),
    completions: fc.integer({ min: 3, max: 6 }),
    suspend: fc.boolean(),
    backoffLimitPerIndex: small,
    maxFailedIndexes: fc.integer({ min: 0, max: 3 }),
    successPolicy: fc.constantFrom({ rules: [{ succeededIndexes: '0,2' }] }, { rules: [{ succeededCount: 1 }] }),
  }),
);

/** What he may write in some places, and hardly ever everywhere; the last is none of a Job's. */
const FIELDS: readonly (readonly [names: readonly string[], values: readonly unknown[]])[] = [
  [
    ['parallelism', 'completions', 'backoffLimit'],
    [0, 2, -1, 100_001, 1_000_001],
  ],
  [
    ['backoffLimitPerIndex', 'maxFailedIndexes', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished'],
    [0, 3, -1, 100_001],
  ],
  [
    ['completionMode', 'podReplacementPolicy', 'managedBy'],
    ['Indexed', 'NonIndexed', 'Failed', 'a.io/b', ''],
  ],
  [
    ['suspend', 'manualSelector'],
    [true, false, null],
  ],
  [['selector'], [{}, { matchLabels: { app: 'x' } }, { matchExpressions: [{ key: 'job-name', operator: 'Exists' }] }]],
  [['podFailurePolicy'], [{}, { rules: [{}] }, { rules: [{ action: 'FailIndex', onExitCodes: {} }] }]],
  [['successPolicy'], [{}, { rules: [{}] }, { rules: [{ succeededIndexes: '4,0', succeededCount: -1 }] }]],
  [
    ['parallelism', 'suspend', 'successPolicy', 'other'],
    ['1', 1.5, [], 2 ** 31],
  ],
];
const one = fc.oneof(
  ...FIELDS.map(([names, values]) => fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values))),
);
const stray: fc.Arbitrary<Fields> = fc.array(one, { maxLength: 2 }).map((fields) => Object.fromEntries(fields));
const document = fc
  .tuple(fine, fc.oneof(fc.constant({}), stray))
  .map(([right, perhaps]) => jobDocument({ ...right, ...perhaps }));

/** One seed for all: a run that fails can be looked at, and each way is taken as often as the last time. */
const RUNS = { numRuns: draws(2000), seed: 42 };

test('any document is admitted, refused with paths, or not a Job; what is admitted is admitted again unchanged', () => {
  const seen = { ok: 0, invalid: 0, undecodable: 0 };
  const isKept = (each: unknown): boolean => {
    const admission = admitDocument(each);
    seen[admission.kind]++;
    if (admission.kind === 'undecodable') return admission.message !== '';
    if (admission.kind === 'invalid')
      return admission.errors.length > 0 && admission.errors.every(({ path }) => /^(metadata|spec)\./.test(path));
    const { manifest } = admission;
    planningSpec({ manifest });
    const stored = { manifest, uid: UID, started: false, deleting: false };
    const again = admitJobUpdate(stored, documentOf(stored), { fieldValidation: 'Strict' });
    return (
      isDeepStrictEqual(admitDocument(manifest), { kind: 'ok', manifest, warnings: [] }) &&
      isDeepStrictEqual(again, { kind: 'ok', manifest, warnings: [], changed: 'nothing' })
    );
  };
  fc.assert(fc.property(document, isKept), RUNS);
  // Each way is taken often, else this shows nothing.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(draws(50));
});

/** The bad value is another where something is generated for a new Job only. */
const pathsAndKinds = (answer: Admission | JobUpdate): readonly string[] =>
  faultLines(answer).map((line) => line.split(': ').slice(0, 2).join(': '));

test('a changed Job is one that would be admitted by itself; if not, all of its errors are reported', () => {
  const seen = { ok: 0, invalid: 0, undecodable: 0 };
  const isJudged = (was: unknown, changes: Fields, started: boolean): boolean => {
    const admission = admitDocument(was);
    if (admission.kind !== 'ok') return true;
    const stored = { manifest: admission.manifest, uid: UID, started, deleting: false };
    const before = documentOf(stored);
    const next = { ...before, spec: { ...before.spec, ...changes } };
    const update = admitJobUpdate(stored, next, { fieldValidation: 'Strict' });
    seen[update.kind]++;
    const alone = admitDocument(next);
    if (update.kind === 'ok') return alone.kind === 'ok' && isDeepStrictEqual(alone.manifest, update.manifest);
    const told = pathsAndKinds(update);
    return pathsAndKinds(alone).every((fault) => told.includes(fault));
  };
  fc.assert(fc.property(document, fc.oneof(fine, stray), fc.boolean(), isJudged), RUNS);
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(draws(50));
});
