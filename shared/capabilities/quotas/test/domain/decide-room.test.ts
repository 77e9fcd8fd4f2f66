import { describe, expect, test } from 'vitest';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { type Answer, type AskedPods, decideRoom } from '../../domain/decide-room.ts';
import { type Quota, FRESH_LEDGER } from '../../domain/quota.ts';
import { amountOf, amountText, isQuotaKey } from '../../domain/quota-keys.ts';
import { NO_USAGE, type Usage, podSize, usageOfJob } from '../../domain/usage.ts';
import { freshStatus } from '../../../../domain/scoreboard/status.ts';
import type { Container } from '../../../../domain/manifests/pod-spec.ts';
import { toJob } from '../../../../store/to-job.ts';
import { type JobWish, aJob } from '../../../../../test/support/a-job.ts';

const GIB = 2 ** 30;
/** 0.25 vCPU. */
const SMALLEST = { cpu: 250, memory: GIB / 2 };
const NOW = asEpochMs(1_800_000_000_000);

const quota = (hard: Quota['hard'], used: Quota['used'], name = 'q'): Quota => ({
  name,
  uid: `uid-of-${name}`,
  hard,
  used,
  ledger: FRESH_LEDGER,
});
const asks = (want: Partial<Usage>, pods: AskedPods | null = null, before: Partial<Usage> = {}) => ({
  wish: { uid: 'u', revision: 1, want: { ...NO_USAGE, ...want }, before: { ...NO_USAGE, ...before } },
  pods,
  numbers: new Map(),
});
const whyOf = (answer: Answer | undefined): string =>
  answer === undefined || answer.kind === 'room' ? 'room' : answer.why;

/** A Pod of containers that request so much. */
const pod = (
  containers: readonly Container['resources'][],
  initContainers: readonly Container['resources'][] = [],
): AskedPods => {
  const named = (prefix: string) => (resources: Container['resources'], nth: number) => ({
    name: `${prefix}${nth}`,
    image: 'busybox',
    ...(resources === undefined ? {} : { resources }),
  });
  return {
    spec: {
      containers: containers.map(named('c')),
      initContainers: initContainers.map(named('i')),
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 30,
    },
    fromItems: false,
  };
};

describe('what a quota says of a wish', () => {
  test.each<[string, Quota['hard'], Quota['used'], Partial<Usage>, string]>([
    ['what fits exactly', { pods: 10 }, { pods: 5 }, { pods: 5 }, 'room'],
    [
      'one more',
      { pods: 10 },
      { pods: 5 },
      { pods: 6 },
      'exceeded quota: q, requested: pods=6, used: pods=5, limited: pods=10',
    ],
    ['what it does not limit', { pods: 10 }, { pods: 10 }, { jobs: 1, cpu: 9 }, 'room'],
    [
      'only what exceeds is named, in order',
      { memory: 2 ** 30, 'count/jobs.batch': 1, pods: 9, cpu: 500 },
      { memory: 0, 'count/jobs.batch': 1, pods: 0, cpu: 100 },
      { jobs: 1, pods: 2, cpu: 1000, memory: 1 },
      'exceeded quota: q, requested: count/jobs.batch=1,cpu=1, used: count/jobs.batch=1,cpu=100m, limited: count/jobs.batch=1,cpu=500m',
    ],
    [
      'each name of the same',
      { cpu: 1000, 'requests.cpu': 2000, 'limits.cpu': 1000 },
      { cpu: 0, 'requests.cpu': 0, 'limits.cpu': 0 },
      { cpu: 1500 },
      'exceeded quota: q, requested: cpu=1500m,limits.cpu=1500m, used: cpu=0,limits.cpu=0, limited: cpu=1,limits.cpu=1',
    ],
    [
      'one object more',
      { 'count/services': 2, 'count/serviceaccounts': 9 },
      { 'count/services': 2, 'count/serviceaccounts': 0 },
      { services: 1 },
      'exceeded quota: q, requested: count/services=1, used: count/services=2, limited: count/services=2',
    ],
    [
      'an object of a kind that it does not limit',
      { 'count/serviceaccounts': 0 },
      { 'count/serviceaccounts': 0 },
      { services: 1 },
      'room',
    ],
    ['nothing, however full it is', { pods: 1 }, { pods: 5 }, {}, 'room'],
    [
      'what has not been counted yet',
      { pods: 9, 'count/jobs.batch': 9 },
      {},
      { jobs: 1, pods: 1 },
      'status unknown for quota: q, resources: count/jobs.batch,pods',
    ],
  ])('%s', (_name, hard, used, want, why) => {
    const { answers, quotas } = decideRoom([quota(hard, used)], [asks(want)], NOW);
    expect(whyOf(answers[0])).toBe(why);
    expect(why === 'room' ? [] : quotas).toEqual(why === 'room' ? [] : [quota(hard, used)]);
  });

  test('only what is more than before', () => {
    const { answers, quotas } = decideRoom(
      [quota({ pods: 10 }, { pods: 8 })],
      [asks({ pods: 5 }, null, { pods: 4 })],
      NOW,
    );
    expect(whyOf(answers[0])).toBe('room');
    expect(quotas[0]?.used).toEqual({ pods: 9 });
  });

  test('one after the other, and who is refused takes nothing from the next', () => {
    const { answers, quotas } = decideRoom(
      [quota({ pods: 10 }, { pods: 0 })],
      [asks({ pods: 8 }), asks({ pods: 3 }), asks({ pods: 2 })],
      NOW,
    );
    expect(answers.map(({ kind }) => kind)).toEqual(['room', 'over', 'room']);
    expect(quotas[0]?.used).toEqual({ pods: 10 });
  });

  test('nothing in one, if another leaves no room', () => {
    const both = [quota({ pods: 10 }, { pods: 0 }, 'a'), quota({ pods: 2 }, { pods: 0 }, 'b')];
    const { answers, quotas } = decideRoom(both, [asks({ pods: 3 })], NOW);
    expect(whyOf(answers[0])).toContain('exceeded quota: b');
    expect(quotas).toEqual(both);
  });

  test.each<[string, Quota['hard'], AskedPods, string]>([
    [
      'every container must request what is limited',
      { cpu: 9000, memory: 9 },
      pod([undefined, { requests: { cpu: '1' } }]),
      'failed quota: q: must specify cpu for: c0; memory for: c0,c1',
    ],
    [
      'init containers, too',
      { 'requests.memory': 9 },
      pod([{ requests: { memory: '1' } }], [undefined]),
      'failed quota: q: must specify requests.memory for: i0',
    ],
    ['a limit is a request', { 'requests.cpu': 9000 }, pod([{ limits: { cpu: '1' } }]), 'room'],
    ['what is not limited need not be said', { pods: 9 }, pod([undefined]), 'room'],
    [
      'what is in items cannot be counted',
      { cpu: 9000 },
      { ...pod([{ requests: { cpu: '1' } }]), fromItems: true },
      'failed quota: q: cannot count what the items of the Job request: cpu',
    ],
  ])('%s', (_name, hard, pods, why) => {
    const used = Object.fromEntries(Object.keys(hard).map((key) => [key, 0]));
    expect(whyOf(decideRoom([quota(hard, used)], [asks({ pods: 1 }, pods)], NOW).answers[0])).toBe(why);
  });
});

