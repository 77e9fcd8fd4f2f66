import { describe, expect, onTestFinished, test } from 'vitest';
import { contextOf } from '../../local/event-source/mapping.ts';
import { createDynamoStore } from '../../shared/runtime/dynamo-store.ts';
import { createTable } from '../../shared/adapters/aws/dynamodb/dynamo-table.ts';
import type { Inbox, Received } from '../../shared/ports/inbox.ts';
import { createCache } from '../../shared/control/process/cache.ts';
import type { Deps } from '../../shared/control/process/deps.ts';
import { createPacer } from '../../shared/control/process/pacer.ts';
import { createPublisher } from '../../shared/control/process/publisher.ts';
import { CHUNK_INDEXES, chunksFor, emptyChunk, setRecord } from '../../shared/domain/scoreboard/board.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../shared/domain/base/time.ts';
import { type JobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import { FRESH } from '../../shared/domain/scoreboard/index-record.ts';
import { planningSpec } from '../../shared/domain/manifests/job.ts';
import { type Status, chunkLength, freshStatus, tally } from '../../shared/domain/scoreboard/status.ts';
import { Agenda } from '../../shared/domain/base/agenda.ts';
import { reconcileHandler } from '../../shared/runtime/queue-handlers.ts';
import { formatFactMessage, formatWakeUp } from '../../shared/schema/messages/queue-messages.ts';
import { aClient, endpoint, stopEngineAfterwards } from '../contract/dynamo-fixture.ts';
import { aRuntime, anEvent, anInbox } from '../runtime/a-runtime.ts';
import { recount } from '../support/a-board.ts';
import { aJob } from '../support/a-job.ts';
import { dice } from '../support/arbitrary-board.ts';
import { openNamespace } from '../support/a-namespace.ts';
import { DONE } from '../support/a-stage.ts';
import { WriteHeat } from '../support/write-heat.ts';

stopEngineAfterwards();

// BURST=100000 npx vitest run test/e2e/burst.test.ts takes the whole minute, and says the figures.
const SIZE = 100_000;
const BURST = Number(process.env['BURST'] ?? 20_000);
/** All of them end within a minute. */
const PER_SEC = SIZE / 60;

/** What a partition of DynamoDB takes in a second (aws.md 2.1). */
const UNITS_MAX = 1_000;
/** How far the status may be behind what ECS has told. */
const LAG_MAX_MS = 10_000;

/** What calls take on AWS, about; here they cost only the time that the world goes by. */
const COST_MS = { dynamo: 5, writeAttempts: 15, sqs: 10, plan: 30 };
/** Lambda hands a function so many batches at once (maxConcurrency of the stack). */
const AT_ONCE = 2;

const START = asEpochMs(1_800_000_000_000);

type Message = { readonly at: EpochMs; readonly body: () => string };

/** Production's reconcile over the real DynamoDB engine, in a time that passes only while everybody waits for it. */
class World {
  time: EpochMs = START;
  readonly heat = new WriteHeat(() => this.time);
  status: Status | null = null;
  lagMaxMs = 0;
  passes = 0;
  failures = 0;
  readonly #sleepers = new Agenda<() => void>();
  readonly #facts: readonly Message[];
  #nextFact = 0;
  #wakes: Message[] = [];
  readonly #running = { facts: 0, wake: 0 };
  /** Calls that are with the engine. */
  #busy = 0;
  #idle: () => void = () => undefined;
  readonly #free = { facts: [] as Handler[], wake: [] as Handler[] };

  constructor(facts: readonly Message[]) {
    this.#facts = facts;
  }

  async open(store: Pick<Deps, 'jobs' | 'feed' | 'limits' | 'objects'>): Promise<void> {
    for (const kind of ['facts', 'wake'] as const)
      for (let n = 0; n < AT_ONCE; n++) this.#free[kind].push(this.#handler(store));
    return Promise.resolve();
  }

  /** Until `over`. */
  async run(over: () => boolean): Promise<void> {
    const until = plusMs(this.time, 30 * 60_000);
    while (!over()) {
      this.#invoke();
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#busy > 0) {
        await new Promise<void>((resolve) => (this.#idle = resolve));
        continue;
      }
      // What is due and waits for a handler waits for one that sleeps.
      const others = [this.#facts[this.#nextFact]?.at, ...this.#wakes.map(({ at }) => at)].filter(
        (at) => at !== undefined && at > this.time,
      );
      const next = Math.min(this.#sleepers.soonest() ?? Infinity, ...others.map(Number));
      if (next > until) throw new Error(`nothing happens any more; ${JSON.stringify(this.status?.chunks[0])}`);
      this.time = asEpochMs(next);
      this.#sleepers.takeDue(this.time)?.();
    }
  }

  readonly #clock = {
    now: () => this.time,
    sleep: async (ms: number) =>
      new Promise<void>((resolve) => this.#sleepers.add(resolve, plusMs(this.time, Math.max(1, ms)))),
  };

  /** Lambda's mapping: as many invocations as may be. */
  #invoke(): void {
    while (this.#running.facts < AT_ONCE && (this.#facts[this.#nextFact]?.at ?? Infinity) <= this.time)
      this.#start('facts', this.#take(10));
    const due = this.#wakes.filter(({ at }) => at <= this.time);
    if (due.length === 0 || this.#running.wake >= AT_ONCE) return;
    this.#wakes = this.#wakes.filter((wake) => !due.includes(wake));
    this.#start('wake', due);
  }

  #start(kind: 'facts' | 'wake', messages: readonly Message[]): void {
    const handler = this.#free[kind].pop();
    if (handler === undefined) throw new Error('there is a handler for each invocation');
    this.#running[kind]++;
    void handler(anEvent(messages.map(({ body }) => body())), contextOf('reconcile', 30_000)).then((response) => {
      this.failures += response.batchItemFailures.length;
      this.#running[kind]--;
      this.#free[kind].push(handler);
    });
  }

  #take(max: number): readonly Message[] {
    const taken: Message[] = [];
    for (let next = this.#facts[this.#nextFact]; taken.length < max; next = this.#facts[this.#nextFact]) {
      if (next === undefined || next.at > this.time) break;
      taken.push(next);
      this.#nextFact++;
    }
    return taken;
  }

  #handler(store: Pick<Deps, 'jobs' | 'feed' | 'limits' | 'objects'>): Handler {
    const jobs = this.#slow(store.jobs);
    const feed = this.#slow(store.feed);
    const inbox: Inbox = {
      ...anInbox().inbox,
      receive: async () => {
        await this.#clock.sleep(COST_MS.sqs);
        return this.#take(10).map(
          ({ body }, n): Received => ({ id: `x${n}`, receipt: `x${n}`, body: body(), receives: 1 }),
        );
      },
      remove: async () => this.#clock.sleep(COST_MS.sqs),
    };
    const base = aRuntime(inbox, { ms: 300, burst: 1 }).runtime;
    const limits = this.#slow(store.limits);
    const queues: Deps['queues'] = {
      wake: async (wakeUps) => {
        await this.#clock.sleep(COST_MS.sqs);
        for (const { delaySec, ...wakeUp } of wakeUps)
          this.#wakes.push({ at: plusMs(this.time, delaySec * 1_000), body: () => formatWakeUp(wakeUp) });
      },
      wakeCrons: async () => undefined,
      facts: async () => this.#clock.sleep(COST_MS.sqs),
      dispatch: async () => this.#clock.sleep(COST_MS.sqs),
    };
    const deps = {
      ...base.deps,
      jobs: {
        ...jobs,
        commitPass: async (uid: JobUid, status: Status, folds: Parameters<typeof jobs.commitPass>[2]) => {
          await this.#clock.sleep(COST_MS.plan);
          const committed = await jobs.commitPass(uid, status, folds);
          if (committed.kind === 'committed') this.#committed(status);
          return committed;
        },
      },
      feed,
      limits,
      objects: this.#slow(store.objects),
      queues,
      clock: this.#clock,
      cache: createCache(),
      publisher: createPublisher({ feed, clock: this.#clock }),
      pacer: createPacer({ limits, clock: this.#clock }),
    };
    const runtime = { ...base, deps, facts: inbox };
    return reconcileHandler(() => runtime);
  }

  #committed(status: Status): void {
    this.status = status;
    this.passes++;
    const counted = tally(status.chunks).succeeded - (SIZE - this.#facts.length);
    // As many as are counted had been told by then: so old is what the status says.
    const oldest = this.#facts[counted];
    if (oldest !== undefined) this.lagMaxMs = Math.max(this.lagMaxMs, this.time - oldest.at);
  }

  /** Calls that take as long as on AWS by the world's clock, and go to the engine. */
  #slow<T extends object>(port: T): T {
    return new Proxy(port, {
      get: (target, method) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          this.#busy++;
          try {
            return (await Reflect.apply(value, target, args)) as unknown;
          } finally {
            if (--this.#busy === 0) this.#idle();
            await this.#clock.sleep(method === 'writeAttempts' ? COST_MS.writeAttempts : COST_MS.dynamo);
          }
        };
      },
    });
  }
}
type Handler = ReturnType<typeof reconcileHandler>;

describe.skipIf(endpoint === null)('100,000 indexes, all of which end within a minute', () => {
  /** The Job with its last `running` indexes in this order running, the others succeeded; those end now, in this order. */
  async function burst(order: 'shuffled' | 'ascending', running: number) {
    const tableName = `burst-${order}`;
    const client = aClient();
    onTestFinished(() => client.destroy());
    await createTable(client, tableName);
    const below = dice(1);
    const all = Array.from({ length: SIZE }, (_, index) => index);
    if (order === 'shuffled')
      for (let i = SIZE - 1; i > 0; i--) {
        const j = below(i + 1);
        [all[i], all[j]] = [all[j] ?? 0, all[i] ?? 0];
      }
    const ending = all.slice(SIZE - running);
    const isEnding = new Set(ending);

    const uid = `uid-${order}` as JobUid;
    const spec = aJob({ uid, completions: SIZE, parallelism: SIZE, createdAt: START });
    const facts = ending.map((index, n): Message => {
      const at = plusMs(START, 1_000 + Math.floor((n * 1_000) / PER_SEC));
      const taskArn = asTaskArn(
        `arn:aws:ecs:us-east-1:000000000000:task/muster/${index.toString(16).padStart(32, '0')}`,
      );
      const times = { createdAt: START, startedAt: START, stoppedAt: at };
      const id = { index, attempt: 1, nonce: 0 };
      const ended = { ...DONE, reason: 'Essential container in task exited' };
      return {
        at,
        body: () => formatFactMessage({ uid, facts: [{ ...id, kind: 'stopped', taskArn, ending: ended, times, at }] }),
      };
    });
    const world = new World(facts);
    const store = createDynamoStore({ client, tableName, now: () => world.time });
    await openNamespace(store.objects, 'default', START);
    const job = { ...spec.identity, revision: 1, spec: planningSpec(spec) };
    const fresh = freshStatus(job, START);
    await store.jobs.createJob(spec, fresh);
    const folds = Array.from({ length: chunksFor(SIZE) }, (_, no) => {
      const chunk = emptyChunk();
      const length = chunkLength(SIZE, no);
      for (let offset = 0; offset < length; offset++) {
        const state = isEnding.has(no * CHUNK_INDEXES + offset) ? 'running' : 'succeeded';
        setRecord(chunk, offset, { ...FRESH, state, attempt: 1 });
      }
      return { no, expectedVersion: 0, chunk, length };
    });
    const inspect = { at: plusMs(START, 3_600_000), intervalMs: 3_600_000 };
    const status: Status = {
      ...fresh,
      version: 2,
      startTime: START,
      chunks: folds.map(({ chunk, length }) => ({ ...recount(chunk, length), version: 1 })),
      inspect,
      alarms: [inspect.at],
      published: { version: 2, seq: 0, at: START },
    };
    expect(await store.jobs.commitPass(uid, status, folds)).toEqual({ kind: 'committed' });
    world.heat.watch(client);
    await world.open(store);
    await world.run(() => world.status?.phase.kind === 'finished');
    return world;
  }

  test.each([
    ['shuffled', BURST],
    ['ascending', Math.min(BURST, 3 * CHUNK_INDEXES)],
  ] as const)(
    'no item and no partition above 1,000 write units a second, the status at most 10 s behind (%s, %i of them)',
    { timeout: 1_800_000 },
    async (order, running) => {
      const startedAt = performance.now();
      const world = await burst(order, running);
      const { status, heat } = world;
      expect(status).toMatchObject({ phase: { kind: 'finished', verdict: { kind: 'complete' } }, failed: 0 });
      expect(world.failures).toBe(0);
      expect(tally(status?.chunks ?? [])).toMatchObject({ succeeded: SIZE, running: 0, failed: 0 });
      if (process.env['BURST'] !== undefined)
        console.log(order, {
          realSec: Math.round((performance.now() - startedAt) / 1000),
          virtualSec: Math.round((world.time - START) / 1000),
          commits: world.passes,
          lagMaxMs: world.lagMaxMs,
          unitsEach: heat.totalUnits / running,
          items: heat
            .byKind('item')
            .slice(0, 3)
            .map(({ peak }) => peak),
          partitions: heat
            .byKind('partition')
            .slice(0, 3)
            .map(({ peak }) => peak),
        });
      expect(heat.hottest('item')?.units).toBeLessThanOrEqual(UNITS_MAX);
      expect(heat.hottest('partition')?.units).toBeLessThanOrEqual(UNITS_MAX);
      expect(world.lagMaxMs).toBeLessThanOrEqual(LAG_MAX_MS);
    },
  );
});
