import { describe, expect, test } from 'vitest';
import type { JobManifest } from '../../../shared/domain/manifests/manifest.ts';
import type { Container } from '../../../shared/domain/manifests/pod-spec.ts';
import { RENDERING, fargateSizeOf, mainContainer, taskDefinitionOf } from '../../../shared/domain/task/pod-template.ts';
import { parseQuantity } from '../../../shared/domain/base/quantity.ts';
import { expandVariables, referredVariables } from '../../../shared/domain/base/variable-expansion.ts';

const manifest = (
  containers: readonly Container[],
  initContainers: readonly Container[] = [],
  graceSec = 30,
): JobManifest => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'sums', namespace: 'default' },
  spec: {
    parallelism: 1,
    completions: 1,
    completionMode: 'NonIndexed',
    backoffLimit: 6,
    suspend: false,
    podReplacementPolicy: 'Failed',
    selector: { matchLabels: {} },
    template: {
      metadata: { labels: {} },
      spec: { containers, initContainers, restartPolicy: 'Never', terminationGracePeriodSeconds: graceSec },
    },
  },
});
const needs = (name: string, cpu?: string, memory?: string): Container => ({
  name,
  image: 'i',
  resources: { requests: { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) } },
});
const hash = (text: string) => `h${text.length}`;

describe('taskDefinitionOf', () => {
  test('init containers in a chain, the first container essential, further ones next to it', () => {
    const pod = manifest(
      [
        {
          name: 'main',
          image: 'busybox',
          command: ['echo', '$(GREETING)', '$(date)', '$$(GREETING)'],
          args: ['$(NAME)'],
          workingDir: '/work',
          env: [
            { name: 'NAME', value: 'a' },
            { name: 'NAME', value: 'you' },
            { name: 'GREETING', value: 'hello $(NAME)' },
          ],
        },
        { name: 'side', image: 'side' },
      ],
      [
        { name: 'first', image: 'f' },
        { name: 'second', image: 's' },
      ],
    );
    const { family, ...body } = taskDefinitionOf(pod, { hash });
    expect(family).toBe(`muster-h${JSON.stringify({ rendering: RENDERING, ...body }).length}`);
    expect(body).toMatchObject({
      cpu: 256,
      memoryMib: 512,
      containers: [
        { name: 'first', essential: false, dependsOnSuccess: [] },
        { name: 'second', essential: false, dependsOnSuccess: ['first'] },
        {
          name: 'main',
          image: 'busybox',
          entryPoint: ['echo', 'hello you', '$(date)', '$(GREETING)'],
          command: ['you'],
          workingDirectory: '/work',
          environment: [
            { name: 'NAME', value: 'you' },
            { name: 'GREETING', value: 'hello you' },
          ],
          essential: true,
          dependsOnSuccess: ['second'],
          stopTimeoutSec: 30,
        },
        { name: 'side', essential: false, dependsOnSuccess: ['second'], workingDirectory: null },
      ],
    });
    expect(mainContainer(pod).name).toBe('main');
  });

  test('grace periods end at 120 s, and begin at 2', () => {
    const stopTimeouts = [0, 30, 600].map((graceSec) => {
      const { containers } = taskDefinitionOf(manifest([{ name: 'a', image: 'i' }], [], graceSec), { hash });
      return containers[0]?.stopTimeoutSec;
    });
    expect(stopTimeouts).toEqual([2, 30, 120]);
  });

  test('a Pod ends with its first container, the only essential one', () => {
    const pod = manifest([needs('work'), needs('beside'), needs('third')], [needs('before')]);
    const essential = taskDefinitionOf(pod, { hash }).containers.filter((container) => container.essential);
    expect(essential.map(({ name }) => name)).toEqual(['work']);
    expect(mainContainer(pod).name).toBe('work');
  });

  test('equal templates have one family, whatever the Job is called', () => {
    const one = manifest([needs('a', '1')]);
    const same = { ...one, metadata: { name: 'other', namespace: 'x' } };
    const other = manifest([needs('a', '2')]);
    const text = (m: JobManifest) => taskDefinitionOf(m, { hash: (t) => t }).family;
    expect(text(one)).toBe(text(same));
    expect(text(one)).not.toBe(text(other));
  });
});

