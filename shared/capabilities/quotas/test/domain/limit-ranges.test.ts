import { describe, expect, test } from 'vitest';
import { formatOf, parseQuantity, quantityText } from '../../../../domain/base/quantity.ts';
import { LIMIT_RANGER, withLimitDefaults } from '../../domain/limit-defaults.ts';
import { type LimitItem, type LimitRange, withDefaultLimits } from '../../domain/limit-range.ts';
import { limitViolation, limitedBy } from '../../domain/limit-violation.ts';
import type { PodTemplate } from '../../../../domain/manifests/manifest.ts';
import type { Container } from '../../../../domain/manifests/pod-spec.ts';

type Has = Container['resources'];

const range = (...limits: readonly LimitItem[]): LimitRange => ({ name: 'limits', limits });
const container = (name: string, resources: Has): Container => ({
  name,
  image: 'busybox',
  ...(resources === undefined ? {} : { resources }),
});
const template = (containers: readonly Has[], initContainers: readonly Has[] = []): PodTemplate => ({
  metadata: { labels: {} },
  spec: {
    containers: containers.map((each, i) => container(`foo-${i}`, each)),
    ...(initContainers.length === 0
      ? {}
      : { initContainers: initContainers.map((each, i) => container(`init-${i}`, each)) }),
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 30,
  },
});
const list = (cpu = '', memory = '') => ({ ...(cpu === '' ? {} : { cpu }), ...(memory === '' ? {} : { memory }) });
const requests = (cpu = '', memory = ''): Has => ({ requests: list(cpu, memory) });
const limits = (cpu = '', memory = ''): Has => ({ limits: list(cpu, memory) });
const both = (request: object, limit: object): Has => ({ requests: request, limits: limit });

/** Upstream's `validLimitRange`. */
const VALID = range(
  { type: 'Pod', max: list('200m', '4Gi'), min: list('50m', '2Mi') },
  {
    type: 'Container',
    max: list('100m', '2Gi'),
    min: list('25m', '1Mi'),
    default: list('75m', '10Mi'),
    defaultRequest: list('50m', '5Mi'),
  },
);

describe('what a LimitRange fills in', () => {
  test.each<[string, Has, Has, string | undefined]>([
    [
      'everything',
      undefined,
      both(list('50m', '5Mi'), list('75m', '10Mi')),
      'LimitRanger plugin set: cpu, memory request for container foo-0; cpu, memory limit for container foo-0',
    ],
    [
      'what is missing',
      requests('', '512Mi'),
      both(list('50m', '512Mi'), list('75m', '10Mi')),
      'LimitRanger plugin set: cpu request for container foo-0; cpu, memory limit for container foo-0',
    ],
    [
      'no request where there is a limit, which counts as both',
      limits('60m'),
      both(list('', '5Mi'), list('60m', '10Mi')),
      'LimitRanger plugin set: memory request for container foo-0; memory limit for container foo-0',
    ],
    [
      'nothing',
      both(list('100m', '512Mi'), list('200m', '1G')),
      both(list('100m', '512Mi'), list('200m', '1G')),
      undefined,
    ],
  ])('%s', (_, has, expected, said) => {
    const filled = withLimitDefaults(template([has]), [VALID]);
    expect(filled.spec.containers[0]?.resources).toEqual(expected);
    expect(filled.metadata.annotations?.[LIMIT_RANGER]).toBe(said);
  });

  test('is for each container, and the template is the same if there is nothing', () => {
    const filled = withLimitDefaults(template([undefined, requests('1', '1Gi')], [undefined]), [VALID]);
    expect(filled.metadata.annotations?.[LIMIT_RANGER]).toBe(
      'LimitRanger plugin set: cpu, memory request for container foo-0; cpu, memory limit for container foo-0; cpu, memory limit for container foo-1; cpu, memory request for init container init-0; cpu, memory limit for init container init-0',
    );
    const plain = template([undefined]);
    expect(withLimitDefaults(plain, [range({ type: 'Pod', max: list('1') })])).toBe(plain);
  });

  test('comes from the first of several that says something of a resource', () => {
    const [first, second] = [list('100m'), list('200m', '1Gi')].map((each) =>
      range({ type: 'Container', defaultRequest: each }),
    );
    const filled = withLimitDefaults(template([undefined]), [first!, second!]);
    expect(filled.spec.containers[0]?.resources).toEqual(requests('100m', '1Gi'));
  });
});

