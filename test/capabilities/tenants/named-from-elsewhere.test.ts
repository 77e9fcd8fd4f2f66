import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reconcileScheduled } from '../../../shared/runtime/reconcile-scheduled.ts';
import { collectOrphans, sweepCrons } from '../../../shared/control/schedulers/sweep-crons.ts';
import { sweepContents } from '../../../shared/capabilities/worklists/control/work-list-contents.ts';
import { wakeOwner } from '../../../shared/control/process/wake-owner.ts';
import { submit } from '../../../shared/control/submit/submit.ts';
import { readUpstreams } from '../../../shared/control/upstreams/read-upstreams.ts';
import { wakeWaiting } from '../../../shared/control/upstreams/waiting-jobs.ts';
import { type JobUid, asJobUid } from '../../../shared/domain/base/ids.ts';
import { parseReconcileRequest } from '../../../shared/schema/messages/queue-messages.ts';
import { readMessage } from '../../../shared/schema/submission/read-submission.ts';
import { toJob } from '../../../shared/store/to-job.ts';
import { draws } from '../../verify/draws.ts';
import { START } from '../../kube/a-world.ts';
import { stateOf } from './attack.ts';
import { ACTS, type Named, SUBMISSIONS } from './naming.ts';
import { ALICE, BOB, KINDS, type Tenant, type TenantWorld, aTenantWorld } from './two-tenants.ts';

// Alice does things in her own namespace that name Bob's by uid and by name, and everything that works in the background works on
// them. Nothing of Bob's may change, nobody may look after it, and all must be as if she had named what does not exist.

const COMPLETE = {
  kind: 'finished',
  verdict: { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null },
  since: START,
  at: START,
} as const;
const FAILED = {
  ...COMPLETE,
  verdict: { kind: 'failed', reason: 'BackoffLimitExceeded', message: '', decidedBy: null },
} as const;

const OWNERS = ['CronJob', 'JobConfig'] as const;
const ownerName = ({ prefix }: Tenant, kind: (typeof OWNERS)[number]): string =>
  `${prefix}-${kind === 'CronJob' ? 'cron' : 'config'}`;

async function jobsOf({ jobs }: TenantWorld, { namespace }: Tenant): Promise<readonly JobUid[]> {
  return (await jobs.listJobs({ namespace, after: null, limit: 1_000 })).jobs.map(({ uid }) => uid);
}

/** What Bob has beyond one of each kind: a CronJob with as much history as it keeps, a Job with a place, and one that waits. */
async function furnishMore(world: TenantWorld): Promise<void> {
  const { namespace, prefix } = BOB;
  const at = `/apis/batch/v1/namespaces/${namespace}`;
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await world.asMaster('POST', path, body);
    expect(answer.status, await answer.text()).toBe(201);
  };
  const cron = (await (await world.asMaster('GET', `${at}/cronjobs/${prefix}-cron`)).json()) as {
    readonly metadata: { readonly uid: string };
    readonly spec: { readonly jobTemplate: { readonly spec: object } };
  };
  const limits = { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1, schedule: '0 3 1 1 *' };
  const changed = await world.asMaster('PUT', `${at}/cronjobs/${prefix}-cron`, {
    ...cron,
    spec: { ...cron.spec, ...limits },
  });
  expect(changed.status).toBe(200);
  const { uid } = cron.metadata;
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: `${prefix}-cron`, uid, controller: true };
  const { spec } = cron.spec.jobTemplate;
  for (const [word, phase] of [
    ['complete', COMPLETE],
    ['failed', FAILED],
    ['running', null],
  ] as const) {
    const name = `${prefix}-${word}`;
    await post(`${at}/jobs`, { metadata: { name, ownerReferences: [owner] }, spec });
    if (phase !== null) await world.commit(`${namespace}/${name}`, [], { phase });
  }
  await post(`${at}/jobs`, {
    metadata: { name: `${prefix}-waits`, annotations: { 'muster.run/after': `${prefix}-job` } },
    spec,
  });
  const run = { metadata: { name: `${prefix}-of-config` }, spec: { configName: `${prefix}-config` } };
  await post(`/apis/execution.furiko.io/v1alpha1/namespaces/${namespace}/jobs`, run);
}

/** What has come to the attention of those who work for Bob. */
type Noticed = { readonly woken: Set<string>; readonly reported: Set<string> };

/** Works in the background, then does what its messages ask for, until nothing is left to be done. Alice's Jobs succeed. */
async function settle(
  world: TenantWorld,
  work: (world: TenantWorld) => Promise<unknown>,
  { woken, reported }: Noticed,
  finished: Set<string>,
): Promise<void> {
  const { deps, mail } = world;
  await work(world);
  for (let batch = mail.receive('wake', 10); batch.length > 0; batch = mail.receive('wake', 10))
    for (const { body, receipt } of batch) {
      mail.remove('wake', receipt);
      const request = parseReconcileRequest(body, 'muster');
      if (request.uid === null) {
        const { cron = '', jobs = [] } = request;
        for (const job of jobs) reported.add(`${cron} ${job}`);
        await reconcileScheduled({ uid: cron, jobs }, deps);
        continue;
      }
      woken.add(request.uid);
      await succeed(request.uid, world, finished);
    }
}

