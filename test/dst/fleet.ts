import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { SeedResult } from './seed-run.ts';
import type { Variation } from './variation.ts';

export type Task = {
  readonly seed: number;
  readonly variation: Variation;
  /** Should it break something, a smaller run that breaks the same is looked for. */
  readonly shrinks: boolean;
};

export type Broken = {
  readonly seed: number;
  /** What the run itself broke. */
  readonly broken: readonly string[];
  /** What the smallest run broke, after so many tries. */
  readonly shrunk: string;
  readonly runs: number;
  readonly replay: string;
  readonly story: readonly string[];
};

export type WorkDone = { readonly result: SeedResult; readonly broken: Broken | null };

/** A seed of 250,000 steps takes minutes on a loaded machine; one that takes longer goes in circles within a step. */
const SEED_MAX_MS = 900_000;

export type FleetOptions = {
  /** The next seed; null: there are no more. */
  readonly next: () => Task | null;
  readonly done: (work: WorkDone) => void;
  /** A process has died or has not answered: what it worked on, and why. */
  readonly lost: (task: Task, why: string) => void;
};

/** As many processes as there are cores run seeds until there are no more, or `stop` is called. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #children = new Set<ChildProcess>();
  #stopped = false;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  async run(processes = availableParallelism()): Promise<void> {
    await Promise.all(Array.from({ length: processes }, () => this.#member()));
  }

  stop(): void {
    this.#stopped = true;
    for (const child of this.#children) child.kill('SIGKILL');
  }

  async #member(): Promise<void> {
    let child: ChildProcess | null = null;
    for (let task = this.#take(); task !== null; task = this.#take()) {
      child ??= this.#start();
      const outcome = await ask(child, task);
      if (this.#stopped) break;
      if (outcome.kind === 'done') this.#options.done(outcome.work);
      else {
        child.kill('SIGKILL');
        this.#children.delete(child);
        child = null;
        this.#options.lost(task, outcome.why);
      }
    }
    if (child !== null) await ended(child);
  }

  #take(): Task | null {
    return this.#stopped ? null : this.#options.next();
  }

  #start(): ChildProcess {
    const child = fork(new URL('./worker.ts', import.meta.url), { serialization: 'advanced' });
    this.#children.add(child);
    return child;
  }
}

type Outcome = { readonly kind: 'done'; readonly work: WorkDone } | { readonly kind: 'lost'; readonly why: string };

function ask(child: ChildProcess, task: Task): Promise<Outcome> {
  return new Promise((resolve) => {
    const settle = (outcome: Outcome): void => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(outcome);
    };
    const onMessage = (work: unknown): void => settle({ kind: 'done', work: work as WorkDone });
    const onExit = (code: number | null, signal: string | null): void =>
      settle({ kind: 'lost', why: `its process ended (${signal ?? code})` });
    const timer = setTimeout(
      () => settle({ kind: 'lost', why: `no answer within ${SEED_MAX_MS / 1000} s` }),
      SEED_MAX_MS,
    );
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.send(task);
  });
}

/** The child goes when nobody talks to it any more. */
function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.disconnect();
  });
}
