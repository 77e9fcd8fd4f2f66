import { describe, expect, it } from 'vitest';
import { reconcileScheduled } from '../../../shared/control/configs/reconcile-config.ts';
import { collectOrphans, sweepCrons } from '../../../shared/control/cron/sweep-crons.ts';
import { sweepContents } from '../../../shared/control/lifecycle/work-lists.ts';
import { wakeOwner } from '../../../shared/control/process/wake-owner.ts';
import { wakeWaiting } from '../../../shared/control/upstreams/waiting-jobs.ts';
import { CONFIG_UID_LABEL } from '../../../shared/domain/furiko/furiko-labels.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { ANNOTATIONS } from '../../../shared/domain/spec/annotations.ts';
import { parseReconcileRequest } from '../../../shared/schema/messages/queue-messages.ts';
import { START } from '../a-world.ts';
import { stateOf, workOn } from './attack.ts';
import { ALICE, BOB, KINDS, type Tenant, type TenantWorld, aTenantWorld, documentsOf } from './two-tenants.ts';

// Alice writes objects of all kinds in her own namespace that name Bob's by uid and by name, and everything that works in the
// background works on them. Nothing of Bob's may change, and all must be as if she had named what does not exist.

/** Names and uids of what she names: Bob's, or nobody's; by the last word of a name. */
type Named = { readonly name: (word: string) => string; readonly uid: (word: string) => string };
type Metadata = Readonly<Record<string, unknown>>;

