import type { JobUid } from '../../../domain/base/ids.ts';
import type { PodPlace } from '../../../domain/task/container-usage.ts';
import type { Reads } from '../../../kube/jobs/job-view.ts';
import type { JobScope } from '../../../kube/list/list-page.ts';
import { isGone, podsOf, readAttempt } from '../../../kube/pods/read-pods.ts';
import type { PodObject } from '../../../kube/pods/render-pod.ts';
import type { Measured, Rate } from '../domain/usage-rates.ts';

/** Of a Job with more Pods than this that run, those between the first and the last one are read in one go. */
const SINGLY_MAX = 16;

type OfPod = { readonly place: PodPlace; readonly rates: readonly Rate[] };

/** The Pods whose containers were measured, Job by Job. What is read does not grow with the Pods that have ended. */
export async function* measuredPods(
  { rates }: Measured,
  { namespace }: Pick<JobScope, 'namespace'>,
  reads: Reads,
): AsyncGenerator<{ readonly pod: PodObject; readonly rates: readonly Rate[] }> {
  for (const [uid, pods] of byJob(rates)) {
    const spec = await reads.jobs.readSpec(uid);
    if (spec === null || (namespace !== null && spec.identity.namespace !== namespace)) continue;
    yield* pods.size > SINGLY_MAX ? inOneGo(uid, pods, reads) : oneByOne(uid, pods, reads);
  }
}

const keyOf = ({ index, attempt }: Pick<PodPlace, 'index' | 'attempt'>): string => `${index}:${attempt}`;

function byJob(rates: readonly Rate[]): ReadonlyMap<JobUid, ReadonlyMap<string, OfPod>> {
  const jobs = new Map<JobUid, Map<string, OfPod>>();
  for (const rate of rates) {
    const pods = jobs.get(rate.pod.uid) ?? new Map<string, OfPod>();
    const known = pods.get(keyOf(rate.pod));
    pods.set(keyOf(rate.pod), { place: rate.pod, rates: [...(known?.rates ?? []), rate] });
    jobs.set(rate.pod.uid, pods);
  }
  return jobs;
}

async function* oneByOne(uid: JobUid, pods: ReadonlyMap<string, OfPod>, reads: Reads) {
  for (const { place, rates } of pods.values()) {
    const found = await readAttempt(uid, place.index, place.attempt, reads);
    if (found !== null && found.isListed && !isGone(found.facts)) yield { pod: found.pod, rates };
  }
}

async function* inOneGo(uid: JobUid, pods: ReadonlyMap<string, OfPod>, reads: Reads) {
  const indexes = [...pods.values()].map(({ place }) => place.index).toSorted((a, b) => a - b);
  const [first = 0, last = 0] = [indexes[0], indexes.at(-1)];
  for await (const found of podsOf(uid, { index: first, attempt: 1 }, reads)) {
    if (found.index > last) return;
    const known = pods.get(keyOf(found));
    if (known !== undefined) yield { pod: found.pod, rates: known.rates };
  }
}
