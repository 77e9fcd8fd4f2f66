import type { Deps } from '../../../shared/control/process/deps.ts';
import { createPublisher } from '../../../shared/control/process/publisher.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { freshNamespace, terminating } from '../../../shared/domain/manifests/namespace.ts';
import { isHidden } from '../../../shared/domain/scoreboard/status.ts';
import type { StoredDocument, StoredKind } from '../../../shared/ports/object-store.ts';
import type { JobWish } from '../../support/a-job.ts';
import { openNamespace } from '../../support/a-namespace.ts';
import { Stage } from '../../support/a-stage.ts';

export const TEAM = { namespace: '', name: 'team' };
export const PLENTY = { deletions: 1_000, ms: 60_000 };

/** An object of any kind. */
export const anObject = (finalizers?: readonly string[]): StoredDocument => ({
  metadata: { uid: 'cron', ...(finalizers === undefined ? {} : { finalizers }) },
});

/** Requests the deletion of the namespace, as DELETE does before anything is deleted. Synchronous in memory. */
export const mark = (stage: Stage, was = 1) =>
  stage.store.objects.commit('Namespace', {
    key: TEAM,
    was,
    document: terminating(freshNamespace('team', 'u', stage.time), stage.time),
  });

/** A stage with a namespace `team` of some Jobs, each with two running tasks, and two objects of a kind. */
export async function aTeam(
  kind: StoredKind,
  jobs = 3,
  wish: JobWish = {},
): Promise<{ readonly stage: Stage; readonly uids: readonly JobUid[] }> {
  const stage = new Stage();
  const uids: JobUid[] = [];
  for (let nth = 0; nth < jobs; nth++) {
    const id = `00000000-0000-4000-8000-00000000000${nth}`;
    uids.push(
      await stage.job({ ...wish, namespace: 'team', name: `job-${nth}`, uid: id, completions: 2, parallelism: 2 }),
    );
  }
  await openNamespace(stage.store.objects, 'team');
  for (const name of ['a', 'b'])
    await stage.store.objects.commit(kind, { key: { namespace: 'team', name }, was: 0, document: anObject() });
  await stage.settle();
  stage.advance(2_000);
  await stage.settle();
  return { stage, uids };
}

/** What remains of the team in the store. */
export async function leftOf(kind: StoredKind, { store }: Stage, uids: readonly JobUid[]) {
  const statuses = await Promise.all(uids.map(async (uid) => store.jobs.readStatus(uid)));
  return {
    namespace: (await store.objects.read('Namespace', TEAM)) !== null,
    names: (await store.jobs.listJobs({ namespace: 'team', after: null, limit: 50 })).jobs.map(({ name }) => name),
    objects: (await store.objects.list(kind, { namespace: 'team', after: null, limit: 50 })).objects.length,
    shown: statuses.filter((status) => status !== null && !isHidden(status.phase)).length,
  };
}
export const NOTHING = { namespace: false, names: [], objects: 0, shown: 0 };

/** The same ports; call number `step` never takes effect (`before`), or its answer is lost. */
export function failing(deps: Deps, step: number, where: 'before' | 'behind'): Deps {
  let calls = 0;
  const port = <T extends object>(real: T): T =>
    new Proxy(real, {
      get: (target, method) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          calls++;
          if (calls > step || (calls === step && where === 'before')) throw new Error('dead');
          const answer: unknown = await Reflect.apply(value, target, args);
          if (calls >= step) throw new Error('dead');
          return answer;
        };
      },
    });
  const { objects, jobs, queues, clock } = deps;
  const feed = port(deps.feed);
  return {
    ...deps,
    objects: port(objects),
    jobs: port(jobs),
    feed,
    queues: port(queues),
    publisher: createPublisher({ feed, clock }),
  };
}
