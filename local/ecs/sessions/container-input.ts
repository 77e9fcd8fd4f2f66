import { Writable } from 'node:stream';
import type { TerminalSize } from '../../container-sessions.ts';

export type InputOptions = {
  /** The first client that leaves ends the input. */
  readonly once: boolean;
  /** Takes sizes of its terminal, one a line; null: it has none. */
  readonly sizes: Writable | null;
};

/** Passed on in one piece. What one client sends may come between pieces of another. */
const PIECE_BYTES = 65_536;

type Waiting = { bytes: Buffer; isGone: boolean; readonly done: () => void };

/**
 * The input of a container's program, as clients that attach share it. It is open as long as this process is there. Of what a client
 * sends nothing is kept but the piece that is under way: a program that does not read holds its clients up.
 */
export class ContainerInput {
  readonly #pipe: Writable;
  readonly #options: InputOptions;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(pipe: Writable, options: InputOptions) {
    this.#pipe = pipe;
    this.#options = options;
    // A program may close its input, or end.
    for (const each of [pipe, options.sizes]) each?.on('error', () => undefined);
    pipe.once('close', () => this.#next());
  }

  /**
   * What one client sends. A terminal, and an input that others may send to later, stay open when it has ended.
   *
   * @param onLeft the client has ended its part of an input that stays open
   */
  attach(onLeft: () => void): Writable {
    const { once, sizes } = this.#options;
    let waiting: Waiting | null = null;
    const leave = (): void => {
      if (waiting !== null) waiting.isGone = true;
      this.#waiting = this.#waiting.filter(({ isGone }) => !isGone);
      if (once && sizes === null) this.#pipe.end();
      else onLeft();
    };
    return new Writable({
      highWaterMark: PIECE_BYTES,
      write: (bytes: Buffer, _encoding, done) => {
        waiting = { bytes, isGone: false, done: () => done() };
        this.#waiting.push(waiting);
        this.#next();
      },
      final(done) {
        leave();
        done();
      },
      destroy(error, done) {
        leave();
        done(error);
      },
    });
  }

  /** Of no effect without a terminal. */
  resize({ width, height }: TerminalSize): void {
    if (this.#options.sizes?.writable === true) this.#options.sizes.write(`${width}x${height}\n`);
  }

  /** Nobody sends anything any more. */
  close(): void {
    this.#pipe.destroy();
    this.#options.sizes?.destroy();
  }

  #next(): void {
    if (!this.#pipe.writable) {
      // Nobody reads it: it is thrown away.
      for (const { done } of this.#waiting.splice(0)) done();
      return;
    }
    const first = this.#isWriting ? undefined : this.#waiting.shift();
    if (first === undefined) return;
    this.#isWriting = true;
    const piece = Buffer.from(first.bytes.subarray(0, PIECE_BYTES));
    first.bytes = first.bytes.subarray(piece.length);
    this.#pipe.write(piece, () => {
      this.#isWriting = false;
      if (first.bytes.length === 0) first.done();
      else if (!first.isGone) this.#waiting.push(first);
      this.#next();
    });
  }
}