test.each<[string, LimitItem, LimitItem]>([
  [
    'max, as the limit and the request',
    { type: 'Container', max: list('2') },
    { type: 'Container', max: list('2'), default: list('2'), defaultRequest: list('2') },
  ],
  [
    'a limit, as the request',
    { type: 'Container', default: list('1') },
    { type: 'Container', default: list('1'), defaultRequest: list('1') },
  ],
  [
    'min, as the request',
    { type: 'Container', min: list('', '1Gi') },
    { type: 'Container', min: list('', '1Gi'), defaultRequest: list('', '1Gi') },
  ],
  [
    'nothing where it is said',
    { type: 'Container', max: list('4'), min: list('1'), default: list('3'), defaultRequest: list('2') },
    { type: 'Container', max: list('4'), min: list('1'), default: list('3'), defaultRequest: list('2') },
  ],
  ['nothing for a Pod', { type: 'Pod', max: list('2') }, { type: 'Pod', max: list('2') }],
])('a LimitRange has as defaults %s', (_, item, expected) => {
  expect(withDefaultLimits(item)).toEqual(expected);
});

/** One item; and Pods of so many equal containers. */
const why = (item: LimitItem, has: Has, containers = 1): string | null =>
  limitViolation(template(Array.from({ length: containers }, () => has)).spec, [range(item)]);

const C = 'Container';
const P = 'Pod';

describe('what is within the limits (TestPodLimitFunc)', () => {
  test.each<[string, LimitItem, Has, number]>([
    ['ctr-min-cpu-request', { type: C, min: list('50m') }, requests('100m'), 1],
    ['ctr-min-cpu-request-limit', { type: C, min: list('50m') }, both(list('100m'), list('200m')), 1],
    ['ctr-min-memory-request', { type: C, min: list('', '50Mi') }, requests('', '60Mi'), 1],
    ['ctr-min-memory-request-limit', { type: C, min: list('', '50Mi') }, both(list('', '60Mi'), list('', '100Mi')), 1],
    ['ctr-max-cpu-request-limit', { type: C, max: list('2') }, both(list('500m'), list('1')), 1],
    ['ctr-max-cpu-limit', { type: C, max: list('2') }, limits('1'), 1],
    ['ctr-max-mem-request-limit', { type: C, max: list('', '1Gi') }, both(list('', '250Mi'), list('', '500Mi')), 1],
    ['ctr-max-cpu-ratio', { type: C, maxLimitRequestRatio: list('1.5') }, both(list('500m'), list('750m')), 1],
    ['ctr-max-mem-limit', { type: C, max: list('', '1Gi') }, limits('', '500Mi'), 1],
    ['pod-min-cpu-request', { type: P, min: list('100m') }, requests('75m'), 2],
    ['pod-min-cpu-request-limit', { type: P, min: list('100m') }, both(list('75m'), list('200m')), 2],
    ['pod-min-memory-request', { type: P, min: list('', '100Mi') }, requests('', '60Mi'), 2],
    ['pod-max-cpu-request-limit', { type: P, max: list('2') }, both(list('500m'), list('1')), 2],
    ['pod-max-cpu-limit', { type: P, max: list('2') }, limits('1'), 2],
    ['pod-max-mem-request-limit', { type: P, max: list('', '1Gi') }, both(list('', '250Mi'), list('', '500Mi')), 2],
    [
      'pod-max-mem-ratio',
      { type: P, max: list('', '2Gi'), maxLimitRequestRatio: list('', '1.5') },
      both(list('', '300Mi'), list('', '450Mi')),
      3,
    ],
    ['0.1 + 0.2 is 0.3', { type: P, max: list('300m') }, both(list('0.1'), list('0.15')), 2],
  ])('%s', (_, item, has, containers) => {
    expect(why(item, has, containers)).toBeNull();
  });
});