const EACH_MINUTE = async (world: TenantWorld): Promise<unknown> => {
  await world.clock.sleep(61_000);
  await sweepContents(world.deps);
  return sweepCrons(world.deps);
};
const EACH_DAY = async ({ deps }: TenantWorld): Promise<unknown> => collectOrphans(deps);

/** Ends a Job of hers, once. */
async function succeed(uid: string, world: TenantWorld, finished: Set<string>): Promise<void> {
  const { deps } = world;
  const spec = await deps.jobs.readSpec(asJobUid(uid));
  if (spec === null || spec.identity.namespace !== ALICE.namespace || finished.has(uid)) return;
  finished.add(uid);
  const { namespace, name } = spec.identity;
  if ((await deps.jobs.findJob(namespace, name)) === uid)
    await world.commit(`${namespace}/${name}`, [], { phase: COMPLETE });
  await wakeOwner(spec, deps);
  await wakeWaiting(spec.identity, 'all', deps);
}

/** A message may say anything: this one reports all Jobs of hers to Bob's schedulers. */
async function reportHers(world: TenantWorld, owners: readonly string[]): Promise<void> {
  const jobs = await jobsOf(world, ALICE);
  for (const uid of owners) await reconcileScheduled({ uid, jobs }, world.deps);
}

/** What a tenant has, with what only the store and the Events know of it. */
async function allOf(world: TenantWorld, tenant: Tenant): Promise<string> {
  const { namespace, prefix } = tenant;
  const { deps } = world;
  const answer = await world.asMaster('GET', `/api/v1/namespaces/${namespace}/events`);
  // Their metadata is made of the moment, and of a hash of what they say.
  const { items } = (await answer.json()) as { readonly items: readonly Readonly<Record<string, unknown>>[] };
  const events = items.map((event) => ({ ...event, metadata: null }));
  const list = await world.objects.read('WorkList', { namespace, name: `${prefix}-list` });
  const kept = list === null ? [] : await world.items.listReservations(list.document.metadata.uid);
  const rows = await Promise.all(
    OWNERS.map(async (kind) => {
      const found = await world.objects.read(kind, { namespace, name: ownerName(tenant, kind) });
      return found === null ? null : (await world.crons.read(found.document.metadata.uid))?.state;
    }),
  );
  const waits = await Promise.all(
    (await jobsOf(world, tenant)).map(async (uid) => {
      const [spec, status] = await Promise.all([deps.jobs.readSpec(uid), deps.jobs.readStatus(uid)]);
      return spec === null || status === null ? null : readUpstreams(toJob(spec), status, deps);
    }),
  );
  const waiters = await deps.waiters.list(namespace, `${prefix}-job`);
  return JSON.stringify([await stateOf(world, tenant), events, kept, rows, waits, waiters]);
}

/** Of one of each kind, by the last word of its name. */
async function uidsOf(world: TenantWorld, { namespace, prefix }: Tenant): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    KINDS.map(async ([group, plural, word]) => {
      const answer = await world.asMaster('GET', `${group}/namespaces/${namespace}/${plural}/${prefix}-${word}`);
      return [word, ((await answer.json()) as { readonly metadata: { readonly uid: string } }).metadata.uid] as const;
    }),
  );
  return new Map(found);
}

const NOBODY = 'ffffffff-0000-4000-8000-000000000000';

type Outcome = {
  readonly codes: readonly number[];
  /** Bob's things, before she does something and at each step after it. */
  readonly bobs: readonly string[];
  /** The same once he has deleted them. */
  readonly left: string;
  /** What she was answered, and has: as if all that she named had one name and one uid. */
  readonly hers: readonly string[];
  /** Jobs of Bob's that were woken, and Jobs of hers of which his schedulers were told. */
  readonly noticed: readonly string[];
};

/** Sends what her acts are, and then, as one who may send to the queue itself, her messages. */
async function answersTo(acts: readonly string[], named: Named, world: TenantWorld) {
  const answers: { readonly act: string; readonly code: number; readonly text: string }[] = [];
  const messages: (readonly [act: string, body: unknown])[] = [];
  for (const [nth, act] of acts.entries())
    for (const { method, path, body, type = 'application/json' } of ACTS.get(act)?.(named, nth) ?? []) {
      const headers = { 'content-type': type };
      const sent = { as: ALICE.user, headers, ...(body === undefined ? {} : { body }) };
      const answer = await world.send(method, path, sent);
      answers.push({ act, code: answer.status, text: await answer.text() });
      if (path === SUBMISSIONS) messages.push([act, body]);
    }
  for (const [act, body] of messages) {
    const read = readMessage(JSON.stringify(body), act);
    // Where it says another namespace, a sender of the queue may well mean it.
    if (read.kind !== 'submission' || read.submission.namespace !== ALICE.namespace) continue;
    answers.push({ act, code: 0, text: JSON.stringify(await submit(read.submission, {}, world.deps)) });
  }
  return answers;
}

