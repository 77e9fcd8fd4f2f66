import { describe, expect, test } from 'vitest';
import { NO_ADDED_RULES, planningSpec } from '../../../shared/domain/manifests/job.ts';
import { parseReasons, parseShare } from '../../../shared/domain/manifests/annotations/successes.ts';
import { fewest, most } from '../../../shared/domain/manifests/success-rules.ts';
import { admitJob } from '../../../shared/schema/job/job-manifest.ts';
import { admitJobUpdate } from '../../../shared/schema/job/job-update.ts';

// The annotations about a Job's success: what planning reads from them, and what is refused, with the path and what would be right.

type Texts = Readonly<Record<string, string>>;
const CONTEXT = { namespace: 'default', uid: 'u-1', nameSuffix: 'abcde', fieldValidation: 'Strict' } as const;
const TEN = { completions: 10, completionMode: 'Indexed' };
const WITH_POLICY = { ...TEN, successPolicy: { rules: [{ succeededIndexes: '0' }, { succeededIndexes: '1-9' }] } };

const jobSpec = (spec: object) => ({
  ...spec,
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'any', command: ['a'] }] } },
});
const named = (short: Texts): Texts =>
  Object.fromEntries(Object.entries(short).map(([key, text]) => [`muster.run/${key}`, text]));