describe('the smallest Fargate size', () => {
  test.each<[string, readonly Container[], readonly Container[], string]>([
    ['nothing asked for', [{ name: 'a', image: 'i' }], [], '256/512'],
    ['just a quarter', [needs('a', '250m', '512Mi')], [], '256/512'],
    ['a byte more', [needs('a', '250m', '536870913')], [], '256/1024'],
    ['just above a quarter', [needs('a', '251m')], [], '512/1024'],
    ['decimal megabytes', [needs('a', '100m', '512M')], [], '256/512'],
    ['memory lifts the CPU', [needs('a', '250m', '3Gi')], [], '512/3072'],
    ['a sum that floats', [needs('a', '100m'), needs('b', '200m'), needs('c', '700m')], [], '1024/2048'],
    ['containers add up', [needs('a', '1', '3Gi'), needs('b', '1', '2Gi')], [], '2048/5120'],
    [
      'init containers run alone',
      [needs('a', '250m', '1Gi')],
      [needs('x', '1', '512Mi'), needs('y', '1')],
      '1024/2048',
    ],
    ['steps of 4 GiB', [needs('a', '8', '17Gi')], [], '8192/20480'],
    ['steps of 8 GiB', [needs('a', '16', '33Gi')], [], '16384/40960'],
    ['32 vCPU', [needs('a', '17')], [], '32768/61440'],
    ['the largest', [needs('a', '32', '244Gi')], [], '32768/249856'],
    [
      'a limit of memory counts',
      [
        {
          name: 'a',
          image: 'i',
          resources: { requests: { memory: '1Gi', cpu: '1' }, limits: { memory: '6Gi', cpu: '8' } },
        },
      ],
      [],
      '1024/6144',
    ],
  ])('%s', (_, containers, init, expected) => {
    const size = fargateSizeOf(manifest(containers, init));
    expect(size.kind === 'fits' && `${size.cpu}/${size.memoryMib}`).toBe(expected);
  });

  test('a larger request is a fault with its path and the largest size', () => {
    expect(fargateSizeOf(manifest([needs('a', '1', '245Gi')]))).toEqual({
      kind: 'tooLarge',
      path: 'spec.template.spec.containers',
      message:
        "the Pod needs 1 CPUs and 250880 MiB of memory; Fargate's largest sizes are 16 vCPU with 122880 MiB and 32 vCPU with 249856 MiB",
    });
  });
});

test.each<[string, number | null]>([
  ['500m', 0.5],
  ['1', 1],
  ['.5', 0.5],
  ['1.', 1],
  ['1e3', 1000],
  ['1E3', 1000],
  ['1E', 1e18],
  ['2Ki', 2048],
  ['1k', 1000],
  ['-1', -1],
  ['+1', 1],
  ['', null],
  ['x', null],
  ['1 Gi', null],
  ['1GiB', null],
  ['1K', null],
  ['0x10', null],
  ['1e', null],
])('the quantity %j is %j', (text, expected) => {
  expect(parseQuantity(text)).toBe(expected);
});

test.each([
  ['$(A)', '1'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$1'],
  ['$(B)', '$(B)'],
  ['$(A', '$(A'],
  ['a$', 'a$'],
  ['$A', '$A'],
  ['$$', '$'],
  ['$(A)$(A)', '11'],
  ['$()', '$()'],
  ['$(date +%s)', '$(date +%s)'],
])('%j expands to %j', (text, expected) => {
  expect(expandVariables(text, new Map([['A', '1']]))).toBe(expected);
});

test('escaped references refer to nothing', () => {
  expect(referredVariables('$(A) $$(B) $(C')).toEqual(['A']);
});