/**
 * A world in which she does all of this with Bob's things, or with `nobody`'s. Then he deletes his, and she hers.
 *
 * @param isDaily orphans are collected before he does
 */
async function outcome(acts: readonly string[], isDaily: boolean, whose: 'bob' | 'nobody'): Promise<Outcome> {
  const world = await aTenantWorld();
  await furnishMore(world);
  const finished = new Set<string>();
  const noticed: Noticed = { woken: new Set(), reported: new Set() };
  const later: Noticed = { woken: new Set(), reported: new Set() };
  for (const work of [EACH_MINUTE, EACH_DAY]) await settle(world, work, later, finished);
  const uids = await uidsOf(world, BOB);
  const owners = [uids.get('cron') ?? '', uids.get('config') ?? ''];
  const his = new Set<string>(await jobsOf(world, BOB));
  const prefix = whose === 'bob' ? BOB.prefix : 'nnq';
  const named: Named = {
    name: (word) => `${prefix}-${word}`,
    uid: (word) => (whose === 'bob' ? (uids.get(word) ?? '') : NOBODY),
  };
  const bobs = [await allOf(world, BOB)];
  const answers = await answersTo(acts, named, world);
  const hers = [...answers.map(({ act, code, text }) => `${act}: ${code} ${text}`), await allOf(world, ALICE)];
  for (const work of [EACH_MINUTE, ...(isDaily ? [EACH_DAY] : [])]) {
    await reportHers(world, owners);
    await settle(world, work, noticed, finished);
    await reportHers(world, owners);
    bobs.push(await allOf(world, BOB));
    hers.push(await allOf(world, ALICE));
  }
  for (const { user, namespace } of [BOB, ALICE]) {
    for (const [group, plural] of KINDS)
      await world.send('DELETE', `${group}/namespaces/${namespace}/${plural}`, { as: user });
    await settle(world, EACH_MINUTE, later, finished);
    hers.push(await allOf(world, ALICE));
  }
  const told = [...noticed.reported].filter((each) => {
    const [cron = '', job = ''] = each.split(' ');
    return owners.includes(cron) && !his.has(job);
  });
  const plain = (text: string): string =>
    [...uids.values(), NOBODY].reduce((all, uid) => all.replaceAll(uid, 'THING'), text).replaceAll(/nn[bq]-/g, 'NAME-');
  return {
    codes: answers.map(({ code }) => code),
    bobs,
    left: await allOf(world, BOB),
    hers: hers.map(plain),
    noticed: [...[...noticed.woken].filter((uid) => his.has(uid)), ...told],
  };
}

/** What goes wrong; null: nothing does. */
async function violation(acts: readonly string[], isDaily: boolean, codes: Set<number>): Promise<string | null> {
  const bob = await outcome(acts, isDaily, 'bob');
  const nobody = await outcome(acts, isDaily, 'nobody');
  for (const code of bob.codes) codes.add(code);
  const [before] = bob.bobs;
  if (bob.noticed.length > 0) return `somebody looks after ${bob.noticed.join(', ')}`;
  if (bob.bobs.some((each) => each !== before)) return "changes what is Bob's";
  if (bob.left !== nobody.left) return 'changes what Bob leaves';
  const other = bob.hers.findIndex((each, i) => each !== nobody.hers[i]);
  return other === -1 ? null : `finds out that there is something: ${bob.hers[other]?.slice(0, 300)}`;
}

/** As few of the acts as show a violation. */
async function fewest(acts: readonly string[], isDaily: boolean): Promise<readonly string[]> {
  const half = Math.ceil(acts.length / 2);
  for (const some of acts.length < 2 ? [] : [acts.slice(0, half), acts.slice(half)])
    if ((await violation(some, isDaily, new Set())) !== null) return fewest(some, isDaily);
  return acts;
}

describe('what is named in another namespace', () => {
  const PER_WORLD = 250;
  /** With all draws it computes for minutes, and its neighbors do too. */
  const HANGS_MS = 3_600_000;

  it(
    'is not touched, and is as good as nothing: whatever is done, by any means, to objects of all kinds',
    async () => {
      const codes = new Set<number>();
      const all = fc.shuffledSubarray([...ACTS.keys()], { minLength: ACTS.size });
      const carriedOut = async (acts: readonly string[]): Promise<void> => {
        for (let from = 0; from < acts.length; from += PER_WORLD) {
          const some = acts.slice(from, from + PER_WORLD);
          const isDaily = from % (2 * PER_WORLD) === 0;
          const found = await violation(some, isDaily, codes);
          expect(found === null ? null : [found, await fewest(some, isDaily)]).toBeNull();
        }
      };
      await fc.assert(fc.asyncProperty(all, carriedOut), { numRuns: draws(10), endOnFailure: true });
      for (const code of [200, 201, 202, 400, 404, 409, 422]) expect([...codes]).toContain(code);
    },
    HANGS_MS,
  );
});
