import { takesResources } from '../../domain/items/job-items.ts';
import { type Asked, decideRoom } from '../../domain/quota/decide-room.ts';
import type { Wish } from '../../domain/quota/quota.ts';
import { NO_USAGE, beyond, isNothing, usageOfJob } from '../../domain/quota/usage.ts';
import { type Status, freshStatus } from '../../domain/scoreboard/status.ts';
import type { OverQuota, SeenJob } from '../../ports/job-commands.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { toJob } from '../../store/to-job.ts';
import type { Deps } from '../process/deps.ts';
import { readQuotas } from './count-namespace.ts';
import { NO_ROOM_TAKEN, type Room, reserveRoom } from './room.ts';

/** Reserves what a new Job counts for. `status`: with which it is to be stored. */
export const reserveForNew = async (spec: StoredSpec, status: Status, deps: Deps): Promise<Room> =>
  reserveRoom(spec.identity.namespace, wishOfNew(spec, status), spec.manifest, NO_ROOM_TAKEN, deps);

/**
 * Reserves what a Job counts for after a change beyond what it counts for now. `seen`: the state on which the change is to be
 * committed, and no other, because what is left of a Job shrinks with every success.
 *
 * @param held what an earlier try of the same change has reserved
 */
export async function reserveForChange(seen: SeenJob, spec: StoredSpec, held: Room, deps: Deps): Promise<Room> {
  const { uid, namespace } = spec.identity;
  const before = usageOfJob(toJob(seen.spec), seen.spec.manifest, seen.status);
  const want = usageOfJob(toJob(spec), spec.manifest, seen.status);
  if (isNothing(beyond(want, before))) return held;
  return reserveRoom(namespace, { uid, revision: spec.revision, want, before }, spec.manifest, held, deps);
}

/** Why a new Job would be refused now; null: there is room. Nothing is reserved. */
export const tryRoom = async (spec: StoredSpec, deps: Deps): Promise<OverQuota | null> =>
  whyFull(
    spec.identity.namespace,
    {
      wish: wishOfNew(spec, freshStatus(toJob(spec), deps.clock.now())),
      pods: { spec: spec.manifest.spec.template.spec, fromItems: takesResources(spec.manifest) },
      numbers: new Map(),
    },
    deps,
  );

/** Why a change would be refused now; null: there is room. Nothing is reserved. */
export async function whyFull(namespace: string, asked: Asked, deps: Deps): Promise<OverQuota | null> {
  const quotas = (await readQuotas(namespace, deps)).map(({ quota }) => quota);
  const [answer] = decideRoom(quotas, [asked], deps.clock.now()).answers;
  return answer === undefined || answer.kind === 'room' ? null : { kind: 'forbidden', why: answer.why };
}

const wishOfNew = (spec: StoredSpec, status: Status): Wish => ({
  uid: spec.identity.uid,
  revision: spec.revision,
  want: usageOfJob(toJob(spec), spec.manifest, status),
  before: NO_USAGE,
});
