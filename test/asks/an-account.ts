import type { RunTaskResponse } from '@aws-sdk/client-ecs';
import { type EcsOptions, createEcs } from '../../local/ecs/create-ecs.ts';
import type { Script } from '../../local/ecs/driver/simulated-driver.ts';
import { AlarmHeap } from '../../local/ecs/timers.ts';
import { serveAwsJson } from '../../local/wire/aws-json.ts';
import { ecsService } from '../../local/wire/ecs-wire.ts';
import { listenOnLoopback } from '../../local/wire/loopback-server.ts';
import { createEcsTasks } from '../../shared/adapters/aws/ecs/ecs-tasks.ts';
import { createEcsClients, sdkEcsCalls } from '../../shared/adapters/aws/ecs/sdk-ecs-calls.ts';
import { CAPABILITY_SWEEPS } from '../../shared/capabilities/lists/sweeps.ts';
import type { JobUid } from '../../shared/domain/base/ids.ts';
import { Handler } from '../support/a-handler.ts';
import { Stage } from '../support/a-stage.ts';

const CLUSTER = 'muster';
const REGION = 'us-east-1';

/** What ECS does with one RunTask: `perform` carries it out; what is thrown is answered as AWS words it. */
export type RunTaskFate = (perform: () => RunTaskResponse, nth: number) => RunTaskResponse;
/** A RunTask that reached ECS. */
export type RunTaskCall = {
  readonly clientToken: string;
  readonly group: string;
  readonly capacity: string;
  readonly body: string;
};

export type AccountOptions = Pick<EcsOptions, 'events' | 'quota' | 'limits'> & {
  /** how tasks go */
  readonly script?: Script;
};

/**
 * A stage whose ECS is the embedded one behind the real SDK client and our adapter, by the stage's clock: what goes over
 * the wire is AWS's, only time and the faults are made here. Events come to the fact queue as EventBridge brings them.
 */
export class Account extends Stage {
  /** Every RunTask that reached ECS, oldest first. */
  readonly runs: RunTaskCall[] = [];
  /** What ECS does with the next calls of RunTask. */
  runTask: RunTaskFate = (perform) => perform();
  /** The next so many answers of RunTask never arrive; ECS has done what was asked. */
  answersLost = 0;
  readonly #alarms = new AlarmHeap();
  readonly #ecs;
  readonly #tasks;
  readonly #server;
  readonly #clients;

