import { describe, expect, it, test } from 'vitest';
import { reconcileCron } from '../../shared/capabilities/schedules/control/reconcile-cron.ts';
import { submit } from '../../shared/control/submit/submit.ts';
import { pinnedItemsOf } from '../../shared/domain/items/job-items.ts';
import type { PolicyRule } from '../../shared/capabilities/access/domain/policy.ts';
import { readMessage } from '../../shared/schema/submission/read-submission.ts';
import { START, manifest } from '../kube/a-world.ts';
import { aGuardedWorld, grants, rule } from '../../shared/capabilities/access/test/kube/a-guarded-world.ts';
import { WORK_LIST_ROWS } from '../../shared/capabilities/worklists/kinds/index.ts';
import { pathWithin } from '../../shared/domain/kinds/api-kind.ts';

// What runs under a ServiceAccount is said by who may use it. Kim is of system:masters, ann may use `reports`, and bob none; all of
// them write what runs, and lists.

const NAMESPACE = 'team-a';
const JOBS = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;
const CRONS = `/apis/batch/v1/namespaces/${NAMESPACE}/cronjobs`;
const LISTS = pathWithin(WORK_LIST_ROWS.WorkList, NAMESPACE);
const SUBMISSIONS = '/muster/v1/submissions';
const SLOT_MS = 300_000;
const MERGE = { 'content-type': 'application/merge-patch+json' };

const WRITES: readonly PolicyRule[] = [
  rule('get,list,create,update,patch,delete batch/jobs'),
  { verbs: ['*'], apiGroups: ['batch'], resources: ['cronjobs'] },
  { verbs: ['*'], apiGroups: ['muster.run'], resources: ['worklists', 'worklists/parts', 'worklists/seal'] },
];
const USES: PolicyRule = {
  verbs: ['use'],
  apiGroups: [''],
  resources: ['serviceaccounts'],
  resourceNames: ['reports'],
};
const POLICY = grants(
  { user: 'bob', namespace: NAMESPACE, rules: WRITES },
  { user: 'ann', namespace: NAMESPACE, rules: [...WRITES, USES] },
);

type Who = 'kim' | 'ann' | 'bob';

async function anInstallation(options: Parameters<typeof aGuardedWorld>[1] = {}) {
  const sent: string[] = [];
  const submissions = {
    send: async (text: string) => {
      sent.push(text);
      return 'id';
    },
  };
  const world = await aGuardedWorld(POLICY, options, { submissions });
  const as = async (who: Who, method: string, path: string, body?: unknown, headers = {}) => {
    const answer = await world.send(method, path, {
      as: who,
      groups: who === 'kim' ? 'system:masters' : '',
      body,
      headers,
    });
    return { code: answer.status, body: (await answer.json()) as { readonly message?: string } };
  };
  const list = async (who: Who, items: readonly (readonly string[])[], columns = ['F', 'image']) => {
    await as(who, 'DELETE', `${LISTS}/wl`);
    const spec = items.length === 0 ? { columns, itemsPerPart: 10 } : { columns, items };
    const document = { apiVersion: 'muster.run/v1', kind: 'WorkList', metadata: { name: 'wl' }, spec };
    expect((await as(who, 'POST', LISTS, document)).code).toBe(201);
  };
  const cron = async (annotations: object, account = 'reports'): Promise<string> => {
    const answer = await world.asMaster('POST', CRONS, {
      metadata: { name: 'nightly' },
      spec: {
        schedule: '*/5 * * * *',
        jobTemplate: {
          metadata: { annotations },
          spec: { template: templateOf(account) },
        },
      },
    });
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { readonly metadata: { readonly uid: string } }).metadata.uid;
  };
  /** What the next slot of a CronJob makes: the content of its Job's list, or why there is no Job. */
  const nextSlot = async (uid: string): Promise<string> => {
    const before = (await world.jobs.listJobs({ namespace: NAMESPACE, after: null, limit: 100 })).jobs;
    await world.clock.sleep(SLOT_MS);
    await reconcileCron({ uid, jobs: [] }, world.deps);
    const { jobs } = await world.jobs.listJobs({ namespace: NAMESPACE, after: null, limit: 100 });
    const [made] = jobs.filter((job) => !before.some((each) => each.uid === job.uid));
    const spec = made === undefined ? null : await world.jobs.readSpec(made.uid);
    if (spec !== null) return pinnedItemsOf(spec.manifest)?.content ?? 'no list';
    return (await world.crons.read(uid))?.state.events.at(-1)?.message ?? 'nothing';
  };
  const uidOfList = async (): Promise<string> =>
    (await world.objects.read('WorkList', { namespace: NAMESPACE, name: 'wl' }))?.document.metadata.uid ?? 'none';
  return { ...world, as, list, cron, nextSlot, uidOfList, sent };
}

