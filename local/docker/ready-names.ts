import { createHash } from 'node:crypto';
import type { Cloudmap } from '../cloudmap/create-cloudmap.ts';
import type { Addresses } from '../ecs/driver/addresses.ts';
import type { Timers } from '../ecs/timers.ts';
import { type Engine, EngineError, isAway } from './engine.ts';
import { IDLE_IMAGE } from './idle-image.ts';
import { inspectContainer } from './found-container.ts';
import { LABELS, networkName, readyContainerName } from './names.ts';

/** What DNS would answer for a name, and when that changes. */
export type KnownNames = Pick<Cloudmap, 'lookUp' | 'watch'>;

export type ReadyNamesOptions = {
  readonly engine: Engine;
  readonly installation: string;
  readonly names: KnownNames;
  readonly addresses: () => Addresses;
  /** The engine answers; otherwise {@link ReadyNames.lookAgain} is called when it does. */
  readonly isThere: () => boolean;
  readonly timers: Timers;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
};

/** What could not be done is tried again after this time: tasks wait for the name. */
const AGAIN_MS = 1_000;

/**
 * The names that say that all tasks of a gang run. An engine resolves names of containers and nothing else. So while Cloud Map has
 * such a name, a container that only waits has it.
 */
export class ReadyNames {
  readonly #options: ReadyNamesOptions;
  /** containers that wait for each name, by {@link ReadyNames.use} */
  readonly #users = new Map<string, Set<string>>();
  /** the address of the container that has the name */
  readonly #made = new Map<string, string>();
  readonly #toLookAt = new Set<string>();
  #isWorking = false;
  #work = Promise.resolve();
  #isClosed = false;

  constructor(options: ReadyNamesOptions) {
    this.#options = options;
    options.names.watch((name) => {
      if (this.#users.has(name)) this.#look(name);
    });
  }

  /** A container, of a key of its own, may ask for the name. */
  use(name: string, key: string): void {
    const users = this.#users.get(name) ?? new Set();
    this.#users.set(name, users.add(key));
    this.#look(name);
  }

  /** Whether a container stands for one of the names. */
  has(container: string): boolean {
    return [...this.#made.keys()].some((name) => this.#containerOf(name) === container);
  }

  /** It has ended. */
  leave(name: string, key: string): void {
    const users = this.#users.get(name);
    if (users?.delete(key) !== true || users.size > 0) return;
    this.#users.delete(name);
    this.#look(name);
  }

  /** The engine is back, and may have ended what had the names. */
  lookAgain(): void {
    for (const name of new Set([...this.#made.keys(), ...this.#users.keys()])) this.#look(name);
  }

  /** Resolves when nothing is made any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#work;
  }

  #look(name: string): void {
    this.#toLookAt.add(name);
    if (!this.#isWorking) this.#work = this.#lookAtAll();
  }

  async #lookAtAll(): Promise<void> {
    this.#isWorking = true;
    for (const name of this.#toLookAt) {
      if (this.#isClosed || !this.#options.isThere()) break;
      this.#toLookAt.delete(name);
      await this.#lookAt(name);
    }
    this.#isWorking = false;
  }

  /** One after the other, so that what is made last is what Cloud Map has last. */
  async #lookAt(name: string): Promise<void> {
    const { names, timers, log } = this.#options;
    try {
      const isWanted = this.#users.has(name) && names.lookUp(name).kind === 'addresses';
      if (isWanted && (await this.#isRunning(name))) return;
      if (this.#made.has(name)) await this.#remove(name);
      if (isWanted) await this.#make(name);
    } catch (error) {
      if (!isAway(error)) log('the name of a gang could not be set in the container engine', { name, error });
      timers.after(AGAIN_MS, () => this.#look(name));
    }
  }

  async #isRunning(name: string): Promise<boolean> {
    if (!this.#made.has(name)) return false;
    const found = await inspectContainer(this.#options.engine, this.#containerOf(name));
    return found?.state === 'running';
  }

  async #make(name: string): Promise<void> {
    const { engine, installation, addresses } = this.#options;
    const address = addresses().take();
    this.#made.set(name, address);
    const container = this.#containerOf(name);
    const network = networkName(installation);
    const body = {
      Image: IDLE_IMAGE,
      Labels: { [LABELS.installation]: installation, [LABELS.name]: name },
      StopSignal: 'SIGKILL',
      HostConfig: { NetworkMode: network },
      NetworkingConfig: {
        EndpointsConfig: { [network]: { IPAMConfig: { IPv4Address: address }, Aliases: [name] } },
      },
    };
    await engine.ask({ method: 'POST', path: '/containers/create', query: { name: container }, body });
    await engine.ask({ method: 'POST', path: `/containers/${container}/start` });
  }

  async #remove(name: string): Promise<void> {
    const path = `/containers/${this.#containerOf(name)}`;
    try {
      await this.#options.engine.ask({ method: 'DELETE', path, query: { force: true } });
    } catch (error) {
      if (!(error instanceof EngineError && error.status === 404)) throw error;
    }
    const address = this.#made.get(name);
    if (address !== undefined) this.#options.addresses().release(address);
    this.#made.delete(name);
  }

  #containerOf(name: string): string {
    const { installation } = this.#options;
    return readyContainerName(installation, createHash('sha256').update(name).digest('hex').slice(0, 16));
  }
}