  private constructor(
    ecs: ReturnType<typeof createEcs>,
    server: { readonly url: string; close(): Promise<void> },
    alarms: AlarmHeap,
  ) {
    super();
    this.#ecs = ecs;
    this.#server = server;
    this.#alarms = alarms;
    this.#clients = createEcsClients({ region: REGION, endpoint: server.url });
    this.#loseAnswers();
    this.#tasks = createEcsTasks({
      calls: sdkEcsCalls(this.#clients),
      placement: {
        cluster: CLUSTER,
        subnets: ['subnet-1'],
        securityGroups: [],
        assignPublicIp: 'DISABLED',
        capacity: 'FARGATE',
      },
      definitions: {
        region: REGION,
        executionRoleArn: 'arn:aws:iam::000000000000:role/execution',
        taskRoleArn: null,
        taskRoles: null,
        logGroup: '/muster/tasks',
      },
    });
  }

  static async open({ script = {}, ...options }: AccountOptions = {}): Promise<Account> {
    const alarms = new AlarmHeap();
    let account: Account | null = null;
    const here = (): Account => {
      if (account === null) throw new Error('ECS was called before the account was open');
      return account;
    };
    const now = (): number => here().time;
    const ecs = createEcs({
      ...options,
      driver: { kind: 'simulated', script },
      events: { ...options.events, statuses: ['RUNNING', 'STOPPED'] },
      clusters: [CLUSTER],
      timers: {
        now,
        after(delayMs, run) {
          const alarm = alarms.set(now() + delayMs, run);
          return () => {
            alarm.run = null;
          };
        },
        close: () => undefined,
      },
      onEvent: async (event) => here().mail.send('facts', JSON.stringify(event)),
    });
    const service = ecsService({ ...ecs.api, RunTask: (input) => here().#answer(input) });
    const server = await listenOnLoopback(serveAwsJson([service]));
    account = new Account(ecs, server, alarms);
    await ecs.start();
    return account;
  }

  override handler(wish: { readonly skewMs?: number } = {}): Handler {
    const all = { ...this.store, tasks: this.#tasks, queues: this.mail.queues, ports: this.ports };
    return new Handler(all, () => this.time, wish.skewMs ?? 0);
  }

  override advance(ms: number): void {
    const until = this.time + ms;
    for (;;) {
      this.#alarms.ring(this.time);
      const next = this.#alarms.nextAtMs();
      if (next === null || next > until) break;
      super.advance(Math.max(0, next - this.time));
    }
    super.advance(until - this.time);
  }

  /** What happens by itself for `ms`: tasks go on, messages are worked on, the sweep comes by each minute. */
  async elapse(ms: number, stepMs = 1_000): Promise<void> {
    const until = this.time + ms;
    while (this.time < until) {
      const minute = Math.floor(this.time / 60_000);
      this.advance(Math.min(stepMs, until - this.time));
      await new Promise((resolve) => setImmediate(resolve)); // events that are due are handed over
      if (Math.floor(this.time / 60_000) > minute) {
        await this.sweep();
        for (const sweep of CAPABILITY_SWEEPS) await sweep(this.handler().deps);
      }
      await this.settle();
    }
  }

  /** The Job is over, or it is not within `mostMs`. */
  async elapseUntilOver(uid: JobUid, mostMs: number): Promise<void> {
    const until = this.time + mostMs;
    while (this.time < until && (await this.status(uid)).phase.kind !== 'finished') await this.elapse(1_000);
  }

  /** ARNs of tasks that run or start. */
  liveArns(uid: JobUid): readonly string[] {
    const all: string[] = [];
    let next: string | undefined;
    do {
      const { taskArns = [], nextToken } = this.#ecs.api.ListTasks({
        cluster: CLUSTER,
        startedBy: uid,
        ...(next === undefined ? {} : { nextToken: next }),
      });
      all.push(...taskArns);
      next = nextToken;
    } while (next !== undefined);
    return all;
  }

  async close(): Promise<void> {
    this.#clients.launching.destroy();
    this.#clients.other.destroy();
    await this.#server.close();
  }

  #answer(input: unknown): RunTaskResponse {
    const { clientToken, group, launchType, capacityProviderStrategy } = input as {
      readonly clientToken: string;
      readonly group: string;
      readonly launchType?: string;
      readonly capacityProviderStrategy?: readonly { readonly capacityProvider: string }[];
    };
    const capacity = launchType ?? capacityProviderStrategy?.[0]?.capacityProvider ?? '';
    const nth = this.runs.push({ clientToken, group, capacity, body: JSON.stringify(input) });
    return this.runTask(() => this.#ecs.api.RunTask(input), nth);
  }

  #loseAnswers(): void {
    this.#clients.launching.middlewareStack.add(
      (next) => async (args) => {
        const answered = await next(args);
        if (this.answersLost === 0) return answered;
        // It took too long, or the connection broke.
        if (this.answersLost-- % 2 === 0) throw Object.assign(new Error('timed out'), { name: 'TimeoutError' });
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      },
      { step: 'initialize', name: 'loseAnswers' },
    );
  }
}

/** The tokens of some calls, one each. */
export const tokensOf = (calls: readonly RunTaskCall[]): readonly string[] => [
  ...new Set(calls.map(({ clientToken }) => clientToken)),
];

/** An answer with HTTP 200 that has started nothing. */
export const failing = (reason: string): RunTaskResponse => ({ tasks: [], failures: [{ reason }] });
