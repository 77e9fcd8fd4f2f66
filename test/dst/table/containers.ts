import type { Kind, Process } from '../world/calls.ts';
import type { Container } from './container.ts';

/** A container, and what processes in it work with. */
export type Furnished<Ports> = { readonly container: Container; readonly ports: Ports };

/** The containers of each kind of handler: a process has one for itself, the one that has run last of those that wait. */
export class Containers<Ports> {
  readonly #idle: Record<Kind, Furnished<Ports>[]> = { reconcile: [], dispatch: [], sweep: [], user: [] };
  readonly #of = new WeakMap<Process, Furnished<Ports>>();
  readonly #make: (process: Process) => Furnished<Ports>;

  constructor(make: (process: Process) => Furnished<Ports>) {
    this.#make = make;
  }

  /** What the process works with. */
  take(process: Process): Ports {
    const furnished = this.#idle[process.kind].pop() ?? this.#make(process);
    furnished.container.process = process;
    this.#of.set(process, furnished);
    return furnished.ports;
  }

  /** A container goes with a process that dies. */
  ended(process: Process): void {
    const furnished = this.#of.get(process);
    if (furnished !== undefined && !process.dead) this.#idle[process.kind].push(furnished);
  }
}
