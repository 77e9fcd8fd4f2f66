import { WebSocket, type RawData } from 'ws';

/** What a client wants of a Pod. */
export type Wish = {
  readonly what?: 'exec' | 'attach' | 'portforward';
  readonly query: string;
  readonly protocol?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A client of a session over a WebSocket. */
export type ASession = {
  readonly socket: WebSocket;
  /** What has come on a channel. */
  readonly on: (channel: number) => Buffer;
  readonly send: (channel: number, bytes: Buffer | string) => Promise<void>;
  /** Resolves when the connection is closed, with the code. */
  readonly closed: Promise<number>;
};

/** Rejects with the answer's code and text if there is no session. */
export async function aSession(
  url: string,
  pod: string,
  { what = 'exec', query, protocol, headers }: Wish,
): Promise<ASession> {
  const path = `/api/v1/namespaces/default/pods/${pod}/${what}?${query}`;
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, protocol === undefined ? [] : [protocol], {
    perMessageDeflate: false,
    ...(headers === undefined ? {} : { headers }),
  });
  const pieces = new Map<number, Buffer[]>();
  socket.on('message', (data: RawData) => {
    const message = Buffer.isBuffer(data) ? data : Buffer.from(data as ArrayBuffer);
    const channel = message[0] ?? 0;
    const list = pieces.get(channel) ?? [];
    list.push(message.subarray(1));
    pieces.set(channel, list);
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () => reject(new Error(`${response.statusCode} ${text}`)));
    });
  });
  return {
    socket,
    closed,
    on: (channel) => Buffer.concat(pieces.get(channel) ?? []),
    send: async (channel, bytes) =>
      new Promise((resolve, reject) => {
        const message = Buffer.concat([Buffer.of(channel), Buffer.from(bytes)]);
        socket.send(message, { binary: true }, (error) => (error ? reject(error) : resolve()));
      }),
  };
}

export const V5 = 'v5.channel.k8s.io';

/** The query of a command whose output is wanted. */
export const running = (...command: readonly string[]): string =>
  [...command.map((word) => `command=${encodeURIComponent(word)}`), 'stdout=true', 'stderr=true'].join('&');

/** What a command printed, and how it ended. */
export type Ended = { readonly out: string; readonly err: string; readonly code: number; readonly text: string };

/** Runs a command to its end. */
export async function ran(url: string, pod: string, query: string): Promise<Ended> {
  const session = await aSession(url, pod, { query, protocol: V5 });
  await session.closed;
  return endedOf(session);
}

export function endedOf({ on }: ASession): Ended {
  const text = on(3).toString();
  const { status, details } = JSON.parse(text) as { status: string; details?: { causes: { message: string }[] } };
  const code = status === 'Success' ? 0 : Number(details?.causes[0]?.message);
  return { out: on(1).toString(), err: on(2).toString(), code, text };
}
