import { type MemoryQueues, type QueueName, createMemoryQueues } from '../fakes/memory-queues.ts';
import { createMemoryStore } from '../../shared/runtime/memory-store.ts';
import { type Fate, createMemoryTasks } from '../../shared/adapters/memory/memory-tasks.ts';
import { changeSpec, createJob } from '../../shared/control/lifecycle/job-changes.ts';
import type { Deps } from '../../shared/control/process/deps.ts';
import { type ReconcileRequest, type Reconciled, reconcileBatch } from '../../shared/control/reconcile/reconcile.ts';
import { sweepJobs } from '../../shared/control/sweep/sweep.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../shared/domain/base/time.ts';
import type { JobUid } from '../../shared/domain/base/ids.ts';
import { WorkingBoard } from '../../shared/domain/scoreboard/working-board.ts';
import { factOf } from '../../shared/domain/planner/ending.ts';
import type { Ending } from '../../shared/domain/base/fact.ts';
import type { IndexRecord } from '../../shared/domain/scoreboard/index-record.ts';
import { invariant } from '../../shared/domain/base/invariant.ts';
import type { JobManifest } from '../../shared/domain/manifests/manifest.ts';
import type { Status } from '../../shared/domain/scoreboard/status.ts';
import type { TaskView } from '../../shared/domain/task/task.ts';
import { GROUP_PREFIX } from '../../shared/names/env.ts';
import type { Launch } from '../../shared/ports/tasks.ts';
import type { JobStore, StoredSpec } from '../../shared/ports/job-store.ts';
import type { DispatchMessage } from '../../shared/ports/queues.ts';
import {
  formatFactMessage,
  parseDispatch,
  parseReconcileRequest,
} from '../../shared/schema/messages/queue-messages.ts';
import { chunksAt } from '../../shared/store/chunks-at.ts';
import { toJob } from '../../shared/store/to-job.ts';
import { Handler } from './a-handler.ts';
import { type JobWish, aJob } from './a-job.ts';
import { openNamespace } from './a-namespace.ts';

/** Receives after which a message is given up, as in the stack. */
const RECEIVES_MAX = 3;
export const VISIBILITY_MS = 30_000;

export const DONE: Ending = { cause: 'Completed', exitCode: 0, container: 'main', reason: '' };
export const BAD: Ending = { cause: 'Error', exitCode: 1, container: 'main', reason: '' };

/**
 * A store, ECS and queues in memory, and handlers that a test moves by hand: nothing happens unless the test says so.
 * Events of tasks lie in `events` until they are delivered.
 */
export class Stage {
  time: EpochMs = asEpochMs(1_800_000_000_000);
  readonly store = createMemoryStore({ now: () => this.time });
  readonly mail: MemoryQueues = createMemoryQueues({
    now: () => this.time,
    visibilityMs: VISIBILITY_MS,
    receivesMax: RECEIVES_MAX,
  });
  /** What capabilities ask. */
  ports: Deps['ports'] = {};
  /** Whose changes others hear of; null: nobody's. */
  announced: Deps['settings']['announced'] = null;
  /** How the next tasks will go. */
  fate: Fate = { startMs: 1_000, runMs: 3_600_000, stopMs: 500, ending: DONE };
  /** Why ECS refuses whatever it is asked for; null: it does not. */
  mistake: string | null = null;
  /** Where the installation's tasks are placed; ECS knows no other place. */
  placement = '';
  /** Launches that were asked for again, but otherwise. */
  readonly conflicts: Launch[] = [];
  events: TaskView[] = [];
  readonly #timers: { readonly at: EpochMs; readonly act: () => void }[] = [];
  readonly tasks = createMemoryTasks({
    now: () => this.time,
    at: (at, act) => void this.#timers.push({ at, act }),
    fate: () => this.fate,
    refusal: () => null,
    mistake: (template) =>
      this.mistake ??
      (template === null || template.placement === this.placement ? null : 'the subnet ID does not exist'),
    placement: () => this.placement,
    conflict: (launch) => void this.conflicts.push(launch),
    emit: (view) => void this.events.push(view),
  });

  /** A process: its own cache, publisher and clock, and ports that the test can stop. */
  handler(wish: { readonly skewMs?: number } = {}): Handler {
    const { tasks, ports, announced } = this;
    const all = { ...this.store, tasks, queues: this.mail.queues, ports, announced };
    return new Handler(all, () => this.time, wish.skewMs ?? 0);
  }

  /** Stores a Job; its wake-up is in the queue. */
  async job(wish: JobWish = {}): Promise<JobUid> {
    const spec = aJob(wish);
    await openNamespace(this.store.objects, spec.identity.namespace, this.time);
    const created = await createJob(spec, this.handler().deps);
    invariant(created.kind === 'created', 'the Job is new');
    return spec.identity.uid;
  }

