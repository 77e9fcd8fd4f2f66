import type { Fate } from '../../../shared/adapters/memory/memory-tasks.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { jobNameOfPod } from '../../../shared/domain/manifests/bare-pod.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import type { Launch } from '../../../shared/ports/tasks.ts';
import { admitPod } from '../../../shared/schema/bare-pod/admit-pod.ts';
import { aJob } from '../../support/a-job.ts';
import type { Random } from '../random.ts';
import { DONE, FAILED, noTask } from '../world/fates.ts';
import { START } from '../world/world.ts';

/** With time to end by itself, or none. */
export type Way = 'with grace' | 'at once';

/** A bare Pod, and what becomes of it. */
export type SeedPod = {
  readonly spec: StoredSpec;
  readonly name: string;
  /** As its document says. */
  readonly restartPolicy: 'Never' | 'OnFailure';
  /** So long after it is made, and how, the first time and each further time; null: it stays. */
  readonly deletion: { readonly afterMs: number; readonly ways: readonly Way[] } | null;
  /** Its program goes on until it is stopped. */
  readonly hangs: boolean;
};

/** One name is that of a Job, too. */
const NAMES = ['work', 'shell', 'a.b'] as const;

/** Pods of a few names, of each name one after the other. All but the last are deleted. */
export const podsByLuck = (seed: number, random: Random): readonly (readonly SeedPod[])[] =>
  NAMES.map((name) => {
    const count = random.between(2, 4);
    return Array.from({ length: count }, (_, nth) => {
      const uid = `sim-${seed}-${name}-${nth}`;
      const restartPolicy = random.pick(['Never', 'OnFailure'] as const);
      const isDeleted = nth < count - 1 || random.chance(0.4);
      const deletion = {
        afterMs: random.between(0, random.pick([2_000, 60_000, 200_000])),
        ways: random.pick<readonly Way[]>([['with grace'], ['with grace'], ['at once'], ['with grace', 'at once']]),
      };
      return {
        spec: podOf(uid, name, restartPolicy),
        name,
        restartPolicy,
        deletion: isDeleted ? deletion : null,
        hangs: isDeleted && random.chance(0.2),
      };
    });
  });

/** As the API admits it. */
function podOf(uid: string, name: string, restartPolicy: SeedPod['restartPolicy']): StoredSpec {
  const container = { name: 'main', image: 'busybox', command: ['true'] };
  const admission = admitPod(
    { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { restartPolicy, containers: [container] } },
    { namespace: 'default', uid, nameSuffix: 'abcde', fieldValidation: 'Strict' },
  );
  if (admission.kind !== 'ok') throw new Error(`the Pod ${name} is not admitted`);
  const identity = { uid: asJobUid(uid), namespace: 'default', name: jobNameOfPod(name), createdAt: START };
  return { identity, revision: 1, generation: 1, manifest: admission.manifest };
}

export const jobsByLuck = (seed: number, random: Random): readonly StoredSpec[] =>
  ['work', 'beside'].slice(0, random.between(1, 2)).map((name) =>
    aJob({
      uid: `sim-${seed}-job-${name}`,
      name,
      createdAt: START,
      completions: random.between(1, 4),
      parallelism: 2,
      backoffLimit: 1_000,
    }),
  );

/** Tasks of Pods end in each way there is; those of Jobs mostly well. */
export function fateByLuck(pods: readonly SeedPod[]): (launch: Launch, luck: Random) => Fate {
  const hanging = new Set(pods.flatMap(({ hangs, spec }) => (hangs ? [spec.identity.uid] : [])));
  const ofPods = new Set(pods.map(({ spec }) => spec.identity.uid));
  return ({ job: { uid } }, luck) => {
    const end = luck.next();
    const ending = !ofPods.has(uid)
      ? end < 1 / 8
        ? FAILED
        : DONE
      : end < 0.35
        ? DONE
        : end < 0.7
          ? FAILED
          : noTask(luck.pick(['Spot', 'Spot', 'Infrastructure', 'StartFailed', 'Unplaced', 'Stopped'] as const));
    const runMs = luck.between(100, luck.pick([5_000, 60_000]));
    return {
      startMs: luck.between(100, 10_000),
      runMs: hanging.has(uid) ? Number.POSITIVE_INFINITY : runMs,
      stopMs: luck.pick([500, 20_000]),
      ending,
    };
  };
}
