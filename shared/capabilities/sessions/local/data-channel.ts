import { createHash, randomUUID } from 'node:crypto';
import { WebSocket, type RawData } from 'ws';
import { type ChannelEffect, SsmChannel, openText } from '../domain/ssm-channel.ts';
import type { OpenedSession } from '../ports/remote-sessions.ts';
import { promised } from './promised.ts';
import { bytesOf } from './websocket-streams.ts';

/** How it has ended; `failed`: not as it should. */
export type ChannelEnd = { readonly kind: 'closed' | 'failed'; readonly why: string };

export type DataChannel = {
  /** Resolves when the agent takes input, or never will. */
  readonly ready: Promise<void>;
  readonly over: Promise<ChannelEnd>;
  /** Resolves when more may be sent. */
  send(payloadType: number, payload: Uint8Array): Promise<void>;
  /** Resolves when all that was sent has arrived, or after `ms`. */
  settled(ms: number): Promise<void>;
  /** Reads no more until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
};

/** As AWS's own client sends it. */
const PAYLOAD_BYTES_MAX = 1_024;
/** What is under way at once, in messages. */
const WINDOW = 64;
const TICK_MS = 100;
/** A connection that a router has forgotten is noticed. */
const PING_MS = 60_000;
const OPEN_MS = 15_000;
const MESSAGE_BYTES_MAX = 1024 * 1024;

/**
 * Opens the connection of a session and keeps it: acknowledges, repeats, pings.
 *
 * @param take what has come; a payload's type says what it is
 */
export function openDataChannel(
  { streamUrl, tokenValue }: OpenedSession,
  take: (payloadType: number, payload: Uint8Array) => void,
): DataChannel {
  const parts = {
    digest: (bytes: Uint8Array) => createHash('sha256').update(bytes).digest(),
    newId: () => randomUUID(),
  };
  const channel = new SsmChannel(parts);
  const socket = new WebSocket(streamUrl, {
    perMessageDeflate: false,
    maxPayload: MESSAGE_BYTES_MAX,
    handshakeTimeout: OPEN_MS,
  });
  const waiting: (() => void)[] = [];
  const readiness = promised<void>();
  const ending = promised<ChannelEnd>();
  let isOver = false;
  const end = (outcome: ChannelEnd): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(ticks);
    clearInterval(pings);
    for (const wake of waiting.splice(0)) wake();
    socket.close();
    readiness.resolve();
    ending.resolve(outcome);
  };
  const follow = (effects: readonly ChannelEffect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'send') {
        if (socket.readyState === socket.OPEN) socket.send(effect.bytes, { binary: true }, () => undefined);
      } else if (effect.kind === 'ready') readiness.resolve();
      else if (effect.kind === 'data') take(effect.payloadType, effect.payload);
      else end(effect);
    }
    if (channel.underWay < WINDOW) for (const wake of waiting.splice(0)) wake();
  };
  const now = (): number => Date.now();
  const ticks = setInterval(() => follow(channel.tick(now())), TICK_MS);
  const pings = setInterval(() => {
    if (socket.readyState === socket.OPEN) socket.ping();
  }, PING_MS);
  ticks.unref();
  pings.unref();
  socket.once('open', () => socket.send(openText(tokenValue, parts)));
  socket.on('message', (data: RawData, isBinary: boolean) => {
    if (isBinary && !isOver) follow(channel.receive(bytesOf(data), now()));
  });
  socket.once('close', (code) => end({ kind: 'failed', why: `the connection to Session Manager broke off (${code})` }));
  // Never the address: it names the session.
  socket.on('error', (error) => end({ kind: 'failed', why: `Session Manager cannot be reached: ${whyOf(error)}` }));
  const room = async (): Promise<void> => {
    while (!isOver && channel.underWay >= WINDOW) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return {
    ready: readiness.promise,
    over: ending.promise,
    async send(payloadType, payload) {
      for (let at = 0; at < payload.length && !isOver; at += PAYLOAD_BYTES_MAX) {
        await room();
        if (!isOver) follow(channel.send(payloadType, payload.subarray(at, at + PAYLOAD_BYTES_MAX), now()));
      }
    },
    async settled(ms) {
      for (const endMs = now() + ms; !isOver && channel.underWay > 0 && now() < endMs; )
        await new Promise((resolve) => setTimeout(resolve, TICK_MS / 4));
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => end({ kind: 'closed', why: '' }),
  };
}

const whyOf = (error: Error): string => ('code' in error ? String(error.code) : error.message.slice(0, 100));
