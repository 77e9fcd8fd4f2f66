import { Readable, Writable } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { CHANNELS, type Size, channelMessage, sentMessage, sizeIn } from '../domain/channels.ts';
import { hasCloseSignal, hasStatus, isBase64 } from '../domain/protocols.ts';
import { endText } from '../domain/session-end.ts';
import type { SessionPlan } from '../domain/session-plan.ts';
import type { Carried, Traffic } from './carried.ts';

/** The streams of exec or attach as channels of a WebSocket: v4, v5, those before, and their forms in base64. */
export function websocketStreams(socket: WebSocket, { protocol, wanted }: SessionPlan, traffic: Traffic): Carried {
  const asText = isBase64(protocol);
  const send = (channel: number, bytes: Uint8Array, done: (error?: Error | null) => void): void => {
    traffic.bytes += bytes.length;
    if (socket.readyState !== socket.OPEN) done(new Error('the client is gone'));
    else socket.send(sentMessage({ channel, bytes }, asText), { binary: !asText }, done);
  };
  const output = (channel: number): Writable =>
    new Writable({ write: (bytes: Buffer, _encoding, done) => send(channel, bytes, done) });
  const asked = wanted.kind === 'portForward' ? NOTHING : wanted;
  const stdin = asked.stdin ? new Readable({ read: () => socket.resume() }) : null;
  const stdout = asked.stdout ? output(CHANNELS.stdout) : null;
  const stderr = asked.stderr ? output(CHANNELS.stderr) : null;
  let size: Size | null = null;
  let onSize: (size: Size) => void = () => undefined;
  socket.on('message', (data: RawData) => {
    const message = channelMessage(bytesOf(data), asText);
    if (message === null) return;
    const { channel, bytes } = message;
    traffic.bytes += bytes.length;
    if (channel === CHANNELS.stdin) {
      if (stdin !== null && !stdin.destroyed && !stdin.readableEnded && bytes.length > 0 && !isClosed.stdin)
        if (!stdin.push(bytes)) socket.pause();
    } else if (channel === CHANNELS.resize) {
      size = sizeIn(new TextDecoder().decode(bytes)) ?? size;
      if (size !== null) onSize(size);
    } else if (channel === CHANNELS.close && hasCloseSignal(protocol) && bytes[0] === CHANNELS.stdin) {
      isClosed.stdin = true;
      stdin?.push(null);
    }
  });
  const isClosed = { stdin: false };
  // A side that reads no more must not hold up what else comes.
  stdin?.once('close', () => socket.resume());
  // Upstream's server tells like this that it is ready, on the lowest channel that it writes to.
  const lowest = asked.stdout ? CHANNELS.stdout : asked.stderr ? CHANNELS.stderr : CHANNELS.error;
  send(lowest, new Uint8Array(0), () => undefined);
  return {
    stdin,
    stdout,
    stderr,
    onSize(listener) {
      onSize = listener;
      if (size !== null) listener(size);
    },
    async finish(end) {
      const text = endText(end, hasStatus(protocol));
      const bytes = new TextEncoder().encode(text);
      if (text !== '') await new Promise<void>((resolve) => send(CHANNELS.error, bytes, () => resolve()));
      socket.close(1000);
    },
  };
}

const NOTHING = { stdin: false, stdout: false, stderr: false };

/** The bytes of a message, in one piece. */
export function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}