const templateOf = (serviceAccountName: string | null) => ({
  spec: {
    restartPolicy: 'Never',
    containers: [{ name: 'main', image: 'busybox', command: ['cat', '$(F)'] }],
    ...(serviceAccountName === null ? {} : { serviceAccountName }),
  },
});
const jobNamed = (name: string, account: string | null, annotations: object) => ({
  ...manifest(name),
  metadata: { name, annotations },
  spec: { template: templateOf(account) },
});

const FAILED = {
  kind: 'finished',
  verdict: { kind: 'failed', reason: 'BackoffLimitExceeded', message: '', decidedBy: null },
  since: START,
  at: START,
} as const;
const NAMED = { 'muster.run/work-list': 'wl' };
const WITH_IMAGES = { ...NAMED, 'muster.run/image-from-items': 'true' };
const WHY =
  'the WorkList "wl" was written by a user who may not use the ServiceAccount "reports"; let one who may write it again';
const GOOD = [['a', 'busybox']];
const EVIL = [['a', 'evil:1']];

describe('the WorkList of a CronJob under a ServiceAccount', () => {
  it('may be made anew every night by who may use the account, and by nobody else', async () => {
    const { list, cron, nextSlot, uidOfList } = await anInstallation();
    await list('kim', GOOD);
    const uid = await cron(WITH_IMAGES);
    expect(await nextSlot(uid)).toBe(await uidOfList());
    await list('bob', EVIL);
    expect(await nextSlot(uid)).toContain(WHY);
    for (const who of ['ann', 'kim', 'ann'] as const) {
      await list(who, GOOD);
      expect(await nextSlot(uid)).toBe(await uidOfList());
    }
  });

  it('may be older than the CronJob, which changes nothing', async () => {
    const { list, cron, nextSlot } = await anInstallation();
    await list('bob', EVIL);
    expect(await nextSlot(await cron(WITH_IMAGES))).toContain(WHY);
  });

  it('is held to it without images, too: its items are words of a command, and variables of any name', async () => {
    const { list, cron, nextSlot } = await anInstallation();
    await list('bob', [['a', '$(id)']], ['F', 'BASH_ENV']);
    expect(await nextSlot(await cron(NAMED))).toContain(WHY);
  });

  it('is of an account, and not of all', async () => {
    const { list, cron, nextSlot } = await anInstallation();
    await list('ann', GOOD);
    expect(await nextSlot(await cron(NAMED, 'other'))).toContain('may not use the ServiceAccount "other"');
  });

  it.each([
    ['that is named default', {}, 'default'],
    ['where roles do not decide', { authorization: 'AlwaysAllow' }, 'reports'],
  ] as const)('is anybody’s %s', async (_, options, account) => {
    const { list, cron, nextSlot, uidOfList } = await anInstallation(options);
    await list('bob', GOOD);
    expect(await nextSlot(await cron(NAMED, account))).toBe(await uidOfList());
  });

  it('gets its parts from those who may use what its writer may', async () => {
    const { list, cron, nextSlot, uidOfList, as } = await anInstallation();
    await list('ann', []);
    const part = { items: GOOD };
    for (const path of ['parts/0', 'seal']) {
      const refused = await as('bob', 'POST', `${LISTS}/wl/${path}`, path === 'seal' ? {} : { items: EVIL });
      expect([refused.code, refused.body.message]).toEqual([
        403,
        'worklists.muster.run "wl" is forbidden: its items may be run under ServiceAccounts that user "bob" cannot use: make a list of your own',
      ]);
    }
    expect((await as('kim', 'POST', `${LISTS}/wl/parts/0`, part)).code).toBe(201);
    expect((await as('ann', 'POST', `${LISTS}/wl/seal`, {})).code).toBe(200);
    const uid = await cron(NAMED);
    expect(await nextSlot(uid)).toBe(await uidOfList());
    // Who begins a list may be the one who has said its columns: they are names of variables.
    await list('bob', []);
    expect((await as('kim', 'POST', `${LISTS}/wl/parts/0`, part)).code).toBe(201);
    expect((await as('kim', 'POST', `${LISTS}/wl/seal`, {})).code).toBe(200);
    expect(await nextSlot(uid)).toContain(WHY);
    // One of kim's may run under any account.
    await list('kim', []);
    expect((await as('ann', 'POST', `${LISTS}/wl/parts/0`, part)).code).toBe(403);
  });

  it('is no other by way of a Job that is run again', async () => {
    const world = await anInstallation();
    const { list, cron, nextSlot, as } = world;
    await list('bob', EVIL);
    expect((await as('bob', 'POST', JOBS, jobNamed('first', null, NAMED))).code).toBe(201);
    await list('kim', GOOD);
    await world.commit(`${NAMESPACE}/first`, [], { phase: FAILED });
    expect(await nextSlot(await cron({ ...NAMED, 'muster.run/rerun-of': 'first' }))).toContain(WHY);
  });

  it('is still that of its writer when it is gone and its Job is run again', async () => {
    const world = await anInstallation();
    const { list, as } = world;
    await list('ann', GOOD);
    expect((await as('ann', 'POST', JOBS, jobNamed('first', 'reports', NAMED))).code).toBe(201);
    await world.commit(`${NAMESPACE}/first`, [], { phase: FAILED });
    await as('bob', 'DELETE', `${LISTS}/wl`);
    const again = { ...NAMED, 'muster.run/rerun-of': 'first' };
    expect(await as('ann', 'POST', JOBS, jobNamed('second', 'reports', again))).toMatchObject({ code: 201 });
    expect((await as('kim', 'POST', JOBS, jobNamed('third', 'other', again))).code).toBe(422);
  });
});

