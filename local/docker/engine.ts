import { readFileSync } from 'node:fs';
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as plainRequest,
} from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import * as z from 'zod';

export type EngineRequest = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `/containers/json` */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: object;
  /** credentials of a registry (`X-Registry-Auth`) */
  readonly auth?: RegistryAuth | null;
};

/** What an engine passes on to a registry. */
export type RegistryAuth = { readonly serveraddress: string } & (
  | { readonly username: string; readonly password: string }
  /** what a registry gave at `docker login` instead of the password */
  | { readonly identitytoken: string }
);

/** A container engine by its HTTP API (https://docs.docker.com/reference/api/engine). Its calls throw {@link EngineError}. */
export type Engine = {
  /** Returns the answer's JSON; null if it has none. */
  ask(request: EngineRequest): Promise<unknown>;
  /** An answer that may take as long as a container runs. Ends with an error when `signal` aborts. */
  stream(request: EngineRequest, signal: AbortSignal): Promise<Readable>;
  /** A connection that is the container's from the answer on (Docker Engine API, ContainerAttach: hijacking). */
  connect(request: EngineRequest): Promise<Duplex>;
  /** The same as `ask` for a body that is a tar archive; resolves with the answer's text. */
  send(request: Omit<EngineRequest, 'body'>, archive: Buffer): Promise<string>;
  close(): void;
};

/** The engine refused a request, or, if `status` is null, could not be reached. */
export class EngineError extends Error {
  readonly status: number | null;

  constructor(message: string, status: number | null) {
    super(message);
    this.name = 'EngineError';
    this.status = status;
  }
}

/** The engine is away; what was asked may or may not have happened. */
export const isAway = (error: unknown): boolean => error instanceof EngineError && error.status === null;

/** How an engine is reached: a socket, or the address of a host with the files of its certificates. */
export type EngineAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'host'; readonly url: string; readonly certDir: string | null };

/** Requests at once; streams do not count. The engine works on few of them in parallel. */
const REQUESTS_AT_ONCE = 16;

/** The most bytes of an answer that is read whole; a list of ten thousand containers has some ten million. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** An answer that says what went wrong (Docker Engine API, ErrorResponse). */
const ErrorSchema = z.looseObject({ message: z.string() });

/** Opens nothing yet: the first request does. Throws if the files of certificates cannot be read. */
export function openEngine(address: EngineAddress): Engine {
  const { isSecure, options } = connectionOptions(address);
  const Connections = isSecure ? SecureAgent : Agent;
  const agent = new Connections({ keepAlive: true, maxSockets: REQUESTS_AT_ONCE });
  const streams = new Connections({ keepAlive: false });
  const begin = isSecure ? secureRequest : plainRequest;

  /** A request that is not sent yet, and its body. */
  const begun = (request: EngineRequest, more: More, archive?: Buffer): Begun => {
    const { method, path, query = {}, body, auth } = request;
    const content = archive ?? (body === undefined ? null : Buffer.from(JSON.stringify(body)));
    const words = queryOf(query);
    const sent = begin({
      ...options,
      ...more,
      method,
      path: words === '' ? path : `${path}?${words}`,
      headers: {
        Host: 'docker',
        ...(content === null
          ? {}
          : {
              'Content-Type': archive === undefined ? 'application/json' : 'application/x-tar',
              'Content-Length': content.length,
            }),
        ...(auth === undefined || auth === null ? {} : { 'X-Registry-Auth': registryAuth(auth) }),
        ...more.headers,
      },
    });
    return { sent, content };
  };

  /** Resolves with the response to a request that succeeded, of which nothing is read yet. */
  const dial = async (request: EngineRequest, more: More, archive?: Buffer): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { sent, content } = begun(request, more, archive);
      sent.on('error', (error) => reject(new EngineError(error.message, null)));
      sent.on('response', (response) => {
        if ((response.statusCode ?? 0) < 400) resolve(response);
        else void refusalIn(response).then(reject);
      });
      sent.end(content ?? undefined);
    });

  return {
    connect: async (request) => hijack((headers) => begun(request, { agent: streams, headers })),
    async ask(request) {
      const text = await readWhole(await dial(request, { agent }));
      return text.trim() === '' ? null : (JSON.parse(text) as unknown);
    },
    stream: async (request, signal) => dial(request, { agent: streams, signal }),
    send: async (request, archive) => readWhole(await dial(request, { agent: streams }, archive)),
    close() {
      agent.destroy();
      streams.destroy();
    },
  };
}

type More = Omit<RequestOptions, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };
type Begun = { readonly sent: ClientRequest; readonly content: Buffer | null };

/** Sends a request that wants the connection, and resolves with it. */
async function hijack(begin: (headers: Readonly<Record<string, string>>) => Begun): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const { sent, content } = begin({ Connection: 'Upgrade', Upgrade: 'tcp' });
    sent.on('error', (error) => reject(new EngineError(error.message, null)));
    sent.on('response', (response) => void refusalIn(response).then(reject));
    sent.on('upgrade', (_response, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    sent.end(content ?? undefined);
  });
}

async function refusalIn(response: IncomingMessage): Promise<EngineError> {
  const { statusCode = 0 } = response;
  return readWhole(response).then(
    (text) => new EngineError(errorText(text, statusCode), statusCode),
    (error: unknown) => new EngineError(String(error), null),
  );
}

/** URL-safe base64 with its padding: an engine takes what lacks it for no credentials at all. */
function registryAuth(auth: RegistryAuth): string {
  const text = Buffer.from(JSON.stringify(auth)).toString('base64');
  return text.replaceAll('+', '-').replaceAll('/', '_');
}

function queryOf(query: NonNullable<EngineRequest['query']>): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) words.set(name, String(value));
  return words.toString();
}

function connectionOptions(address: EngineAddress): { readonly isSecure: boolean; readonly options: RequestOptions } {
  if (address.kind === 'socket') return { isSecure: false, options: { socketPath: address.path } };
  const { protocol, hostname, port } = new URL(address.url);
  const isSecure = protocol === 'https:';
  const { certDir } = address;
  const files =
    certDir === null || !isSecure
      ? {}
      : Object.fromEntries(['ca', 'cert', 'key'].map((name) => [name, readFileSync(join(certDir, `${name}.pem`))]));
  return { isSecure, options: { hostname, port: port === '' ? (isSecure ? 2376 : 2375) : port, ...files } };
}

/** Throws an EngineError if the answer breaks off or is too long. */
async function readWhole(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) throw new Error(`an answer has more than ${ANSWER_BYTES_MAX} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw new EngineError(error instanceof Error ? error.message : String(error), null);
  }
  return Buffer.concat(chunks).toString();
}

function errorText(text: string, status: number): string {
  try {
    return ErrorSchema.parse(JSON.parse(text)).message;
  } catch {
    return text.trim() === '' ? `HTTP ${status}` : text.trim();
  }
}
