import type { Fate } from '../../../shared/adapters/memory/memory-tasks.ts';
import { ANNOTATIONS } from '../../../shared/domain/manifests/annotations.ts';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import type { Launch } from '../../../shared/ports/tasks.ts';
import { aJob } from '../../support/a-job.ts';
import type { Random } from '../random.ts';
import { DONE, FAILED } from '../world/fates.ts';
import type { Act, Arrangement } from '../world/scenario-events.ts';
import { Users } from '../world/users.ts';
import { START, type World } from '../world/world.ts';

// Jobs that have much to launch and little right to, of which nobody wants the rest at some moment, in calm weather.

const WAYS = ['delete', 'suspend', 'shrink', 'fail', 'deadline', 'start timeout'] as const;
type Way = (typeof WAYS)[number];

export type Recall = { readonly way: Way; readonly afterMs: number };

export const recallByLuck = (random: Random): Recall => ({
  way: random.pick(WAYS),
  afterMs: random.between(1_000, 12_000),
});

/** More than is launched by then. */
export function recalledJob(uid: string, { way, afterMs }: Recall, launchesPerSec: number, random: Random): StoredSpec {
  const completions = Math.ceil((launchesPerSec * afterMs) / 1_000) + random.between(5, 6 * launchesPerSec);
  const stored = aJob({
    uid,
    name: 'work',
    createdAt: START,
    completions,
    parallelism: completions,
    backoffLimit: way === 'fail' ? 0 : 2_147_483_647,
  });
  const { manifest } = stored;
  const spec = {
    ...manifest.spec,
    ...(way === 'deadline' ? { activeDeadlineSeconds: Math.ceil(afterMs / 1_000) } : {}),
  };
  const annotations = way === 'start timeout' ? { [ANNOTATIONS.startTimeout]: String(random.between(1, 5)) } : {};
  return { ...stored, manifest: { ...manifest, metadata: { ...manifest.metadata, annotations }, spec } };
}

/** Tasks run on when nobody wants them any more; where one is to fail the Job, the first does. */
export function recalledFate({ way, afterMs }: Recall, { id }: Launch, luck: Random): Fate {
  const plain = { startMs: luck.between(1, 1_000), runMs: luck.between(30_000, 90_000), stopMs: 500, ending: DONE };
  return way === 'fail' && id.index === 0 ? { ...plain, runMs: afterMs, ending: FAILED } : plain;
}

/** After which what was suspended or shrunk goes on. */
const AGAIN_MS = 25_000;

/** What its user does. */
export function arrangeRecall(
  { identity: { uid }, manifest: { spec } }: StoredSpec,
  { way, afterMs }: Recall,
  { world, did }: { readonly world: World; readonly did: (act: Act) => void },
): Arrangement {
  const users = new Users(world);
  const setParallelism = (parallelism: number): void =>
    users.changeManifest(uid, `sets parallelism to ${parallelism}`, (now) => ({ ...now, parallelism }));
  const plans: { readonly atMs: number; readonly act: Act | null; readonly happen: () => void }[] = [];
  if (way === 'delete') plans.push({ atMs: afterMs, act: 'deleted', happen: () => users.delete(uid, 'Background') });
  if (way === 'suspend') {
    plans.push({ atMs: afterMs, act: 'suspended', happen: () => users.suspend(uid) });
    plans.push({ atMs: afterMs + AGAIN_MS, act: null, happen: () => users.resume(uid) });
  }
  if (way === 'shrink') {
    plans.push({ atMs: afterMs, act: 'parallelism changed', happen: () => setParallelism(1) });
    plans.push({ atMs: afterMs + AGAIN_MS, act: null, happen: () => setParallelism(spec.parallelism) });
  }
  for (const { atMs, act, happen } of plans)
    world.schedule(asEpochMs(START + atMs), () => {
      if (act !== null) did(act);
      happen();
    });
  return { over: START + afterMs + AGAIN_MS + 1, count: plans.length };
}
