import { Duplex } from 'node:stream';
import { SessionError } from '../../../../local/container-sessions.ts';
import { MUX, MUX_DATA_BYTES_MAX, type MuxFrame, MuxReader, encodeFrame } from '../domain/mux-frames.ts';
import { FLAGS, PAYLOADS, flagPayload } from '../domain/ssm-messages.ts';
import type { OpenedSession } from '../ports/remote-sessions.ts';
import { type DataChannel, openDataChannel } from './data-channel.ts';

/** Connections to one port of a task, all in one session. */
export type RemotePort = {
  /** A connection. Nobody says when it is made: what goes wrong ends it. */
  connect(): Promise<Duplex>;
  readonly over: Promise<unknown>;
  close(): void;
};

/** Also keeps the session from being ended as idle, which Session Manager does after twenty minutes. */
const KEEP_MS = 10_000;
/**
 * The agent takes the end of one half of a connection for that of both. So it hears of ours when its own has come, or has been quiet
 * for so long.
 */
const QUIET_MS = 5_000;
/** Without a connection for so long, the session is ended. */
const UNUSED_MS = 60_000;

/** Holds a session with a port. */
export function remotePort(session: OpenedSession): RemotePort {
  const reader = new MuxReader();
  const connections = new Map<number, Connection>();
  let next = 1;
  const channel: DataChannel = openDataChannel(session, (payloadType, payload) => {
    // A flag says that a connection could not be made; its end follows.
    if (payloadType !== PAYLOADS.output) return;
    const frames = reader.read(payload);
    if (frames === null) channel.close();
    else for (const frame of frames) connections.get(frame.stream)?.hear(frame);
  });
  const send = async (frame: MuxFrame): Promise<void> => channel.send(PAYLOADS.output, encodeFrame(frame));
  const close = (): void => {
    void channel
      .send(PAYLOADS.flag, flagPayload(FLAGS.terminateSession))
      .then(async () => channel.settled(1_000))
      .then(() => channel.close());
  };
  const kept = setInterval(() => {
    if (connections.size > 0) void send({ command: MUX.nothing, stream: 0, data: NOTHING });
  }, KEEP_MS);
  kept.unref();
  let unused: NodeJS.Timeout | null = null;
  channel.over.then(
    () => {
      clearInterval(kept);
      for (const connection of connections.values()) connection.destroy();
    },
    () => undefined,
  );
  return {
    over: channel.over,
    close,
    async connect() {
      if (unused !== null) clearTimeout(unused);
      await channel.ready;
      const outcome = await Promise.race([channel.over, Promise.resolve(null)]);
      if (outcome !== null) throw new SessionError(outcome.why === '' ? 'the session has ended' : outcome.why);
      next += 2;
      const stream = next;
      const connection = new Connection(stream, send, channel);
      connections.set(stream, connection);
      connection.once('close', () => {
        connections.delete(stream);
        if (connections.size > 0) return;
        unused = setTimeout(close, UNUSED_MS);
        unused.unref();
      });
      await send({ command: MUX.open, stream, data: NOTHING });
      return connection;
    },
  };
}

const NOTHING = new Uint8Array(0);

class Connection extends Duplex {
  readonly #stream: number;
  readonly #send: (frame: MuxFrame) => Promise<void>;
  readonly #channel: DataChannel;
  #hasEnded = false;
  #quiet: NodeJS.Timeout | null = null;

  constructor(stream: number, send: (frame: MuxFrame) => Promise<void>, channel: DataChannel) {
    super({ allowHalfOpen: true });
    this.#stream = stream;
    this.#send = send;
    this.#channel = channel;
    this.on('error', () => undefined);
  }

  hear({ command, data }: MuxFrame): void {
    if (command === MUX.data) {
      this.#quiet?.refresh();
      if (!this.push(data)) this.#channel.pause();
    } else if (command === MUX.end) {
      this.push(null);
      this.#end();
    }
  }

  override _read(): void {
    this.#channel.resume();
  }

  override _write(bytes: Buffer, _encoding: unknown, done: (error?: Error | null) => void): void {
    const pieces = async (): Promise<void> => {
      for (let at = 0; at < bytes.length; at += MUX_DATA_BYTES_MAX)
        await this.#send({
          command: MUX.data,
          stream: this.#stream,
          data: bytes.subarray(at, at + MUX_DATA_BYTES_MAX),
        });
    };
    pieces().then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#quiet = setTimeout(() => this.#end(), QUIET_MS);
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#end();
    this.#channel.resume();
    done(error);
  }

  #end(): void {
    if (this.#quiet !== null) clearTimeout(this.#quiet);
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    void this.#send({ command: MUX.end, stream: this.#stream, data: NOTHING });
  }
}