describe('what a Job counts for', () => {
  const usage = (wish: JobWish) => {
    const spec = aJob(wish);
    const [main] = spec.manifest.spec.template.spec.containers;
    const resources = { requests: { cpu: '300m', memory: '1Gi' } };
    const template = {
      ...spec.manifest.spec.template,
      spec: { ...spec.manifest.spec.template.spec, containers: main === undefined ? [] : [{ ...main, resources }] },
    };
    const manifest = { ...spec.manifest, spec: { ...spec.manifest.spec, template } };
    return usageOfJob(toJob(spec), manifest, freshStatus(toJob(spec), NOW));
  };

  test.each<[string, JobWish, Partial<Usage>]>([
    [
      'as many Pods as may run at a time',
      { completions: 9, parallelism: 4 },
      { pods: 4, cpu: 2000, memory: 4 * 2 ** 30 },
    ],
    ['no more than are left', { completions: 3, parallelism: 100 }, { pods: 3, cpu: 1500 }],
    ['those of a work queue', { completions: null, completionMode: 'NonIndexed', parallelism: 5 }, { pods: 5 }],
    ['only itself while it is suspended', { completions: 9, suspend: true }, { pods: 0, cpu: 0, memory: 0 }],
    ['what it inherits is done', { completions: 9, parallelism: 9, inherited: '0-6' }, { pods: 2 }],
    ['what it waits for does not matter', { completions: 2, annotations: { 'muster.run/after': 'x' } }, { pods: 2 }],
  ])('%s', (_name, wish, expected) => {
    expect(usage(wish)).toMatchObject({ jobs: 1, ...expected });
  });

  test.each<[string, AskedPods, { cpu: number; memory: number }]>([
    [
      'containers add up',
      pod([{ requests: { cpu: '0.1', memory: '1k' } }, { requests: { cpu: '200m' } }]),
      { cpu: 500, memory: GIB },
    ],
    [
      'of init containers the largest, if it is more',
      pod([{ requests: { cpu: '1' } }], [{ requests: { cpu: '3' } }, { requests: { cpu: '2' } }]),
      { cpu: 4000, memory: 8 * GIB },
    ],
    [
      'the request, not the limit',
      pod([{ requests: { memory: '1Mi' }, limits: { memory: '2Mi', cpu: '1' } }]),
      { cpu: 1000, memory: 2 * GIB },
    ],
    ['next to nothing is the smallest task', pod([{ requests: { cpu: '1n', memory: '1' } }]), SMALLEST],
    ['so is nothing', pod([undefined]), SMALLEST],
    ['a size that fits exactly', pod([{ requests: { cpu: '2', memory: '5Gi' } }]), { cpu: 2000, memory: 5 * GIB }],
    ['much memory brings CPUs', pod([{ requests: { cpu: '1', memory: '9Gi' } }]), { cpu: 2000, memory: 9 * GIB }],
  ])('of a Pod: %s', (_name, { spec }, expected) => {
    const { manifest } = aJob({});
    const template = { ...manifest.spec.template, spec };
    expect(podSize({ spec: { ...manifest.spec, template } })).toEqual(expected);
  });
});

test.each([
  ['pods', '10', '10'],
  ['pods', '1000', '1k'],
  ['cpu', '1500m', '1500m'],
  ['requests.cpu', '2000m', '2'],
  ['limits.cpu', '0.25', '250m'],
  ['memory', '1024Mi', '1Gi'],
  ['requests.memory', '1536Mi', '1536Mi'],
  ['memory', '500M', '500M'],
  ['memory', '0', '0'],
  ['count/jobs.batch', '1e3', '1k'],
  ['count/services', '12', '12'],
] as const)('%s: %s is shown as %s', (key, given, shown) => {
  expect(amountText(key, amountOf(key, given) ?? -1)).toBe(shown);
  expect(amountOf(key, shown)).toBe(amountOf(key, given));
});

test('names of objects are no keys', () => {
  expect(['pods', 'toString', 'nodes', 'count/pods'].map(isQuotaKey)).toEqual([true, false, false, false]);
});