describe('a Job under a ServiceAccount', () => {
  it('takes no list of somebody who may not use the account, even if its own writer may', async () => {
    const { list, as } = await anInstallation();
    await list('bob', EVIL);
    for (const who of ['kim', 'ann'] as const)
      for (const path of [JOBS, `${JOBS}?dryRun=All`]) {
        const refused = await as(who, 'POST', path, jobNamed('x', 'reports', NAMED));
        expect([refused.code, refused.body.message]).toEqual([422, expect.stringContaining(WHY)]);
      }
    expect((await as('kim', 'POST', JOBS, jobNamed('x', null, NAMED))).code).toBe(201);
  });

  it('keeps its list while it waits for another Job, whatever becomes of the name', async () => {
    const { list, as, uidOf, jobs, uidOfList } = await anInstallation();
    await list('ann', GOOD);
    const content = await uidOfList();
    expect((await as('bob', 'POST', JOBS, jobNamed('first', null, NAMED))).code).toBe(201);
    const waiting = jobNamed('second', 'reports', { ...NAMED, 'muster.run/after': 'first' });
    expect((await as('ann', 'POST', JOBS, waiting)).code).toBe(201);
    await list('bob', EVIL);
    const spec = await jobs.readSpec(await uidOf(`${NAMESPACE}/second`));
    expect(pinnedItemsOf(spec!.manifest)?.content).toBe(content);
  });

  it('that a message makes is held to it, too', async () => {
    const { list, as, cron, sent, deps } = await anInstallation();
    await cron({});
    await list('bob', EVIL);
    const from = { kind: 'CronJob', name: 'nightly', namespace: NAMESPACE };
    const message = { from, items: 'wl' };
    expect((await as('bob', 'POST', SUBMISSIONS, message)).code).toBe(403);
    expect((await as('ann', 'POST', SUBMISSIONS, message)).code).toBe(202);
    const worked = async () => {
      const read = readMessage(sent.at(-1) ?? '', `${sent.length}`);
      return read.kind === 'submission' ? submit(read.submission, {}, deps) : read;
    };
    expect(JSON.stringify(await worked())).toContain(JSON.stringify(WHY).slice(1, -1));
    await list('ann', GOOD);
    expect((await as('ann', 'POST', SUBMISSIONS, message)).code).toBe(202);
    expect(await worked()).toEqual({ kind: 'created' });
  });

  it('is asked for where its template is there: nobody knows what a later one runs as', async () => {
    const { as, cron, sent } = await anInstallation();
    const message = { from: { kind: 'CronJob', name: 'nightly', namespace: NAMESPACE }, env: { PATH: '/evil' } };
    const early = await as('bob', 'POST', SUBMISSIONS, message);
    expect([early.code, early.body.message]).toEqual([404, 'cronjobs.batch "nightly" not found']);
    await cron({});
    expect([(await as('bob', 'POST', SUBMISSIONS, message)).code, sent]).toEqual([403, []]);
  });
});

test('which objects of S3 start a CronJob under an account is said by who may use it; when it runs is not', async () => {
  const { as, cron } = await anInstallation();
  await cron({});
  const objects = { metadata: { annotations: { 'muster.run/on-object-created': 'bobs/*' } } };
  for (const [change, bobs] of [
    [objects, 403],
    [{ spec: { schedule: '* * * * *' } }, 200],
    [{ spec: { suspend: true } }, 200],
  ] as const) {
    expect((await as('bob', 'PATCH', `${CRONS}/nightly`, change, MERGE)).code).toBe(bobs);
    expect((await as('ann', 'PATCH', `${CRONS}/nightly`, change, MERGE)).code).toBe(200);
  }
});
