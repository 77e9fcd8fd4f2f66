import type { Formats } from '../../shared/domain/manifests/new-in-release.ts';
import { initialChunk } from '../../shared/domain/scoreboard/initial-board.ts';
import { createItemCache } from '../../shared/store/read-items.ts';
import { WorkingBoard } from '../../shared/domain/scoreboard/working-board.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../shared/domain/base/time.ts';
import { type JobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import type { AttemptId, Ending } from '../../shared/domain/base/fact.ts';
import type { TaskRoles } from '../../shared/domain/task/task-roles.ts';
import type { Judgement } from '../../shared/domain/planner/plan.ts';
import { extendJournal } from '../../shared/domain/scoreboard/journal.ts';
import { launchRowOf } from '../../shared/domain/scoreboard/launch-row.ts';
import type { Status } from '../../shared/domain/scoreboard/status.ts';
import type { Step } from '../../shared/domain/scoreboard/transition.ts';
import { createMemoryQueues } from '../fakes/memory-queues.ts';
import { createMemoryTasks } from '../../shared/adapters/memory/memory-tasks.ts';
import { COMMAND_MAKERS, capabilityGuards } from '../../shared/capabilities/lists/handlers.ts';
import { makeEach } from '../../shared/control/process/make-each.ts';
import { createOwnerCommands } from '../../shared/control/lifecycle/owner-changes.ts';
import type { Deps } from '../../shared/control/process/deps.ts';
import { createJobCommands } from '../../shared/control/lifecycle/job-changes.ts';
import { CAPABILITY_ROUTES } from '../../shared/capabilities/lists/routes.ts';
import { createReadFailures } from '../../shared/control/failures/read-failures.ts';
import { emptyNamespace } from '../../shared/control/lifecycle/namespaces.ts';
import type { Served } from '../../shared/runtime/registered.ts';
import { createMemoryStore } from '../../shared/runtime/memory-store.ts';
import type { ApiOptions } from '../../shared/kube/http/api-deps.ts';
import { createKubeApi } from '../../shared/kube/kube-api.ts';
import type { Audit } from '../../shared/ports/callers/audit.ts';
import type { LogLine, LogReader } from '../../shared/ports/log-reader.ts';
import { toJob } from '../../shared/store/to-job.ts';
import { Handler } from '../support/a-handler.ts';
import { testFolderPorts } from '../support/folder-ports.ts';
import { openNamespace } from '../support/a-namespace.ts';
import type { Submissions } from '../../shared/ports/submissions.ts';
import { DONE } from '../support/a-stage.ts';

/** 14 November 2023, 22:13:20 UTC. */
export const START = asEpochMs(1_700_000_000_000);
const YEAR_MS = 365 * 86_400_000;
/** Small, so that tests page. */
const LOG_PAGE = 3;

/** The task of an attempt; its `nonce`th again, counted from 0. */
export const arnOf = (index: number, attempt: number, nonce = 0) =>
  asTaskArn(
    `arn:aws:ecs:us-east-1:000000000000:task/muster/${String(nonce).padStart(2, '0')}${String(index).padStart(28, '0')}${String(attempt).padStart(2, '0')}`,
  );

/**
 * The API over the memory store, and a driver that commits transitions and publishes them as passes do. Time stands still
 * except for sleeps, which end at once.
 */
export async function aWorld(
  options: ApiOptions = {},
  hooks: {
    readonly onSleep?: () => Promise<void> | void;
    readonly newUid?: () => string;
    readonly ports?: Deps['ports'];
    readonly submissions?: Submissions;
    readonly taskRoles?: TaskRoles;
    readonly audit?: Audit;
    readonly formats?: Formats;
    readonly dataFolder?: Served['dataFolder'];
    /** With how many Pods a new Job is stored; omitted: none, until a test commits them. */
    readonly firstPodsMax?: number;
  } = {},
) {
  let now: EpochMs = START;
  const store = createMemoryStore({ now: () => now });
  await openNamespace(store.objects, 'default', START);
  const lines = new Map<string, LogLine[]>();
  let logReads = 0;
  let logsFault: string | null = null;
  let throttledAfter: number | null = null;
  const warnings: unknown[] = [];
  let uids = 0;
  const clock = {
    now: () => now,
    async sleep(ms: number) {
      now = plusMs(now, ms);
      await hooks.onSleep?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };

  const mail = createMemoryQueues({ now: () => now, visibilityMs: 30_000, receivesMax: 3 });
  const tasks = createMemoryTasks({
    now: () => now,
    at: () => undefined,
    fate: () => ({ startMs: 0, runMs: 0, stopMs: 0, ending: DONE }),
    refusal: () => null,
    emit: () => undefined,
  });
  const ports = { ...testFolderPorts(), ...hooks.ports };
  const { firstPodsMax = 0 } = hooks;
  const { deps } = new Handler({ ...store, tasks, queues: mail.queues, ports, firstPodsMax }, () => now, 0);
  const publish = async (uid: JobUid, status: Status) => {
    const spec = await store.jobs.readSpec(uid);
    if (spec === null) throw new Error(`no Job ${uid}`);
    await deps.publisher.publish(spec.identity, status);
  };

  const podsDeletedOf: JobUid[] = [];
  const deletedPods: (AttemptId & { readonly how?: 'evicted' })[] = [];
  const pace: Record<'perSec' | 'fullPerSec' | 'namesPerSec', number | null> = {
    perSec: null,
    fullPerSec: null,
    namesPerSec: null,
  };
  const logs: LogReader = {
    async read({ taskArn, container, after }) {
      logReads++;
      if (throttledAfter !== null && throttledAfter-- <= 0) return { kind: 'later' };
      const all = lines.get(`${taskArn}/${container}`);
      if (all === undefined) return { kind: 'none' };
      const from = Number(after ?? 0);
      const page = all.slice(from, from + LOG_PAGE);
      return { kind: 'lines', lines: page, next: String(from + page.length) };
    },
    async readBack({ taskArn, container, before, linesMax = LOG_PAGE }) {
      logReads++;
      if (logsFault !== null) throw new Error(logsFault);
      const all = lines.get(`${taskArn}/${container}`);
      if (all === undefined) return { kind: 'none' };
      const to = Number(before ?? all.length);
      const from = Math.max(to - Math.min(LOG_PAGE, linesMax), 0);
      return { kind: 'lines', lines: all.slice(from, to), next: String(to), previous: String(from) };
    },
  };
  const app = createKubeApi(
    {
      jobs: store.jobs,
      feed: store.feed,
      taskNames: store.hosts,
      objects: store.objects,
      ports: deps.ports,
      crons: store.crons,
      items: store.items,
      itemCache: createItemCache(),
      hash: deps.hash,
      clock,
      telemetry: { warn: (message, values) => warnings.push({ message, ...values }) },
      newUid: hooks.newUid ?? (() => `${String(++uids).padStart(8, '0')}-0000-4000-8000-000000000000`),
      logs,
      submissions: hooks.submissions ?? null,
      taskRoles: hooks.taskRoles ?? null,
      audit: hooks.audit,
      formats: hooks.formats ?? 'current',
      deadLetters: store.deadLetters,
      jobCommands: {
        ...createJobCommands(deps),
        async deletePod(uid, id, how) {
          podsDeletedOf.push(uid);
          deletedPods.push(how === 'evicted' ? { ...id, how } : id);
        },
      },
      owners: (kind) => createOwnerCommands(kind, deps),
      commands: makeEach(COMMAND_MAKERS, deps),
      objectGuards: capabilityGuards(deps),
      readFailures: createReadFailures(logs, deps),
      capabilityRoutes: CAPABILITY_ROUTES.map((routesOf) =>
        routesOf({
          deadLetters: store.deadLetters,
          queueDepths: async () => [],
          logs,
          dataFolder: hooks.dataFolder,
          deps,
        }),
      ),
      launchPace: async () => ({
        now,
        perSec: pace.perSec,
        fullPerSec: pace.fullPerSec,
        namespaces: 1,
        namesPerSec: pace.namesPerSec,
      }),
      emptyNamespace: (name) => emptyNamespace(name, deps, { deletions: 200, ms: 3_000 }),
    },
    options,
  );

  /** `name`, or `namespace/name`. */
  const uidOf = async (given: string, otherwise = 'default'): Promise<JobUid> => {
    const [name = '', namespace = otherwise] = given.split('/').toReversed();
    const uid = await store.jobs.findJob(namespace, name);
    if (uid === null) throw new Error(`no Job ${given}`);
    return uid;
  };

  return {
    app,
    /** What a pass over this world is given. */
    deps,
    jobs: store.jobs,
    feed: store.feed,
    objects: store.objects,
    crons: store.crons,
    items: store.items,
    hosts: store.hosts,
    /** Where messages lie until a test works on them. */
    mail,
    /** Messages in the wake queue. */
    wakeUps: () => mail.size('wake'),
    warnings,
    uidOf,
    clock,
    /** Commits transitions of `name`, and whatever else of STATUS is given; `fold` stores the chunk again too. */
    async commit(
      name: string,
      steps: readonly (Step & { readonly index: number; readonly attempt?: number })[],
      {
        fold = false,
        silent = false,
        ...change
      }: Partial<Status> & { readonly fold?: boolean; readonly silent?: boolean } = {},
    ): Promise<void> {
      const uid = await uidOf(name);
      const status = await store.jobs.readStatus(uid);
      if (status === null) throw new Error('no status');
      const stored = await store.jobs.readChunks(
        uid,
        status.chunks.map((_, no) => no),
      );
      const spec = await store.jobs.readSpec(uid);
      if (spec === null) throw new Error('no spec');
      const { selection } = toJob(spec).spec;
      const draft = new WorkingBoard(
        status,
        new Map(status.chunks.map((_, no) => [no, stored.get(no)?.chunk ?? initialChunk(selection, no)])),
      );
      for (const step of steps) draft.apply({ attempt: 1, ...step });
      const journal = extendJournal(status.journal, draft.transitions);
      const writes = [];
      if (fold) {
        const chunk = draft.chunk(0);
        if (chunk === undefined) throw new Error('no chunk');
        writes.push({
          no: 0,
          expectedVersion: status.chunks[0]?.version ?? 0,
          chunk,
          length: Math.min(4096, status.size),
        });
        draft.markFolded(0, journal.nextSeq);
      }
      const next: Status = { ...status, ...change, version: status.version + 1, journal, chunks: draft.summaries() };
      const committed = await store.jobs.commitPass(uid, next, writes);
      if (committed.kind !== 'committed') throw new Error('lost');
      if (!silent) await publish(uid, next);
    },
    /** RunTask has answered for these indexes (of one launch row). */
    async launch(
      name: string,
      ids: readonly { index: number; attempt: number; nonce?: number }[],
      since = plusMs(START, 1000),
    ): Promise<void> {
      const uid = await uidOf(name);
      for (const { index, attempt, nonce = 0 } of ids) {
        const row = await store.jobs.readLaunches(uid, launchRowOf(index));
        const slots = row.slots.filter((slot) => slot.index !== index);
        const slot = {
          index,
          attempt,
          nonce,
          state: 'launched',
          taskArn: arnOf(index, attempt, nonce),
          since,
        } as const;
        await store.jobs.writeLaunches(uid, { ...row, slots: [...slots, slot] }, plusMs(START, YEAR_MS));
      }
    },
    /** The record of an ended attempt. */
    async record(
      name: string,
      index: number,
      attempt: number,
      ending: Ending,
      {
        nonce = 0,
        restarts = 0,
        createdAt = plusMs(START, 1000),
        startedAt = plusMs(START, 2000),
        podCreatedSec,
        gone,
        ...judged
      }: Partial<Judgement> & {
        readonly nonce?: number;
        readonly restarts?: number;
        readonly createdAt?: EpochMs;
        readonly podCreatedSec?: number;
        readonly startedAt?: EpochMs | null;
        readonly gone?: true;
      } = {},
    ): Promise<void> {
      const times = { createdAt, startedAt, stoppedAt: plusMs(START, 3000) };
      const id = { index, attempt, nonce };
      const taskArn = arnOf(index, attempt, nonce);
      const judgement: Judgement = {
        as: ending.cause === 'Completed' ? 'succeeded' : 'failed',
        why: { kind: 'said', sentence: ending.reason },
        ...judged,
      };
      await store.jobs.writeAttempts(
        await uidOf(name),
        [{ ...id, taskArn, ending, times, judgement, failures: 0, ignored: 0, restarts, podCreatedSec, gone }],
        plusMs(START, YEAR_MS),
      );
    },
    print(index: number, attempt: number, container: string, ...texts: readonly string[]): void {
      this.printIn(arnOf(index, attempt), container, ...texts);
    },
    printIn(taskArn: string, container: string, ...texts: readonly string[]): void {
      const key = `${taskArn}/${container}`;
      const all = lines.get(key) ?? [];
      lines.set(key, all);
      for (const text of texts) all.push({ atMs: START + all.length * 1000, text });
    },
    /** From now on, the end of a log cannot be read. */
    breakLogs(why: string): void {
      logsFault = why;
    },
    /** After so many further pages, reads of logs are throttled. */
    throttleLogs(after: number): void {
      throttledAfter = after;
    },
    /** How often logs were read so far. */
    logReads: () => logReads,
    /** Attempts whose Pods were deleted by request. */
    deletedPods,
    /** Their Jobs. */
    podsDeletedOf,
    /** The rate of launches; none at first. */
    pace,
    get: (path: string, headers: Record<string, string> = {}) => app.request(path, { headers }),
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      app.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

export type World = Awaited<ReturnType<typeof aWorld>>;

export const JOBS = '/apis/batch/v1/namespaces/default/jobs';
export const PODS = '/api/v1/namespaces/default/pods';

export const manifest = (name: string, spec: object = {}, more: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: {
    completionMode: 'Indexed',
    completions: 4,
    parallelism: 2,
    ...spec,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['true'] }] } },
  },
  ...more,
});

/** Reads a stream of JSON lines to its end. */
export const linesOf = async (response: Response): Promise<readonly Record<string, unknown>[]> =>
  (await response.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