  async change(uid: JobUid, change: Partial<JobManifest['spec']>): Promise<void> {
    const edit = (spec: JobManifest['spec']) => ({ ...spec, ...change });
    const changed = await changeSpec(
      uid,
      (stored) => ({ ...stored, manifest: { ...stored.manifest, spec: edit(stored.manifest.spec) } }),
      this.handler().deps,
    );
    invariant(changed.kind === 'changed', 'the spec is changed');
  }

  /** Time goes on, and tasks with it. */
  advance(ms: number): void {
    const until = plusMs(this.time, ms);
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      if (next.at > this.time) this.time = next.at;
      next.act();
    }
    this.time = until;
  }

  /** Takes all messages that may be seen out of a queue, for good. */
  take(name: QueueName): readonly string[] {
    const bodies: string[] = [];
    for (let batch = this.mail.receive(name, 10); batch.length > 0; batch = this.mail.receive(name, 10)) {
      for (const { body, receipt } of batch) {
        bodies.push(body);
        this.mail.remove(name, receipt);
      }
    }
    return bodies;
  }

  takeDispatches(): readonly DispatchMessage[] {
    return this.take('dispatch').map(parseDispatch);
  }

  /** What waits to be looked at: events, facts and wake-ups. */
  takeRequests(): readonly ReconcileRequest[] {
    for (const view of this.events.splice(0)) {
      const fact = factOf(view);
      if (fact !== null) this.mail.send('facts', formatFactMessage({ uid: view.job, facts: [fact] }));
    }
    return [...this.take('facts'), ...this.take('wake')].flatMap((body): ReconcileRequest[] => {
      const request = parseReconcileRequest(body, GROUP_PREFIX);
      return request.uid === null ? [] : [request];
    });
  }

  /** Hands one batch to a handler as a Lambda gets it: messages whose Job's pass throws stay, and come again. */
  async receive(name: 'facts' | 'wake', handler: Handler): Promise<readonly Reconciled[]> {
    const batch = this.mail
      .receive(name, 10)
      .map(({ body, receipt }) => ({ request: parseReconcileRequest(body, GROUP_PREFIX), receipt }));
    const results = await reconcileBatch(
      batch.flatMap(({ request }): ReconcileRequest[] => (request.uid === null ? [] : [request])),
      handler.deps,
    );
    const threw = new Set(results.filter(({ kind }) => kind === 'threw').map(({ uid }) => uid));
    for (const { request, receipt } of batch)
      if (request.uid === null || !threw.has(request.uid)) this.mail.remove(name, receipt);
    return results;
  }

  /** What the minute's sweep does. */
  async sweep(handler: Handler = this.handler()): Promise<void> {
    await sweepJobs({ everything: false }, handler.deps);
  }

  /** Everything that may happen now happens, by `handler`, until nothing is left. */
  async settle(handler: Handler = this.handler()): Promise<void> {
    for (let round = 0; round < 100; round++) {
      const [requests, messages] = [this.takeRequests(), this.takeDispatches()];
      if (requests.length + messages.length === 0) return;
      await handler.pass(...requests);
      await handler.dispatch(messages);
    }
    throw new Error('this does not settle');
  }

  async status(uid: JobUid): Promise<Status> {
    const status = await this.store.jobs.readStatus(uid);
    invariant(status !== null, 'there is such a Job');
    return status;
  }

  /** Every record of the board, by index. */
  async board(uid: JobUid): Promise<readonly IndexRecord[]> {
    const spec = await this.store.jobs.readSpec(uid);
    invariant(spec !== null, 'there is such a Job');
    return boardOf(await this.status(uid), spec, this.store.jobs);
  }

  /** Tasks of an index that run or start, oldest first. */
  live(uid: JobUid, index: number): readonly TaskView[] {
    return this.started(uid, index).filter(({ stage }) => stage === 'starting' || stage === 'running');
  }

  /** All tasks that were ever started for an index. */
  started(uid: JobUid, index: number): readonly TaskView[] {
    return [...this.tasks.all.values()]
      .map(({ view }) => view)
      .filter(({ job, id }) => job === uid && id.index === index);
  }
}

/** Every record of a Job's board, by index, from its chunks and its journal. */
async function boardOf(status: Status, spec: StoredSpec, jobs: JobStore): Promise<readonly IndexRecord[]> {
  const nos = [...status.chunks.keys()];
  const { selection } = toJob(spec).spec;
  const { chunks } = await chunksAt(spec.identity.uid, status, { nos, selection }, { jobs });
  const board = new WorkingBoard(status, chunks);
  return Array.from({ length: status.size }, (_, index) => {
    const record = board.record(index);
    invariant(record !== null, `index ${index} is on the board`);
    return record;
  });
}
