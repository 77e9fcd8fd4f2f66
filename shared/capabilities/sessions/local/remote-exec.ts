import { Readable, Writable } from 'node:stream';
import { type ContainerSession, SessionError, type TerminalSize } from '../../../../local/container-sessions.ts';
import { INPUT_END, type Told, pipedReader, terminalReader } from '../domain/exec-output.ts';
import { PAYLOADS } from '../domain/ssm-messages.ts';
import type { OpenedSession } from '../ports/remote-sessions.ts';
import { type DataChannel, openDataChannel } from './data-channel.ts';
import { promised } from './promised.ts';

export type RemoteExec = {
  readonly session: OpenedSession;
  readonly tty: boolean;
  readonly stdin: boolean;
  /** What the shell in the container was given (`scriptedCommand`). */
  readonly mark: string;
  /** Ends the session, whatever it does. */
  readonly end: () => void;
};

/** A line of input at its longest, in bytes before base64: each costs two programs in the container. */
const LINE_BYTES_MAX = 30_000;
const END_OF_TYPING = Uint8Array.of(4);
/** How long the end of the input may take once the command has ended. */
const SETTLE_MS = 3_000;

/** A command that runs in a container far away, as the streams that it would have here. */
export function remoteExec({ session, tty, stdin, mark, end }: RemoteExec): ContainerSession {
  const reader = tty ? terminalReader(mark) : pipedReader();
  const began = promised<void>();
  const ended = promised<number>();
  const outputs = { stdout: new Output(() => channel), stderr: new Output(() => channel) };
  let isOver = false;
  const finish = (exitCode: number | null, why = ''): void => {
    if (isOver) return;
    isOver = true;
    began.resolve();
    if (exitCode === null) ended.reject(new SessionError(why));
    else ended.resolve(exitCode);
    for (const output of Object.values(outputs)) output.push(null);
  };
  const hear = (told: Told): void => {
    if (told.kind === 'stdout' || told.kind === 'stderr') outputs[told.kind].hear(told.bytes);
    else if (told.kind === 'begins') began.resolve();
    else if (told.kind === 'missing') {
      finish(null, missingText(told.program));
      end();
      channel.close();
    } else if (told.kind === 'ended') {
      finish(told.exitCode);
      void leave();
    }
  };
  const channel: DataChannel = openDataChannel(session, (payloadType, payload) => {
    if (isOver) return;
    if (payloadType === PAYLOADS.output) for (const told of reader.read(payload)) hear(told);
    else if (payloadType === PAYLOADS.stderr) outputs.stderr.hear(payload);
  });
  /** The shell ends by itself, once its input does. */
  const leave = async (): Promise<void> => {
    if (stdin && !tty) await channel.send(PAYLOADS.output, text(INPUT_END));
    await channel.settled(SETTLE_MS);
    channel.close();
  };
  channel.over.then(
    ({ why }) => finish(null, endText(why)),
    () => undefined,
  );
  if (tty)
    channel.ready.then(
      () => began.resolve(),
      () => undefined,
    );
  return {
    stdin: stdin ? inputOf(channel, began.promise, tty) : null,
    stdout: outputs.stdout,
    stderr: tty ? null : outputs.stderr,
    resize({ width, height }: TerminalSize) {
      if (!tty) return;
      channel.ready
        .then(async () => channel.send(PAYLOADS.size, text(JSON.stringify({ cols: width, rows: height }))))
        .catch(() => undefined);
    },
    ended: ended.promise,
    hangUp() {
      if (isOver) return;
      finish(null, 'the client is gone');
      end();
      channel.close();
    },
  };
}

const text = (of: string): Uint8Array => new TextEncoder().encode(of);

const missingText = (program: string): string =>
  `without a terminal, a command needs sh, base64, dd, and for its input stty in its container, and ${program} is missing: use -t, or an image that has it`;

const endText = (why: string): string =>
  why === '' ? 'the session ended before its command did' : `the session ended: ${why.replaceAll(/\s+/g, ' ').trim()}`;

function inputOf(channel: DataChannel, began: Promise<unknown>, tty: boolean): Writable {
  const asSent = (bytes: Buffer): readonly Uint8Array[] => {
    if (tty) return [bytes];
    const lines = [];
    for (let at = 0; at < bytes.length; at += LINE_BYTES_MAX)
      lines.push(text(`${bytes.subarray(at, at + LINE_BYTES_MAX).toString('base64')}\n`));
    return lines;
  };
  const send = async (pieces: readonly Uint8Array[]): Promise<void> => {
    await began;
    for (const piece of pieces) await channel.send(PAYLOADS.output, piece);
  };
  return new Writable({
    write: (bytes: Buffer, _encoding, done) => void send(asSent(bytes)).then(() => done(), done),
    // What has piled up is one line.
    writev: (chunks, done) =>
      void send(asSent(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)))).then(() => done(), done),
    final: (done) => void send([tty ? END_OF_TYPING : text(INPUT_END)]).then(() => done(), done),
  });
}

/** What is not read holds its channel up. */
class Output extends Readable {
  readonly #channel: () => DataChannel;
  #isPaused = false;

  constructor(channel: () => DataChannel) {
    super({ highWaterMark: OUTPUT_BYTES });
    this.#channel = channel;
  }

  hear(bytes: Uint8Array): void {
    if (this.destroyed || this.push(bytes)) return;
    this.#isPaused = true;
    this.#channel().pause();
  }

  override _read(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#channel().resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this._read();
    done(error);
  }
}

const OUTPUT_BYTES = 1024 * 1024;
