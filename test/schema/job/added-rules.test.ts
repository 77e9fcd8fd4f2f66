import { describe, expect, test } from 'vitest';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { NO_ADDED_RULES, planningSpec } from '../../../shared/domain/manifests/job.ts';
import { admitJob } from '../../../shared/schema/job/job-manifest.ts';
import { admitJobUpdate } from '../../../shared/schema/job/job-update.ts';

const NAMES = {
  delay: 'muster.run/retry-delay-seconds',
  timeout: 'muster.run/start-timeout-seconds',
  deadline: 'muster.run/index-deadline',
  after: 'muster.run/start-after',
  kill: 'muster.run/kill-at',
  first: 'muster.run/success-first',
};
const ALL = {
  [NAMES.delay]: '5',
  [NAMES.timeout]: '60',
  [NAMES.deadline]: '1h30m',
  [NAMES.after]: '2026-01-31T12:00:00Z',
  [NAMES.kill]: '2026-01-31T13:00:00Z',
  [NAMES.first]: 'true',
};
const SPEC = {
  completions: 3,
  completionMode: 'Indexed',
  backoffLimitPerIndex: 1,
  successPolicy: { rules: [{ succeededCount: 1 }] },
};
const KILLED = asEpochMs(Date.UTC(2026, 0, 31, 13));

type Texts = Record<string, string>;
const jobSpec = (spec: object) => ({
  ...spec,
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'any', command: ['a'] }] } },
});
const documentOf = (annotations: Texts, spec: object = SPEC) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'a', annotations },
  spec: jobSpec(spec),
});
const CONTEXT = { namespace: 'default', uid: 'u-1', nameSuffix: 'abcde', fieldValidation: 'Strict' } as const;

function admitted(annotations: Texts, spec?: object) {
  const admission = admitJob(documentOf(annotations, spec), CONTEXT);
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  return admission.manifest;
}

type Answer = {
  readonly kind: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
};
const faultsOf = (answer: Answer): readonly string[] =>
  (answer.errors ?? []).map(({ path, message }) => `${path}: ${message}`);

test('planning reads them from the annotations', () => {
  expect(planningSpec({ manifest: admitted(ALL) })).toMatchObject({
    retryDelaySec: 5,
    startTimeoutSec: 60,
    indexDeadlineSec: 5_400,
    startAfter: Date.UTC(2026, 0, 31, 12),
    killAt: KILLED,
    successFirst: true,
  });
  expect(planningSpec({ manifest: admitted({}) })).toMatchObject(NO_ADDED_RULES);
});

describe('they need', () => {
  const DELAY = `metadata.annotations[${NAMES.delay}]: needs spec.backoffLimitPerIndex: the delay is that of each index`;
  const DEADLINE = `metadata.annotations[${NAMES.deadline}]: needs spec.backoffLimitPerIndex: without it, no index can fail for good while its Job goes on`;
  const FIRST = `metadata.annotations[${NAMES.first}]: needs spec.successPolicy, muster.run/success-percent, or muster.run/success-count`;

  test('a limit for each index, and a success policy', () => {
    const answer = admitJob(documentOf(ALL, { completions: 3, completionMode: 'Indexed' }), CONTEXT);
    expect(faultsOf(answer)).toEqual([DELAY, DEADLINE, FIRST]);
    expect(admitted({ [NAMES.first]: 'false' }, {}).kind).toBe('Job');
  });
});

test.each([
  ['90m', []],
  ['1s', []],
  ['8760h', []],
  ['0s', ['a duration']],
  ['1500ms', ['a duration']],
  ['8761h', ['a duration']],
  ['90', ['a duration']],
])('the deadline of an index may be %s: faults %j', (text, faults) => {
  const answer = admitJob(documentOf({ [NAMES.deadline]: text }), CONTEXT);
  const why = 'must be a duration such as 90m or 1h30m: whole seconds, at least 1s and at most 8760h';
  expect(faultsOf(answer)).toEqual(faults.map(() => `metadata.annotations[${NAMES.deadline}]: ${why}`));
});

describe('in a stored Job', () => {
  const change = (annotations: Texts, standing: { readonly started?: boolean; readonly now?: number } = {}) => {
    const manifest = admitted(ALL);
    const { started = false, now = 0 } = standing;
    const stored = { manifest, uid: 'u-1', started, deleting: false, now: asEpochMs(now) };
    const next = { ...manifest, metadata: { ...manifest.metadata, uid: 'u-1', annotations } };
    return faultsOf(admitJobUpdate(stored, next, { fieldValidation: 'Strict' }));
  };
  const but = (key: string, value: string | null): Texts =>
    Object.fromEntries(Object.entries({ ...ALL, [key]: value }).flatMap(([k, v]) => (v === null ? [] : [[k, v]])));

  test.each([
    [NAMES.delay, '6'],
    [NAMES.delay, null],
    [NAMES.timeout, '61'],
    [NAMES.deadline, '2h'],
    [NAMES.deadline, null],
    [NAMES.first, 'false'],
  ])('%s cannot become %j', (key, value) => {
    expect(change(but(key, value))).toEqual([`metadata.annotations[${key}]: field is immutable`]);
  });

  test('it may start earlier or later until it has started', () => {
    const changed = but(NAMES.after, '2026-02-01T12:00:00Z');
    const why = 'field is immutable: the Job has started';
    expect(change(changed)).toEqual([]);
    expect(change(changed, { started: true })).toEqual([`metadata.annotations[${NAMES.after}]: ${why}`]);
    expect(change(but(NAMES.after, null), { started: true })).toEqual([`metadata.annotations[${NAMES.after}]: ${why}`]);
    expect(change(ALL, { started: true })).toEqual([]);
  });

  test('its kill time may change until it has passed', () => {
    const changed = but(NAMES.kill, '2026-02-01T12:00:00Z');
    expect(change(changed, { now: KILLED - 1, started: true })).toEqual([]);
    expect(change(but(NAMES.kill, null), { now: KILLED - 1 })).toEqual([]);
    expect(change(changed, { now: KILLED })).toEqual([
      `metadata.annotations[${NAMES.kill}]: field is immutable: 2026-01-31T13:00:00Z has passed`,
    ]);
    expect(change(ALL, { now: KILLED })).toEqual([]);
  });
});
