import { jobIn, manifestIn } from '../fixtures/typical-manifests.ts';
import { type Kube, type Pod, JOBS, indexOf } from './kube-calls.ts';

const IN_DEFAULT = '/api/v1/namespaces/default';

/** Where objects of a kind are made. */
const PLACES: Readonly<Record<string, string>> = {
  ConfigMap: `${IN_DEFAULT}/configmaps`,
  Secret: `${IN_DEFAULT}/secrets`,
  ServiceAccount: `${IN_DEFAULT}/serviceaccounts`,
  PersistentVolume: '/api/v1/persistentvolumes',
  PersistentVolumeClaim: `${IN_DEFAULT}/persistentvolumeclaims`,
  CronJob: '/apis/batch/v1/namespaces/default/cronjobs',
  Job: JOBS,
};

/** Makes objects, in this order. */
export async function makeAll(kube: Kube, objects: readonly object[]): Promise<void> {
  for (const object of objects) {
    const { kind } = object as { readonly kind: string };
    const { status, text } = await kube.ask('POST', PLACES[kind] ?? kind, object);
    if (status >= 300) throw new Error(`${JSON.stringify(object)}: ${status} ${text}`);
  }
}

/**
 * Applies a typical manifest. Of a CronJob, a Job is made at once, as `kubectl create job --from` does.
 *
 * @param change what is written otherwise here
 */
export async function submitTypical(
  kube: Kube,
  name: string,
  change = (manifest: object): object => manifest,
): Promise<void> {
  const manifest = manifestIn(name);
  await makeAll(kube, manifest.kind === 'Job' ? [change(jobIn(name))] : [change(manifest), change(jobIn(name))]);
}

/** The Pods of a Job that succeeded, by index; those of a Job without indexes as index 0. */
export async function podsByIndex(kube: Kube, job: string): Promise<readonly (readonly [number, Pod])[]> {
  const pods = await kube.pods(job);
  return pods
    .filter(({ status }) => status.phase === 'Succeeded')
    .map((pod) => {
      const index = indexOf(pod);
      return [Number.isNaN(index) ? 0 : index, pod] as const;
    });
}
