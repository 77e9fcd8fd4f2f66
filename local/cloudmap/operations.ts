import { randomBytes } from 'node:crypto';
import type { Timers } from '../ecs/timers.ts';

/** What Cloud Map does after it answers: submitted, pending, then succeeded or failed. */
export type Operation = {
  readonly id: string;
  readonly type: 'REGISTER_INSTANCE' | 'DEREGISTER_INSTANCE';
  readonly serviceId: string;
  readonly instanceId: string;
  readonly createdAtMs: number;
};

export type OperationState = {
  readonly status: 'SUBMITTED' | 'PENDING' | 'SUCCESS' | 'FAIL';
  readonly updatedAtMs: number;
  readonly errorCode: string | null;
};

type Entry = Operation & { readonly delayMs: number; done: OperationState | null };

/** Finished operations stay visible for at least this long. */
const REMEMBERED_MS = 600_000;

/** Operations by id. Finished ones are forgotten after a while; AWS keeps them longer than any caller asks. */
export class Operations {
  readonly #timers: Timers;
  /** oldest first */
  readonly #entries = new Map<string, Entry>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Records an operation that takes `delayMs`. Then `finish` applies it and returns an error code, or null. */
  submit(
    operation: Omit<Operation, 'id' | 'createdAtMs'>,
    delayMs: number,
    finish: (done: Operation) => string | null,
  ): string {
    this.#forget();
    const entry: Entry = {
      ...operation,
      id: newOperationId(),
      createdAtMs: this.#timers.now(),
      delayMs,
      done: null,
    };
    this.#entries.set(entry.id, entry);
    this.#timers.after(delayMs, () => {
      const errorCode = finish(entry);
      entry.done = { status: errorCode === null ? 'SUCCESS' : 'FAIL', updatedAtMs: this.#timers.now(), errorCode };
    });
    return entry.id;
  }

  get(id: string): (Operation & OperationState) | null {
    const entry = this.#entries.get(id);
    if (entry === undefined) return null;
    const { delayMs, done, ...operation } = entry;
    if (done !== null) return { ...operation, ...done };
    const pendingAtMs = entry.createdAtMs + delayMs / 2;
    return this.#timers.now() < pendingAtMs
      ? { ...operation, status: 'SUBMITTED', updatedAtMs: entry.createdAtMs, errorCode: null }
      : { ...operation, status: 'PENDING', updatedAtMs: pendingAtMs, errorCode: null };
  }

  #forget(): void {
    for (const [id, { createdAtMs, done }] of this.#entries) {
      if (done === null || createdAtMs + REMEMBERED_MS > this.#timers.now()) return;
      this.#entries.delete(id);
    }
  }
}

const newOperationId = (): string => `${randomBytes(16).toString('hex')}-${randomBytes(4).toString('hex')}`;
