import * as z from 'zod';
import { type Engine, EngineError, isAway } from './engine.ts';
import type { ListedContainer } from './leftovers.ts';
import { LABELS, networkName } from './names.ts';

/** Containers that are being removed at once. */
const REMOVALS_AT_ONCE = 4;

export type RemovalsOptions = {
  readonly engine: Engine;
  readonly installation: string;
  /** The engine answers; what is to go waits otherwise. */
  readonly isThere: () => boolean;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
};

const ContainersSchema = z.array(
  z.looseObject({ Id: z.string(), Names: z.array(z.string()), Labels: z.record(z.string(), z.string()) }),
);
const VolumesSchema = z.looseObject({ Volumes: z.array(z.looseObject({ Name: z.string() })).nullish() });

/** What an installation has in an engine, and its removal. */
export class Removals {
  readonly #options: RemovalsOptions;
  readonly #waiting: string[] = [];
  readonly #running = new Set<string>();

  constructor(options: RemovalsOptions) {
    this.#options = options;
  }

  /** Removes a container soon, whatever its state; it may be gone already. */
  add(container: string): void {
    this.#waiting.push(container);
    this.goOn();
  }

  /** The engine is back. */
  goOn(): void {
    while (this.#running.size < REMOVALS_AT_ONCE && this.#options.isThere()) {
      const name = this.#waiting.shift();
      if (name === undefined) return;
      this.#running.add(name);
      void this.#remove(name).finally(() => {
        this.#running.delete(name);
        this.goOn();
      });
    }
  }

  /** Removes containers now; resolves when they are gone, or cannot be removed. */
  async all(containers: readonly string[]): Promise<void> {
    await Promise.all(containers.map(async (each) => this.#remove(each)));
  }

  async #remove(name: string): Promise<void> {
    const { engine, log } = this.#options;
    try {
      await engine.ask({ method: 'DELETE', path: `/containers/${name}`, query: { force: true, v: true } });
    } catch (error) {
      if (isAway(error)) this.#waiting.push(name);
      // 404: it was never made; 409: it is being removed
      else if (!(error instanceof EngineError && (error.status === 404 || error.status === 409)))
        log('a container could not be removed', { name, error });
    }
  }

  /** Whether a container is being removed, or waits for that. */
  isRemoving(name: string): boolean {
    return this.#waiting.includes(name) || this.#running.has(name);
  }

  /** The names of the containers that have a label. Throws an EngineError. */
  async labelled(label: string): Promise<readonly string[]> {
    return (await this.#containers()).filter(({ Labels }) => Labels[label] !== undefined).map(nameOf);
  }

  /** Removes the volumes whose names begin so. */
  async volumes(prefix: string): Promise<void> {
    const { engine, log } = this.#options;
    try {
      for (const name of await this.#volumes())
        if (name.startsWith(prefix)) await engine.ask({ method: 'DELETE', path: `/volumes/${name}` });
    } catch (error) {
      log('volumes could not be removed from the container engine', { prefix, error });
    }
  }

  /** Containers, the keeper, volumes, the network. What an engine that is away keeps, the next start removes. */
  async everything(): Promise<void> {
    const { engine, installation, log } = this.#options;
    try {
      await this.all((await this.#containers()).map(({ Id }) => Id));
      for (const name of await this.#volumes()) await engine.ask({ method: 'DELETE', path: `/volumes/${name}` });
      await engine.ask({ method: 'DELETE', path: `/networks/${networkName(installation)}` });
    } catch (error) {
      log('something was left in the container engine', { error });
    }
  }

  async #containers(): Promise<z.output<typeof ContainersSchema>> {
    return labelledContainers(this.#options.engine, this.#label);
  }

  async #volumes(): Promise<readonly string[]> {
    const query = { filters: this.#filters() };
    const answer = await this.#options.engine.ask({ method: 'GET', path: '/volumes', query });
    return (VolumesSchema.parse(answer).Volumes ?? []).map(({ Name }) => Name);
  }

  #filters(): string {
    return JSON.stringify({ label: [this.#label] });
  }

  get #label(): string {
    return `${LABELS.installation}=${this.#options.installation}`;
  }
}

async function labelledContainers(engine: Engine, label: string): Promise<z.output<typeof ContainersSchema>> {
  const query = { all: true, filters: JSON.stringify({ label: [label] }) };
  return ContainersSchema.parse(await engine.ask({ method: 'GET', path: '/containers/json', query }));
}

/** The containers of all installations. Throws an EngineError. */
export async function listContainers(engine: Engine): Promise<readonly ListedContainer[]> {
  return (await labelledContainers(engine, LABELS.installation)).map((found) => ({
    name: nameOf(found),
    labels: found.Labels,
  }));
}

const nameOf = ({ Id, Names }: z.output<typeof ContainersSchema>[number]): string => Names[0]?.slice(1) ?? Id;
