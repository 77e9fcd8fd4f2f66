import { Duplex, Writable } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { TaskSessions } from '../../../../local/container-sessions.ts';
import { channelMessage, portMessage, sentMessage } from '../domain/channels.ts';
import { isBase64 } from '../domain/protocols.ts';
import type { SessionPlan } from '../domain/session-plan.ts';
import type { Traffic } from './carried.ts';
import { forward } from './forward.ts';
import { bytesOf } from './websocket-streams.ts';

/**
 * Forwards the ports that a request has named, each over two channels of a WebSocket: data, and errors. A channel cannot be ended;
 * the connection ends when all ports are done.
 */
export async function forwardChannels(
  socket: WebSocket,
  plan: SessionPlan,
  traffic: Traffic,
  sessions: TaskSessions,
): Promise<void> {
  const { protocol, wanted } = plan;
  const ports = wanted.kind === 'portForward' ? wanted.ports : [];
  const asText = isBase64(protocol);
  const send = (channel: number, bytes: Uint8Array, done: (error?: Error | null) => void): void => {
    traffic.bytes += bytes.length;
    if (socket.readyState !== socket.OPEN) done(new Error('the client is gone'));
    else socket.send(sentMessage({ channel, bytes }, asText), { binary: !asText }, done);
  };
  const output = (channel: number) => (bytes: Buffer, _encoding: unknown, done: (error?: Error | null) => void) =>
    send(channel, bytes, done);
  const datas = ports.map((_, nth) => {
    const data = new Duplex({ read: () => socket.resume(), write: output(2 * nth) });
    data.on('error', () => undefined);
    data.once('close', () => socket.resume());
    return data;
  });
  socket.on('message', (raw: RawData) => {
    const message = channelMessage(bytesOf(raw), asText);
    const data = message === null || message.channel % 2 === 1 ? undefined : datas[message.channel / 2];
    if (message === null || data === undefined || data.destroyed) return;
    traffic.bytes += message.bytes.length;
    if (message.bytes.length > 0 && !data.push(message.bytes)) socket.pause();
  });
  socket.once('close', () => {
    for (const data of datas) data.destroy();
  });
  const all = ports.map(async (port, nth) => {
    for (const channel of [2 * nth, 2 * nth + 1]) send(channel, portMessage(port), () => undefined);
    const data = datas[nth];
    const error = new Writable({ write: output(2 * nth + 1) });
    error.on('error', () => undefined);
    if (data === undefined) return;
    // The server has ended its half, and the client cannot end its own.
    data.once('finish', () => data.push(null));
    await forward(port, { data, error }, plan, sessions);
  });
  await Promise.all(all);
  socket.close(1000);
}
