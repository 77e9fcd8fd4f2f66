import type { Rows } from '../../../shared/store/rows/row.ts';
import { type Calls, type Invocation, type Process, type RequestKind, eachMethod, never } from '../world/calls.ts';

/**
 * Where processes run one after the other, as in a container of Lambda's: what a store remembers (heads of feeds, commits that wait
 * for one another) is still there for the next one. It goes with a process that dies.
 */
export class Container {
  /** The engine, each request of which is a step of the process that runs here now. */
  readonly rows: Rows;
  process: Process;
  readonly #calls: Calls;
  #invocation: Invocation = { name: 'store', isLost: false, fail: () => undefined, resume: () => undefined };

  constructor(calls: Calls, engine: Rows, process: Process) {
    this.#calls = calls;
    this.process = process;
    this.rows = {
      get: async (keys) => this.#request('get', keys, async () => engine.get(keys)),
      range: async (range) => this.#request('range', range, async () => engine.range(range)),
      write: async (write) => this.#request('write', write, async () => engine.write(write)),
      transact: async (token, writes) => this.#request('transact', writes, async () => engine.transact(token, writes)),
      batch: async (writes) => this.#request('batch', writes, async () => engine.batch(writes)),
      alarms: async (range) => this.#request('alarms', range, async () => engine.alarms(range)),
      pause: async (ms) => this.#request('pause', ms, async () => undefined, Math.ceil(ms)),
      storedBytes: (body) => engine.storedBytes(body),
      atOnce: engine.atOnce,
    };
  }

  /**
   * Ports of the store that runs on {@link rows}, with their watchers: what a method returns or throws does not come to a process
   * that is dead, nor to one that has heard of an error. Watchers, which are within, have seen it.
   *
   * Which method a request belongs to follows from the order: a method makes its first request before it returns its promise, and all
   * others once the one before is answered, before anything else happens.
   */
  ports<T extends Readonly<Record<string, object>>>(ports: T): T {
    return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, this.#port(name, port)])) as T;
  }

  #port<T extends object>(name: string, real: T): T {
    return eachMethod(real, (method, value) => (...args) => {
      const { process } = this;
      if (process.dead) return never();
      return new Promise((resolve, reject) => {
        const fail = (error: unknown): void => {
          if (!process.dead) reject(error);
        };
        const invocation: Invocation = {
          name: `${name}.${method}`,
          isLost: false,
          fail,
          resume: () => (this.#invocation = invocation),
        };
        this.#invocation = invocation;
        this.#calls.crashPoints.methods++;
        Promise.resolve(value(...args)).then((answer) => {
          if (!process.dead) resolve(answer);
        }, fail);
      });
    });
  }

  #request<T>(kind: RequestKind, request: unknown, perform: () => Promise<T>, afterMs = 0): Promise<T> {
    return this.#calls.request(this.process, this.#invocation, kind, request, perform, afterMs) as Promise<T>;
  }
}
