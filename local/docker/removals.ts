import * as z from 'zod';
import { type Engine, EngineError, isAway } from './engine.ts';
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
  #running = 0;

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
    while (this.#running < REMOVALS_AT_ONCE && this.#options.isThere()) {
      const name = this.#waiting.shift();
      if (name === undefined) return;
      this.#running += 1;
      void this.#remove(name).finally(() => {
        this.#running -= 1;
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

  /** The names of the containers that have a label. Throws an EngineError. */
  async labelled(label: string): Promise<readonly string[]> {
    return (await this.#containers())
      .filter(({ Labels }) => Labels[label] !== undefined)
      .map(({ Id, Names }) => Names[0]?.slice(1) ?? Id);
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
    const query = { all: true, filters: this.#filters() };
    return ContainersSchema.parse(await this.#options.engine.ask({ method: 'GET', path: '/containers/json', query }));
  }

  async #volumes(): Promise<readonly string[]> {
    const query = { filters: this.#filters() };
    const answer = await this.#options.engine.ask({ method: 'GET', path: '/volumes', query });
    return (VolumesSchema.parse(answer).Volumes ?? []).map(({ Name }) => Name);
  }

  #filters(): string {
    return JSON.stringify({ label: [`${LABELS.installation}=${this.#options.installation}`] });
  }
}
