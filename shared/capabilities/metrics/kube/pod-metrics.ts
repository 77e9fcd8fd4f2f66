import type { PodObject } from '../../../kube/pods/render-pod.ts';
import { asTime } from '../../../domain/base/time.ts';
import type { Measured, Rate } from '../domain/usage-rates.ts';

const KIB = 1024;

/** A Pod as `metrics.k8s.io` shows it (`PodMetrics`), with the containers that run. */
export function podMetrics(
  { metadata: { name, namespace, labels } }: PodObject,
  rates: readonly Rate[],
  { atMs, windowMs }: Measured,
) {
  const at = asTime(atMs);
  return {
    kind: 'PodMetrics',
    apiVersion: 'metrics.k8s.io/v1beta1',
    metadata: { name, namespace, creationTimestamp: at, ...(labels === undefined ? {} : { labels }) },
    timestamp: at,
    window: `${windowMs / 1000}s`,
    containers: rates.map(({ container, cpuNanoCores, memoryBytes }) => ({
      name: container,
      usage: { cpu: `${cpuNanoCores}n`, memory: `${Math.ceil(memoryBytes / KIB)}Ki` },
    })),
  };
}