describe('what is outside of them, in the words of a cluster', () => {
  test.each<[string, LimitItem, Has, number, string]>([
    [
      'ctr-min-cpu-request',
      { type: C, min: list('50m') },
      requests('40m'),
      1,
      'minimum cpu usage per Container is 50m, but request is 40m',
    ],
    [
      'ctr-min-cpu-request-limit',
      { type: C, min: list('50m') },
      both(list('40m'), list('200m')),
      1,
      'minimum cpu usage per Container is 50m, but request is 40m',
    ],
    [
      'ctr-min-cpu-limit',
      { type: C, min: list('50m') },
      both(list('60m'), list('40m')),
      1,
      'minimum cpu usage per Container is 50m, but limit is 40m',
    ],
    [
      'ctr-min-cpu-no-request-limit',
      { type: C, min: list('50m') },
      undefined,
      1,
      'minimum cpu usage per Container is 50m.  No request is specified',
    ],
    [
      'ctr-min-memory-request',
      { type: C, min: list('', '50Mi') },
      requests('', '40Mi'),
      1,
      'minimum memory usage per Container is 50Mi, but request is 40Mi',
    ],
    [
      'ctr-max-cpu-request-limit',
      { type: C, max: list('2') },
      both(list('500m'), list('2500m')),
      1,
      'maximum cpu usage per Container is 2, but limit is 2500m',
    ],
    [
      'ctr-max-cpu-request',
      { type: C, max: list('2') },
      both(list('3'), list('1')),
      1,
      'maximum cpu usage per Container is 2, but request is 3',
    ],
    [
      'ctr-max-cpu-no-request-limit',
      { type: C, max: list('2') },
      requests('1'),
      1,
      'maximum cpu usage per Container is 2.  No limit is specified',
    ],
    [
      'ctr-max-cpu-ratio',
      { type: C, maxLimitRequestRatio: list('1') },
      both(list('1250m'), list('2500m')),
      1,
      'cpu max limit to request ratio per Container is 1, but provided ratio is 2.000000',
    ],
    [
      'ctr-ratio-no-request',
      { type: C, maxLimitRequestRatio: list('1.5') },
      undefined,
      1,
      'cpu max limit to request ratio per Container is 1500m, but no request is specified or request is 0',
    ],
    [
      'ctr-ratio-no-limit',
      { type: C, maxLimitRequestRatio: list('2') },
      requests('1'),
      1,
      'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
    ],
    [
      'ctr-max-mem-request-limit',
      { type: C, max: list('', '1Gi') },
      both(list('', '250Mi'), list('', '2Gi')),
      1,
      'maximum memory usage per Container is 1Gi, but limit is 2Gi',
    ],
    [
      'pod-min-cpu-request',
      { type: P, min: list('100m') },
      requests('20m'),
      2,
      'minimum cpu usage per Pod is 100m, but request is 40m',
    ],
    [
      'pod-max-cpu-limit',
      { type: P, max: list('2') },
      limits('1200m'),
      2,
      'maximum cpu usage per Pod is 2, but limit is 2400m',
    ],
    [
      'pod-max-mem-limit',
      { type: P, max: list('', '2Gi') },
      limits('', '1100Mi'),
      2,
      'maximum memory usage per Pod is 2Gi, but limit is 2200Mi',
    ],
    [
      'pod-max-mem-ratio',
      { type: P, maxLimitRequestRatio: list('', '1.5') },
      both(list('', '250Mi'), list('', '500Mi')),
      3,
      'memory max limit to request ratio per Pod is 1500m, but provided ratio is 2.000000',
    ],
    [
      'storage',
      { type: C, max: { 'ephemeral-storage': '30Gi' } },
      { limits: { 'ephemeral-storage': '40Gi' } },
      1,
      'maximum ephemeral-storage usage per Container is 30Gi, but limit is 40Gi',
    ],
    [
      'several',
      { type: C, max: list('500m', '512Mi') },
      limits('600m', '600Mi'),
      1,
      '[maximum cpu usage per Container is 500m, but limit is 600m, maximum memory usage per Container is 512Mi, but limit is 600Mi]',
    ],
    [
      'the same of several containers, once',
      { type: C, max: list('2') },
      limits('3'),
      2,
      'maximum cpu usage per Container is 2, but limit is 3',
    ],
  ])('%s', (_, item, has, containers, expected) => {
    expect(why(item, has, containers)).toBe(expected);
  });

  test('init containers are checked, and a Pod is as large as its largest moment', () => {
    const withInit = template([limits('1')], [limits('3')]).spec;
    expect(limitViolation(withInit, [range({ type: C, max: list('2') })])).toBe(
      'maximum cpu usage per Container is 2, but limit is 3',
    );
    expect(limitViolation(withInit, [range({ type: P, max: list('2') })])).toBe(
      'maximum cpu usage per Pod is 2, but limit is 3',
    );
    expect(limitViolation(withInit, [range({ type: P, max: list('3') })])).toBeNull();
  });

  test('of several LimitRanges, the first that is not kept says why', () => {
    const ranges = [
      range({ type: C, max: list('4') }),
      range({ type: C, max: list('2') }),
      range({ type: C, max: list('1') }),
    ];
    expect(limitViolation(template([limits('3')]).spec, ranges)).toBe(
      'maximum cpu usage per Container is 2, but limit is 3',
    );
  });

  test('what only has a default is not limited', () => {
    expect(limitedBy([range({ type: C, default: list('1'), max: list('', '1Gi') })])).toEqual(['memory']);
  });
});

test.each([
  ['1000m', '1'],
  ['0.5', '500m'],
  ['2500m', '2500m'],
  ['2048Mi', '2Gi'],
  ['1500Mi', '1500Mi'],
  ['1000', '1k'],
  ['1G', '1G'],
  ['512Ki', '512Ki'],
  ['0', '0'],
  ['0.5Ki', '512'],
  ['1.5Gi', '1536Mi'],
])('a cluster writes %s as %s', (written, shown) => {
  expect(quantityText(parseQuantity(written)!, formatOf(written))).toBe(shown);
});