const admit = (short: Texts, spec: object = TEN) =>
  admitJob(
    { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a', annotations: named(short) }, spec: jobSpec(spec) },
    CONTEXT,
  );

type Answer = {
  readonly kind: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
};
const faultsOf = (answer: Answer): readonly string[] =>
  (answer.errors ?? []).map(({ path, message }) => `${path}: ${message}`);

function planned(short: Texts, spec?: object) {
  const admission = admit(short, spec);
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  return planningSpec({ manifest: admission.manifest });
}

describe('planning reads', () => {
  test('a share, or a number, as the last rule of the success policy', () => {
    const own = { indexes: null, count: null, own: { says: 'muster.run/success-percent 99.5', share: 99_500 } };
    expect(planned({ 'success-percent': '99.5' }).successPolicy).toEqual([own]);
    expect(planned({ 'success-percent': '99.5' }, WITH_POLICY).successPolicy?.at(-1)).toEqual(own);
    expect(planned({ 'success-count': '3' }, { parallelism: 4 }).successPolicy).toEqual([
      { indexes: null, count: 3, own: { says: 'muster.run/success-count 3', share: null } },
    ]);
    expect(planned({})).toMatchObject({ ...NO_ADDED_RULES, successPolicy: null });
  });

  test('one reason for all rules, or one for each', () => {
    const reasons = (text: string) =>
      planned({ 'success-reason': text, 'success-count': '4' }, WITH_POLICY).successPolicy?.map(({ reason }) => reason);
    expect(reasons('Enough')).toEqual(['Enough', 'Enough', 'Enough']);
    expect(reasons('Leader,Workers,Four')).toEqual(['Leader', 'Workers', 'Four']);
  });

  test('what becomes of the other Pods, the message, and what may fail', () => {
    const texts = {
      'when-criteria-achieved': 'Continue',
      'success-message': 'enough samples',
      'max-failed-percent': '0.5',
    };
    expect(planned(texts, { ...WITH_POLICY, backoffLimitPerIndex: 1 })).toMatchObject({
      whenAchieved: 'Continue',
      successMessage: 'enough samples',
      maxFailedShare: 500,
    });
  });
});

test.each([
  ['80', 80_000],
  ['0', 0],
  ['100', 100_000],
  ['99.95', 99_950],
  ['0.001', 1],
  ['100.001', null],
  ['101', null],
  ['-1', null],
  ['5%', null],
  ['05', null],
  ['0.0001', null],
  ['', null],
])('per cent %j is %s thousandths', (text, share) => {
  expect(parseShare(text)).toBe(share);
});

test.each([
  [80_000, 10, 8, 8],
  [33_333, 3, 1, 0],
  [50_000, 5, 3, 2],
  [1, 4, 1, 0],
  [99_999, 1_000_000, 999_990, 999_990],
  [100_000, 7, 7, 7],
])('%i thousandths of a per cent of %i: at least %i, at most %i', (share, base, least, greatest) => {
  expect([fewest(share, base), most(share, base)]).toEqual([least, greatest]);
});

test.each(['leader', 'Leader Done', 'Leader,', 'Léader', `A${'b'.repeat(128)}`])('%j is no reason', (text) => {
  expect(parseReasons(text)).toBeNull();
});

describe('refused is', () => {
  const at = (key: string): string => `metadata.annotations[muster.run/${key}]: `;
  const POLICY = 'needs spec.successPolicy, muster.run/success-percent, or muster.run/success-count';
  const PER_CENT = '(three decimals at most), without a sign';

  test.each<readonly [Texts, object, string]>([
    [
      { 'success-percent': '0' },
      TEN,
      `success-percent must be per cent above 0 and up to 100, such as "80" or "99.5" ${PER_CENT}`,
    ],
    [
      { 'success-percent': '101' },
      TEN,
      `success-percent must be per cent above 0 and up to 100, such as "80" or "99.5" ${PER_CENT}`,
    ],
    [{ 'success-percent': '50' }, { parallelism: 3 }, 'success-percent needs spec.completions: it is a share of them'],
    [{ 'success-count': '0' }, TEN, 'success-count must be a whole number from 1 to 9999999, without leading zeros'],
    [
      { 'success-count': '11' },
      TEN,
      'success-count must be less than or equal to 10 (the number of specified completions)',
    ],
    [
      { 'success-count': '4' },
      { parallelism: 3 },
      'success-count must be less than or equal to 3, the parallelism: without spec.completions, no more can succeed',
    ],
    [
      { 'success-count': '4', 'success-percent': '50' },
      TEN,
      'success-count cannot be combined with metadata.annotations[muster.run/success-percent]: one of the two says how many are enough',
    ],
    [
      { 'success-count': '4', indexes: '0-2' },
      TEN,
      'success-count can never be met: too many of its indexes are not in metadata.annotations[muster.run/indexes]',
    ],
    [{ 'success-reason': 'Enough' }, TEN, `success-reason ${POLICY}`],
    [{ 'success-message': 'enough' }, TEN, `success-message ${POLICY}`],
    [{ 'when-criteria-achieved': 'Continue' }, TEN, `when-criteria-achieved ${POLICY}`],
    [{ 'success-first': 'true' }, TEN, `success-first ${POLICY}`],
    [
      { 'success-reason': 'A,B,C' },
      WITH_POLICY,
      'success-reason names 3 reasons, and there are 2 rules: name one, or one for each rule',
    ],
    [{ 'success-reason': 'Killed' }, WITH_POLICY, 'success-reason Killed is the reason of another end'],
    [
      { 'success-reason': 'leaderSucceeded' },
      WITH_POLICY,
      'success-reason must be a reason in CamelCase of at most 128 letters and digits, or one for each rule, such as "LeaderSucceeded,WorkersSucceeded"',
    ],
    [{ 'success-message': ' ' }, WITH_POLICY, 'success-message must be a text of 1 to 1024 characters'],
    [
      { 'when-criteria-achieved': 'continue' },
      WITH_POLICY,
      'when-criteria-achieved must be one of Terminate, Continue, ContinueWithRecreations',
    ],
    [
      { 'max-failed-percent': '5' },
      TEN,
      'max-failed-percent needs spec.backoffLimitPerIndex: without it, no index fails for good',
    ],
    [
      { 'max-failed-percent': '5%' },
      { ...TEN, backoffLimitPerIndex: 1 },
      `max-failed-percent must be per cent from 0 to 100, such as "5" or "0.5" ${PER_CENT}`,
    ],
  ])('%o in %o', (texts, spec, fault) => {
    const [key = '', ...words] = fault.split(' ');
    expect(faultsOf(admit(texts, spec))).toEqual([`${at(key)}${words.join(' ')}`]);
  });
});

test('taken are Terminate and false without a policy, a share of a Job without indexes, and of chosen ones', () => {
  expect(faultsOf(admit({ 'when-criteria-achieved': 'Terminate', 'success-first': 'false' }))).toEqual([]);
  expect(faultsOf(admit({ 'success-percent': '50' }, { completions: 4 }))).toEqual([]);
  expect(faultsOf(admit({ 'success-percent': '80', indexes: '0-2' }))).toEqual([]);
  expect(faultsOf(admit({ 'success-count': '3', indexes: '0-2' }))).toEqual([]);
});

describe('in a stored Job', () => {
  const TEXTS = {
    'success-percent': '50',
    'success-reason': 'Half',
    'success-message': 'half is enough',
    'when-criteria-achieved': 'Continue',
    'max-failed-percent': '10',
  };
  const PER_INDEX = { ...TEN, parallelism: 10, backoffLimitPerIndex: 1 };

  function change(short: Texts, spec: object = {}) {
    const admission = admit(TEXTS, PER_INDEX);
    if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
    const { manifest } = admission;
    const stored = { manifest, uid: 'u-1', started: false, deleting: false };
    const metadata = { ...manifest.metadata, uid: 'u-1', annotations: named(short) };
    const next = { ...manifest, metadata, spec: { ...manifest.spec, ...spec } };
    return faultsOf(admitJobUpdate(stored, next, { fieldValidation: 'Strict' }));
  }

  test.each(Object.keys(TEXTS))('muster.run/%s cannot change', (key) => {
    const { [key]: _, ...others } = TEXTS as Texts;
    const other = {
      ...others,
      [key]: { 'success-reason': 'Most', 'when-criteria-achieved': 'Terminate' }[key] ?? '20',
    };
    expect(change(other)).toEqual([`metadata.annotations[muster.run/${key}]: field is immutable`]);
    expect(change(TEXTS)).toEqual([]);
  });

  test('a share is one of as many completions as there are', () => {
    expect(change(TEXTS, { completions: 4, parallelism: 4 })).toEqual([]);
  });
});
