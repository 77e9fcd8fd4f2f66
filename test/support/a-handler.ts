import { createHash } from 'node:crypto';
import { createCache } from '../../shared/control/process/cache.ts';
import type { Deps } from '../../shared/control/process/deps.ts';
import { dispatch } from '../../shared/control/dispatch/dispatch.ts';
import { createPacer } from '../../shared/control/process/pacer.ts';
import { createPublisher } from '../../shared/control/process/publisher.ts';
import { createCapabilityState } from '../../shared/capabilities/lists/process-state.ts';
import { type ReconcileRequest, type Reconciled, reconcileBatch } from '../../shared/control/reconcile/reconcile.ts';
import { type EpochMs, plusMs } from '../../shared/domain/base/time.ts';
import type { JobUid } from '../../shared/domain/base/ids.ts';
import { AWS_TIMING } from '../../shared/domain/base/timing.ts';
import type { CapabilityPorts } from '../../shared/ports/capability-ports.ts';
import type { DispatchMessage } from '../../shared/ports/queues.ts';

export type Ports = Pick<
  Deps,
  'jobs' | 'feed' | 'limits' | 'hosts' | 'items' | 'crons' | 'waiters' | 'objects' | 'tasks' | 'queues'
> &
  Partial<Pick<Deps, 'ports'> & Pick<Deps['settings'], 'announced' | 'firstPodsMax'>>;
type PortName = Exclude<keyof Ports, 'ports' | 'announced' | 'firstPodsMax'> | keyof CapabilityPorts;

/** Names without a rate. */
const UNHURRIED = { max: 2_000, servicesPerSec: null, tasksPerSec: null };

/** What comes of a port call instead of the call itself, which `perform` carries out. */
type Instead = (perform: () => Promise<unknown>, args: readonly unknown[]) => Promise<unknown>;

/** A handler that stands before or behind a port call, and stays there for ever unless it is released. */
export type Held = { readonly reached: Promise<void>; readonly release: () => void };

/** One process with a cache, a publisher and a clock of its own, whose ports a test can stop or answer for. */
export class Handler {
  readonly deps: Deps;
  readonly counts = new Map<string, number>();
  readonly calls: string[] = [];
  readonly #instead = new Map<string, Instead[]>();

  constructor(ports: Ports, now: () => EpochMs, skewMs: number) {
    const clock = {
      now: () => plusMs(now(), skewMs),
      sleep: async () => Promise.reject(new Error('without a rate nobody waits')),
    };
    const limits = this.#watched('limits', ports.limits);
    const feed = this.#watched('feed', ports.feed);
    this.deps = {
      jobs: this.#watched('jobs', ports.jobs),
      feed,
      limits,
      hosts: this.#watched('hosts', ports.hosts),
      ports: Object.fromEntries(
        Object.entries<object>(ports.ports ?? {}).map(([name, port]) => [name, this.#watched(name, port)]),
      ),
      items: this.#watched('items', ports.items),
      crons: this.#watched('crons', ports.crons),
      waiters: this.#watched('waiters', ports.waiters),
      objects: this.#watched('objects', ports.objects),
      tasks: this.#watched('tasks', ports.tasks),
      queues: this.#watched('queues', ports.queues),
      clock,
      telemetry: {
        count: (metric, value) => void this.counts.set(metric, (this.counts.get(metric) ?? 0) + value),
        record: () => undefined,
        info: () => undefined,
        warn: () => undefined,
      },
      cache: createCache(),
      publisher: createPublisher({ feed, clock }),
      pacer: createPacer({ limits, clock }),
      state: createCapabilityState({ objects: ports.objects, clock }, 0),
      settings: {
        timing: AWS_TIMING,
        launchesPerSec: null,
        stopsPerSec: null,
        historyMs: 30 * 86_400_000,
        announced: ports.announced ?? null,
        ...(ports.firstPodsMax === undefined ? {} : { firstPodsMax: ports.firstPodsMax }),
        hosts: UNHURRIED,
      },
      hash: (text) => createHash('sha256').update(text).digest('hex'),
    };
  }

  /** The next call of `port.method` (calls after it, if others are arranged already) goes as `instead` says. */
  arrange(call: `${PortName}.${string}`, instead: Instead): void {
    this.#instead.set(call, [...(this.#instead.get(call) ?? []), instead]);
  }

  /** The next call of `port.method` stops there: before it is carried out, or with its answer on the way. */
  hold(where: 'before' | 'behind', call: `${PortName}.${string}`): Held {
    let arrive: () => void = () => undefined;
    let release: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => (arrive = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    this.arrange(call, async (perform) => {
      const early = where === 'behind' ? await perform() : undefined;
      arrive();
      await released;
      return where === 'behind' ? early : perform();
    });
    return { reached, release };
  }

  /** One pass for each Job that is looked at; what a pass throws is thrown. */
  async pass(...looks: readonly (ReconcileRequest | JobUid)[]): Promise<readonly Reconciled[]> {
    const results = await reconcileBatch(
      looks.map((look) => (typeof look === 'string' ? { uid: look, facts: [] } : look)),
      this.deps,
    );
    for (const result of results) if (result.kind === 'threw') throw result.error;
    return results;
  }

  async dispatch(messages: readonly DispatchMessage[]): Promise<void> {
    for (const message of messages) await dispatch(message, this.deps);
  }

  #watched<T extends object>(port: string, real: T): T {
    return new Proxy(real, {
      get: (target, method) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const call = `${port}.${String(method)}`;
          this.calls.push(call);
          const perform = async (): Promise<unknown> => Reflect.apply(value, target, args);
          const instead = this.#instead.get(call)?.shift();
          return instead === undefined ? perform() : instead(perform, args);
        };
      },
    });
  }
}