const OWNER_KINDS = KINDS.map(([group, , word]) => {
  const kinds = { job: 'Job', cron: 'CronJob', run: 'Job', config: 'JobConfig', list: 'WorkList', service: 'Service' };
  return { apiVersion: group.replace(/^\/apis?\//, ''), kind: kinds[word], word };
});

const owner = (
  kind: string,
  apiVersion: string,
  word: string,
  isController: boolean,
  { name, uid }: Named,
): Metadata => ({
  ownerReferences: [{ apiVersion, kind, name: name(word), uid: uid(word), controller: isController }],
});
const note = (key: string, value: string): Metadata => ({ annotations: { [key]: value } });

type Means = (named: Named) => Metadata;
const OWNERS: readonly Means[] = [
  ...[true, false].flatMap((isController) =>
    OWNER_KINDS.map(
      ({ apiVersion, kind, word }): Means =>
        (n) =>
          owner(kind, apiVersion, word, isController, n),
    ),
  ),
  ...OWNER_KINDS.map(
    ({ word }): Means =>
      (n) =>
        owner('CronJob', 'batch/v1', word, true, n),
  ),
  ({ uid, ...n }) => ({
    labels: { [CONFIG_UID_LABEL]: uid('config') },
    ...owner('JobConfig', 'execution.furiko.io/v1alpha1', 'config', true, { uid, ...n }),
  }),
];
const ANNOTATED: readonly Means[] = [
  ({ name }) => note(ANNOTATIONS.workList, name('list')),
  ({ name }) => ({ annotations: { [ANNOTATIONS.rerunOf]: name('items'), [ANNOTATIONS.workList]: name('list') } }),
  ({ name }) => note(ANNOTATIONS.after, name('job')),
  ({ name }) => note(ANNOTATIONS.after, `${BOB.namespace}/${name('job')}`),
  ({ name }) => note(ANNOTATIONS.afterIndexes, name('job')),
  ({ uid }) => note(ANNOTATIONS.pinnedItems, JSON.stringify({ content: uid('list') })),
];
const OTHERS: readonly Means[] = [
  ({ name, uid }) => ({
    labels: {
      'batch.kubernetes.io/controller-uid': uid('job'),
      'batch.kubernetes.io/job-name': name('job'),
      'muster.run/submitted-from': name('cron'),
      [CONFIG_UID_LABEL]: uid('config'),
    },
  }),
  ({ uid }) => ({ uid: uid('job') }),
  ({ name }) => ({ name: name('cron') }),
  () => ({ namespace: BOB.namespace }),
];

/** Her objects of all kinds with this metadata, also where what they make has it. */
function written(more: Metadata, nth: number): readonly (readonly [path: string, body: object])[] {
  const hers: Tenant = { ...ALICE, prefix: `${ALICE.prefix}x${nth}` };
  const [job = {}, cron = {}, run = {}, config = {}] = documentsOf(hers);
  const { annotations, labels, ownerReferences } = more;
  const ofMade = { ...(annotations === undefined ? {} : { annotations }), ...(labels === undefined ? {} : { labels }) };
  const renamed = (document: object, suffix: string, spec: object) => {
    const { metadata, spec: its } = document as { readonly metadata: { readonly name: string }; readonly spec: object };
    return { ...document, metadata: { ...metadata, name: `${metadata.name}-${suffix}` }, spec: { ...its, ...spec } };
  };
  const specOf = (document: object) => (document as { readonly spec: Readonly<Record<string, object>> }).spec;
  const place = (kind: number) => `${KINDS[kind]?.[0]}/namespaces/${hers.namespace}/${KINDS[kind]?.[1]}`;
  const made = { jobTemplate: { ...specOf(cron)['jobTemplate'], metadata: { ...ofMade, ownerReferences } } };
  const manifest = { ...job, metadata: { ...more, name: `${hers.prefix}-sent` } };
  return [
    ...documentsOf(hers).map((document, kind) => {
      const metadata = { ...(document['metadata'] as object), ...more };
      return [place(kind), { ...document, metadata }] as const;
    }),
    [place(1), renamed(cron, 'made', { ...made, schedule: '* * * * *' })],
    [place(3), renamed(config, 'made', { template: { ...specOf(config)['template'], metadata: ofMade } })],
    [place(2), renamed(run, 'of-config', { template: undefined, configName: 'nnb-config' })],
    ['/muster/v1/submissions', { id: `${nth}a`, namespace: hers.namespace, manifest }],
    [
      '/muster/v1/submissions',
      { id: `${nth}b`, manifest: { ...manifest, metadata: { ...manifest.metadata, name: `${hers.prefix}-again` } } },
    ],
  ];
}

const ENDED = {
  kind: 'finished',
  verdict: { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null },
  since: START,
  at: START,
} as const;

/** Everything that works in the background, until nothing is left to be done. Her Jobs succeed. Returns whose Jobs were woken. */
async function settle(world: TenantWorld): Promise<ReadonlySet<string>> {
  const { deps, mail } = world;
  const woken = new Set<string>();
  const ended = new Set<string>();
  const rounds = [async () => collectOrphans(deps), async () => sweepCrons(deps)];
  for (const round of [...rounds, async () => void (await sweepContents(deps))]) {
    await round();
    for (let batch = mail.receive('wake', 10); batch.length > 0; batch = mail.receive('wake', 10))
      for (const { body, receipt } of batch) {
        mail.remove('wake', receipt);
        const request = parseReconcileRequest(body, 'muster');
        if (request.uid === null) {
          if (request.cron !== undefined)
            await reconcileScheduled({ uid: request.cron, jobs: request.jobs ?? [] }, deps);
          continue;
        }
        woken.add(request.uid);
        const spec = await deps.jobs.readSpec(asJobUid(request.uid));
        if (spec === null || spec.identity.namespace !== ALICE.namespace || ended.has(request.uid)) continue;
        ended.add(request.uid);
        const { namespace, name } = spec.identity;
        if ((await deps.jobs.findJob(namespace, name)) === request.uid)
          await world.commit(`${namespace}/${name}`, [], { phase: ENDED });
        await wakeOwner(spec, deps);
        await wakeWaiting(spec.identity, 'all', deps);
      }
  }
  return woken;
}

/** What Bob has, with what only the store and his Events know of it. */
async function allOf(world: TenantWorld, tenant: Tenant): Promise<string> {
  const { namespace, prefix } = tenant;
  const listed = await world.asMaster('GET', `/api/v1/namespaces/${namespace}/events`);
  // Their metadata is made of the moment, and of a hash of what they say.
  const { items } = (await listed.json()) as { readonly items: readonly Readonly<Record<string, unknown>>[] };
  const events = items.map((event) => ({ ...event, metadata: null }));
  const list = await world.objects.read('WorkList', { namespace, name: `${prefix}-list` });
  const kept = list === null ? [] : await world.items.listReservations(list.document.metadata.uid);
  const rows = await Promise.all(
    (['CronJob', 'JobConfig'] as const).map(async (kind) => {
      const word = kind === 'CronJob' ? 'cron' : 'config';
      const found = await world.objects.read(kind, { namespace, name: `${prefix}-${word}` });
      return found === null ? null : (await world.crons.read(found.document.metadata.uid))?.state;
    }),
  );
  return JSON.stringify([await stateOf(world, tenant), events, kept, rows]);
}

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

/** One world in which she names Bob's things, or `nobody`'s, by each of these means. */
async function outcome(all: readonly Means[], whose: 'bob' | 'nobody') {
  const world = await aTenantWorld();
  await settle(world);
  const uids = await uidsOf(world, BOB);
  const prefix = whose === 'bob' ? BOB.prefix : 'nnq';
  const named: Named = {
    name: (word) => `${prefix}-${word}`,
    uid: (word) => (whose === 'bob' ? (uids.get(word) ?? '') : NOBODY),
  };
  const before = await allOf(world, BOB);
  const answers: string[] = [];
  for (const [nth, means] of all.entries())
    for (const [path, body] of written(means(named), nth)) {
      const text = JSON.stringify(body).replaceAll('nnb-config', named.name('config'));
      const answer = await world.send('POST', path, { as: ALICE.user, body: text });
      answers.push(`${answer.status} ${await answer.text()}`);
    }
  for (const text of world.submitted) await workOn(text, world);
  const woken = await settle(world);
  const after = await allOf(world, BOB);
  const hers = await allOf(world, ALICE);
  for (const [group, plural] of KINDS)
    await world.send('DELETE', `${group}/namespaces/${ALICE.namespace}/${plural}`, { as: ALICE.user });
  await settle(world);
  const plain = [...uids.values(), NOBODY].reduce(
    (text, uid) => text.replaceAll(uid, 'THING'),
    JSON.stringify([answers, hers]).replaceAll(/nn[bq]-/g, 'NAME-'),
  );
  return {
    codes: new Set(answers.map((answer) => answer.slice(0, 3))),
    bobs: [before, after, await allOf(world, BOB)],
    hers: plain,
    woken: [...uids.values()].filter((uid) => woken.has(uid)),
  };
}

describe('what an object names in another namespace', () => {
  it.each([
    ['owners', OWNERS],
    ['annotations', ANNOTATED],
    ['labels, uids, and names', OTHERS],
  ] as const)('has no effect there, and is as good as nothing: %s', async (_, all) => {
    const { bobs, hers, woken, codes } = await outcome(all, 'bob');
    expect(new Set(bobs).size).toBe(1);
    expect(woken).toEqual([]);
    expect(hers === (await outcome(all, 'nobody')).hers).toBe(true);
    for (const code of ['201', '202', '422']) expect([...codes]).toContain(code);
  });
});
