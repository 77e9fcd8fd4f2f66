import type { Duplex } from 'node:stream';
import { type Size, sizeIn } from '../domain/channels.ts';
import { endText } from '../domain/session-end.ts';
import { hasStatus } from '../domain/protocols.ts';
import type { SessionPlan } from '../domain/session-plan.ts';
import type { Carried } from './carried.ts';
import { SpdyConnection, type SpdyStream } from './spdy-connection.ts';

/** How long a client has for opening its streams, as with upstream's server. */
const OPENING_MS = 30_000;
/** How long a client may take to hear of the end. */
const LEAVING_MS = 10_000;

/**
 * The streams of exec or attach on a connection of SPDY. Resolves once the client has opened all of them; null: it has not.
 */
export async function spdyStreams(
  line: Duplex,
  { protocol, wanted }: SessionPlan,
): Promise<{ readonly connection: SpdyConnection; readonly carried: Carried | null }> {
  const streams = new Map<string, SpdyStream>();
  const asked = wanted.kind === 'portForward' ? { stdin: false, stdout: false, stderr: false, tty: false } : wanted;
  const expected = ['error', ...(['stdin', 'stdout', 'stderr'] as const).filter((name) => asked[name])];
  if (asked.tty && /^v[34]\./.test(protocol.name)) expected.push('resize');
  let ready: () => void = () => undefined;
  const isReady = new Promise<void>((resolve) => (ready = resolve));
  const connection = new SpdyConnection(line, (stream) => {
    const type = stream.headers.get('streamtype') ?? '';
    if (!expected.includes(type) || streams.has(type)) {
      stream.reset();
      return;
    }
    streams.set(type, stream);
    if (expected.every((each) => streams.has(each))) ready();
  });
  const over = connection.run();
  const timer = setTimeout(ready, OPENING_MS);
  await Promise.race([isReady, over]);
  clearTimeout(timer);
  const error = streams.get('error');
  if (error === undefined || !expected.every((each) => streams.has(each))) {
    connection.close();
    return { connection, carried: null };
  }
  error.resume();
  const [stdin = null, stdout = null, stderr = null] = ['stdin', 'stdout', 'stderr'].map((each) => streams.get(each));
  // What the client closes at once it does not send on.
  stdout?.resume();
  stderr?.resume();
  const carried: Carried = {
    stdin,
    stdout,
    stderr,
    onSize: (listener) => followSizes(streams.get('resize'), listener),
    async finish(end) {
      stdout?.end();
      stderr?.end();
      error.end(endText(end, hasStatus(protocol)));
      const late = setTimeout(() => connection.close(), LEAVING_MS);
      // The client leaves when it has read everything.
      await over;
      clearTimeout(late);
    },
  };
  return { connection, carried };
}

const SIZE_CHARS_MAX = 1_024;

function followSizes(stream: SpdyStream | undefined, listener: (size: Size) => void): void {
  let text = '';
  stream?.on('data', (bytes: Buffer) => {
    const parts = (text + bytes.toString()).split('}');
    text = (parts.pop() ?? '').slice(-SIZE_CHARS_MAX);
    for (const part of parts) {
      const size = sizeIn(`${part}}`);
      if (size !== null) listener(size);
    }
  });
}
