import { expect, test } from 'vitest';
import { tmpfsOf } from '../../../shared/domain/task/volumes/memory-volumes.ts';

const MAIN = { name: 'main', image: 'i', volumeMounts: [{ name: 'fast', mountPath: '/fast' }] };

/** What a task of 512 MiB gives to a volume in memory. */
const sizeOf = (sizeLimit?: string, memory?: string): number | undefined =>
  tmpfsOf(
    { ...MAIN, ...(memory === undefined ? {} : { resources: { limits: { memory } } }) },
    {
      containers: [],
      volumes: [{ name: 'fast', emptyDir: { medium: 'Memory', ...(sizeLimit === undefined ? {} : { sizeLimit }) } }],
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 30,
    },
    512,
  )[0]?.sizeMib;

test.each([
  ['64Mi', undefined, 64],
  ['64M', undefined, 62], // 61.04 MiB
  ['1', undefined, 1],
  // As Kubernetes has it, not more than what its writer may have.
  ['64Mi', '32Mi', 32],
  ['1Gi', undefined, 512],
  ['1Gi', '2Gi', 512],
  // 0 is no limit to Kubernetes.
  ['0', '100Mi', 100],
  [undefined, '100Mi', 100],
  [undefined, undefined, 512],
])('a sizeLimit of %s and a memory limit of %s make %d MiB', (sizeLimit, memory, mib) => {
  expect(sizeOf(sizeLimit, memory)).toBe(mib);
});

test('what is on disk is no tmpfs', () => {
  const spec = { containers: [], restartPolicy: 'Never', terminationGracePeriodSeconds: 30 } as const;
  expect(tmpfsOf(MAIN, { ...spec, volumes: [{ name: 'fast', emptyDir: {} }] }, 512)).toEqual([]);
});
