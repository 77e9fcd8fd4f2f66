import { afterEach, expect, test } from 'vitest';
import { createMemoryHostnames } from '../../shared/capabilities/hostnames/test/memory-hostnames.ts';
import { createJob, deleteJob } from '../../shared/control/lifecycle/job-changes.ts';
import { sweepJobs } from '../../shared/control/sweep/sweep.ts';
import { ANNOTATIONS, CAPACITY_SELECTOR } from '../../shared/domain/manifests/annotations.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { aJob } from '../support/a-job.ts';
import { openNamespace } from '../support/a-namespace.ts';
import { Stage } from '../support/a-stage.ts';
import { Account } from './an-account.ts';

// What users of other controllers met with whole Jobs: Spot, deletion at scale, two who start the same.

const HOUR_MS = 3_600_000;

let open: Account | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

test('spot loss 5 times on one index: it moves to on-demand, user attempts are still 0', async () => {
  const account = (open = await Account.open({ script: { spot: 1, runMs: 20_000 } })); // no Spot task lives to its end
  const { identity, manifest, ...rest } = aJob({ completions: 2, parallelism: 2, backoffLimit: 0 });
  const { template } = manifest.spec;
  const spot = { ...template, spec: { ...template.spec, nodeSelector: { [CAPACITY_SELECTOR]: 'spot' } } };
  await openNamespace(account.store.objects, 'default', account.time);
  await createJob(
    {
      ...rest,
      identity,
      manifest: {
        ...manifest,
        metadata: {
          ...manifest.metadata,
          annotations: { [ANNOTATIONS.disruptions]: 'losses=10,spot-interruptions=5' },
        },
        spec: { ...manifest.spec, template: spot },
      },
    },
    account.handler().deps,
  );
  await account.elapseUntilOver(identity.uid, 6 * HOUR_MS);

  for (const index of [0, 1]) {
    const capacities = account.runs
      .filter(({ group }) => group.startsWith(`muster:${index}:`))
      .map((run) => run.capacity);
    expect(capacities).toEqual([...Array<string>(5).fill('FARGATE_SPOT'), 'FARGATE']);
  }
  expect(await account.status(identity.uid)).toMatchObject({
    phase: { kind: 'finished', verdict: { kind: 'complete' } },
    failed: 0,
    chunks: [{ succeeded: 2 }],
  });
  const board = await account.board(identity.uid);
  expect(board).toMatchObject(
    Array.from({ length: 2 }, () => ({ attempt: 6, spot: 5, failures: 0, ignored: 0, infra: 0 })),
  );
});

test('a Job deleted with 1,000 tasks live: all are stopped, all is released, DNS is clean', async () => {
  const TASKS = 1_000;
  // Of the launches that are asked for at once more than half are throttled.
  const fargateRunTask = { burst: 200, perSec: 200 };
  const account = (open = await Account.open({ script: { runMs: 100 * HOUR_MS }, limits: { fargateRunTask } }));
  const dns = createMemoryHostnames({ zone: 'muster.internal' });
  account.ports = { hostnames: dns };
  const uid = await account.job({ completions: TASKS, parallelism: TASKS, subdomain: 'workers' });
  for (let second = 0; account.liveArns(uid).length < TASKS && second < 600; second += 5) await account.elapse(5_000);
  await account.elapse(5_000);
  expect(account.liveArns(uid)).toHaveLength(TASKS);
  expect((await account.status(uid)).chunks[0]).toMatchObject({ running: TASKS });
  expect(dns.names()).toHaveLength(TASKS);
  expect(dns.lookUp('work-999.workers.default').size).toBe(1);

  await deleteJob(uid, account.handler().deps);
  expect(await account.store.jobs.findJob('default', 'work')).toBeNull(); // the name is free at once
  const isDeleted = async (): Promise<boolean> => (await account.status(uid)).phase.kind === 'deleted';
  for (let second = 0; !(await isDeleted()) && second < 600; second += 5) await account.elapse(5_000);

  for (let second = 0; dns.names().length > 0 && second < 600; second += 5) await account.elapse(5_000);

  expect(account.liveArns(uid)).toEqual([]);
  expect(dns.names()).toEqual([]);
  expect(await account.store.hosts.reservations()).toEqual([]);
  const { phase, chunks, inFlight, replacedTasks } = await account.status(uid);
  expect({ kind: phase.kind, inFlight, replacedTasks }).toEqual({
    kind: 'deleted',
    inFlight: [],
    replacedTasks: [],
  });
  expect(chunks[0]).toMatchObject({ starting: 0, running: 0, waiting: 0, succeeded: 0, failed: 0 });
  const records = await account.store.jobs.readAttempts(uid, 0, TASKS - 1);
  expect(records).toHaveLength(TASKS);
  expect(new Set(records.map(({ judgement }) => judgement.as))).toEqual(new Set(['released']));
  for (const queue of ['wake', 'facts', 'dispatch'] as const) expect(account.mail.dead(queue)).toEqual([]);
  expect(account.runs.length).toBeGreaterThan(TASKS); // some were throttled on the way

  account.advance(62 * 24 * HOUR_MS);
  expect(await account.store.jobs.readSpec(uid)).toBeNull();
  expect(await account.store.jobs.readStatus(uid)).toBeNull();
  expect(await account.store.jobs.readLaunchRange(uid, 0, TASKS / 10)).toEqual([]);
});

test.each(['before', 'behind'] as const)(
  'two schedulers make the Job of one slot at once (one of them held %s its write): one Job',
  async (where) => {
    const stage = new Stage();
    await openNamespace(stage.store.objects, 'default', stage.time);
    const specOf = (uid: string) => aJob({ uid, name: 'report-29730240', completions: 2, parallelism: 2 });
    const [one, two] = [stage.handler(), stage.handler()];
    const held = one.hold(where, 'jobs.createJob');
    const first = createJob(specOf('uid-1'), one.deps);
    await held.reached;
    const second = await createJob(specOf('uid-2'), two.deps);
    held.release();
    const kinds = [(await first).kind, second.kind];
    expect(kinds).toEqual(where === 'before' ? ['taken', 'created'] : ['created', 'taken']);

    await stage.settle();
    const won = asJobUid(where === 'before' ? 'uid-2' : 'uid-1');
    const lost = asJobUid(where === 'before' ? 'uid-1' : 'uid-2');
    expect(await stage.store.jobs.findJob('default', 'report-29730240')).toBe(won);
    expect(await stage.store.jobs.readStatus(lost)).toBeNull(); // nothing is half stored
    expect([...stage.tasks.all.values()].map(({ view }) => view.job)).toEqual([won, won]);
  },
);

test('two sweeps at once over one Job whose wake-up was lost: each index is launched once', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 3, parallelism: 3 });
  stage.take('wake'); // lost
  stage.advance(60_000);
  const [one, two] = [stage.handler(), stage.handler()];
  const woken = await Promise.all([one, two].map(async ({ deps }) => sweepJobs({ everything: false }, deps)));
  expect(woken).toEqual([1, 1]);
  const [first, second] = stage.takeRequests();
  const held = one.hold('before', 'jobs.commitPass');
  const slow = one.pass(...[first].filter((look) => look !== undefined));
  await held.reached; // both have read the same status
  await two.pass(...[second].filter((look) => look !== undefined));
  held.release();
  await slow;
  await stage.settle();
  expect([0, 1, 2].map((index) => stage.started(uid, index).length)).toEqual([1, 1, 1]);
  expect((await stage.board(uid)).map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
});
