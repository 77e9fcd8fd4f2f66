import { takesResources } from '../../../domain/items/job-items.ts';
import { type Asked, decideRoom } from '../domain/decide-room.ts';
import type { Wish } from '../domain/quota.ts';
import { NO_USAGE, beyond, isNothing, usageOfJob } from '../domain/usage.ts';
import type { Status } from '../../../domain/scoreboard/status.ts';
import type { NotAllowed, SeenJob } from '../../../ports/job-commands.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import { toJob } from '../../../store/to-job.ts';
import type { Deps } from '../../../control/process/deps.ts';
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
  const wish = wishOfChange(seen, spec);
  if (isNothing(beyond(wish.want, wish.before))) return held;
  return reserveRoom(spec.identity.namespace, wish, spec.manifest, held, deps);
}

/** Why {@link reserveForNew} would refuse a new Job now; null: there is room. Nothing is reserved. */
export const tryRoom = async (spec: StoredSpec, status: Status, deps: Deps): Promise<NotAllowed | null> =>
  whyFull(
    spec.identity.namespace,
    {
      wish: wishOfNew(spec, status),
      pods: podsOf(spec),
      numbers: new Map(),
    },
    deps,
  );

/** Why a change would be refused now; null: there is room, or it takes none. Nothing is reserved. */
export async function tryRoomForChange(seen: SeenJob, spec: StoredSpec, deps: Deps): Promise<NotAllowed | null> {
  const wish = wishOfChange(seen, spec);
  if (isNothing(beyond(wish.want, wish.before))) return null;
  return whyFull(spec.identity.namespace, { wish, pods: podsOf(spec), numbers: new Map() }, deps);
}

/** Why something would be refused now; null: there is room. Nothing is reserved. */
export async function whyFull(namespace: string, asked: Asked, deps: Deps): Promise<NotAllowed | null> {
  const quotas = (await readQuotas(namespace, deps)).map(({ quota }) => quota);
  const [answer] = decideRoom(quotas, [asked], deps.clock.now()).answers;
  return answer === undefined || answer.kind === 'room' ? null : { kind: 'forbidden', why: answer.why };
}

const podsOf = ({ manifest }: StoredSpec): Asked['pods'] => ({
  spec: manifest.spec.template.spec,
  fromItems: takesResources(manifest),
});

const wishOfChange = (seen: SeenJob, spec: StoredSpec): Wish => ({
  uid: spec.identity.uid,
  revision: spec.revision,
  want: usageOfJob(toJob(spec), spec.manifest, seen.status),
  before: usageOfJob(toJob(seen.spec), seen.spec.manifest, seen.status),
});

const wishOfNew = (spec: StoredSpec, status: Status): Wish => ({
  uid: spec.identity.uid,
  revision: spec.revision,
  want: usageOfJob(toJob(spec), spec.manifest, status),
  before: NO_USAGE,
});
