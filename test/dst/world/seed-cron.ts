import { CRON_JOB_ANNOTATIONS } from '../../../shared/capabilities/schedules/annotations/index.ts';
import type { CronJobManifest } from '../../../shared/capabilities/schedules/domain/cron-manifest.ts';
import { admitCronJob } from '../../../shared/capabilities/schedules/schema/cron-admission.ts';
import type { Random } from '../random.ts';

/** The CronJob of one seed. */
export type SeedCron = {
  readonly uid: string;
  readonly manifest: CronJobManifest;
  readonly jitterSec: number;
  /** Somebody suspends it, and resumes it; another deletes its Jobs, or creates one for it. */
  readonly acts: readonly { readonly afterMs: number; readonly kind: CronAct }[];
};
export type CronAct = 'suspended' | 'resumed' | 'a Job deleted' | 'a Job by hand';

export const CRON_KEY = { namespace: 'default', name: 'tick' };

export function cronByLuck(seed: number, random: Random): SeedCron {
  const jitterSec = random.pick([0, 0, 0, 20]);
  const deadline = random.pick([null, null, 30, 300]);
  const catchUp = random.pick(['last', 'last', 'all', 'none']);
  const document = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: {
      name: CRON_KEY.name,
      annotations: {
        [CRON_JOB_ANNOTATIONS.catchUp.key]: catchUp,
        [CRON_JOB_ANNOTATIONS.jitterSeconds.key]: String(jitterSec),
      },
    },
    spec: {
      schedule: random.pick(['* * * * *', '* * * * *', '*/2 * * * *', '*/3 * * * *']),
      concurrencyPolicy: random.pick(['Allow', 'Forbid', 'Forbid', 'Replace']),
      ...(deadline === null ? {} : { startingDeadlineSeconds: deadline }),
      successfulJobsHistoryLimit: random.between(0, 3),
      failedJobsHistoryLimit: random.between(0, 1),
      jobTemplate: {
        spec: {
          completions: random.between(1, 2),
          completionMode: 'Indexed',
          backoffLimit: random.between(0, 1),
          template: {
            spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['true'] }] },
          },
        },
      },
    },
  };
  const uid = `cron-${seed}`;
  const admission = admitCronJob(document, {
    namespace: CRON_KEY.namespace,
    uid,
    nameSuffix: '',
    fieldValidation: 'Strict',
  });
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  return { uid, manifest: admission.manifest, jitterSec, acts: actsByLuck(random) };
}

function actsByLuck(random: Random): SeedCron['acts'] {
  const acts: { afterMs: number; kind: CronAct }[] = [];
  const within = (): number => random.between(30_000, STORM_MIN * 60_000);
  for (let n = random.between(0, 4); n > 0; n--) {
    const afterMs = within();
    acts.push({ afterMs, kind: 'suspended' }, { afterMs: afterMs + random.between(1_000, 240_000), kind: 'resumed' });
  }
  for (let n = random.between(0, 2); n > 0; n--) acts.push({ afterMs: within(), kind: 'a Job deleted' });
  if (random.chance(0.3)) acts.push({ afterMs: within(), kind: 'a Job by hand' });
  return acts;
}

/** How long faults strike a CronJob. */
export const STORM_MIN = 20;
/** Repairs are through by then, and what waited has been caught up with. */
export const CRON_REPAIRED_MS = 10 * 60_000;
export const CRON_CALM_MS = 8 * 60_000;
