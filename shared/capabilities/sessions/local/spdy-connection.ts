import { Duplex } from 'node:stream';
import {
  type Frame,
  NotSpdy,
  createFrameReader,
  dataFrame,
  pingFrame,
  replyFrame,
  resetFrame,
} from '../domain/spdy-frames.ts';
import { type HeaderReader, createHeaderReader } from './spdy-headers.ts';

/** Streams of one connection at once: two for each connection to a port. */
const STREAMS_MAX = 2_048;
/** What a stream holds that its reader has not taken yet; then the whole connection waits, since SPDY of Kubernetes has no windows. */
const HELD_BYTES = 262_144;

/** A stream that the client has opened. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly #connection: SpdyConnection;
  #wanted: (() => void) | null = null;
  #isClosedByClient = false;

  constructor(id: number, headers: ReadonlyMap<string, string>, connection: SpdyConnection) {
    super({ readableHighWaterMark: HELD_BYTES });
    this.id = id;
    this.headers = headers;
    this.#connection = connection;
    this.on('error', () => undefined);
  }

  /** Resolves when its reader wants more. */
  async receive(bytes: Uint8Array, isLast: boolean): Promise<void> {
    if (this.#isClosedByClient || this.destroyed) return;
    this.#connection.bytes += bytes.length;
    const isFull = bytes.length > 0 && !this.push(bytes);
    if (isLast) {
      this.#isClosedByClient = true;
      this.push(null);
    } else if (isFull) await new Promise<void>((resolve) => (this.#wanted = resolve));
  }

  /** The client wants nothing more of it. */
  reset(): void {
    this.#isClosedByClient = true;
    this.destroy();
  }

  override _read(): void {
    this.#wanted?.();
    this.#wanted = null;
  }

  override _write(bytes: Buffer, _encoding: unknown, done: (error?: Error | null) => void): void {
    this.#connection.bytes += bytes.length;
    this.#connection.send(dataFrame(this.id, bytes, false), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#connection.send(dataFrame(this.id, new Uint8Array(0), true), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this._read();
    if (!this.#isClosedByClient || !this.writableFinished) this.#connection.send(resetFrame(this.id));
    this.#connection.forget(this.id);
    done(error);
  }
}

/** The server's side of a connection of SPDY/3.1, on whatever carries it. */
export class SpdyConnection {
  readonly #line: Duplex;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #headers: HeaderReader = createHeaderReader();
  /** How many bytes streams have carried, both ways. */
  bytes = 0;
  #isFirstReply = true;
  #pings = 0;

  constructor(line: Duplex, onStream: (stream: SpdyStream) => void) {
    this.#line = line;
    this.#onStream = onStream;
    line.on('error', () => undefined);
  }

  /** Reads until the client ends the connection, or breaks its rules. */
  async run(): Promise<void> {
    const framesIn = createFrameReader();
    try {
      for await (const chunk of this.#line as AsyncIterable<Buffer>)
        for (const frame of framesIn(chunk)) await this.#take(frame);
    } catch {
      // It was cut off, or is not SPDY.
    } finally {
      this.close();
    }
  }

  /** Ends all streams, and the connection. */
  close(): void {
    for (const stream of this.#streams.values()) stream.destroy();
    this.#headers.close();
    this.#line.destroy();
  }

  /** Finds out whether the client is there, though nothing is read of it. */
  ping(): void {
    // Those of servers are even.
    this.#pings += 2;
    this.send(pingFrame(this.#pings));
  }

  send(frame: Uint8Array, done: (error?: Error | null) => void = () => undefined): void {
    if (this.#line.destroyed || !this.#line.writable) done(new Error('the connection is gone'));
    else this.#line.write(frame, done);
  }

  forget(id: number): void {
    this.#streams.delete(id);
  }

  /** Resolves when it is sent: a client that asks without end and takes no answers is not read any more. */
  async #answer(frame: Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => this.send(frame, () => resolve()));
  }

  async #take(frame: Frame): Promise<void> {
    if (frame.kind === 'data') await this.#streams.get(frame.stream)?.receive(frame.bytes, frame.isLast);
    else if (frame.kind === 'open') await this.#open(frame);
    else if (frame.kind === 'reset') this.#streams.get(frame.stream)?.reset();
    else if (frame.kind === 'headers') await this.#headers.read(frame.headers);
    else if (frame.kind === 'ping') {
      // Those with even numbers are answers to ours.
      if (frame.id % 2 === 1) await this.#answer(pingFrame(frame.id));
    }
  }

  async #open({ stream: id, headers, isLast }: Extract<Frame, { readonly kind: 'open' }>): Promise<void> {
    const read = await this.#headers.read(headers);
    if (this.#streams.has(id)) throw new NotSpdy('a stream was opened twice');
    if (this.#streams.size >= STREAMS_MAX) return this.#answer(resetFrame(id));
    const stream = new SpdyStream(id, read, this);
    this.#streams.set(id, stream);
    const reply = replyFrame(id, this.#isFirstReply);
    this.#isFirstReply = false;
    await this.#answer(reply);
    if (isLast) await stream.receive(new Uint8Array(0), true);
    this.#onStream(stream);
  }
}
