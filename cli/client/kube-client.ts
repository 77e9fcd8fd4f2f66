import { type ApiStatus, StatusSchema } from '../shell/api-status.ts';
import { setMaxListeners } from 'node:events';
import type * as z from 'zod';
import { type WatchEvent, ListSchema, VersionSchema, WatchEventSchema } from './api-objects.ts';
import { ApiFailure, Failure, UnreachableFailure } from '../shell/failure.ts';
import type { Target } from './kubeconfig.ts';
import { tokenFor } from './own-token.ts';
import { checkPortOwner } from './port-owner.ts';
import { type ApiKind, pathOfAll, pathWithin } from '../../shared/domain/kinds/api-kind.ts';
import { API_KINDS } from '../../shared/domain/kinds/api-kinds.ts';
import { onOneLine } from '../text/table.ts';
import { messageOf } from '../../shared/domain/base/error-text.ts';

/**
 * The API of one Muster server. Every call throws ApiFailure when the server refuses it and UnreachableFailure when it does
 * not answer.
 */
export type KubeClient = {
  readonly target: Target;
  get(path: string, query?: Query): Promise<unknown>;
  /** All pages of a list, in order; `resourceVersion` is that of the first page. */
  list(path: string, query?: Query): Promise<{ readonly resourceVersion: string; readonly items: readonly unknown[] }>;
  create(path: string, object: unknown): Promise<{ readonly object: unknown; readonly warnings: readonly string[] }>;
  /** Deletes an object. With `uid`, deletes only the object with that uid. */
  remove(path: string, uid?: string): Promise<unknown>;
  /** Applies a merge patch to an object and returns the whole object. */
  patch(path: string, part: unknown): Promise<unknown>;
  /**
   * Events until the server ends the watch, which it may do at any time. Throws if the connection breaks. Aborting `signal`
   * ends it.
   */
  watch(path: string, query: Query, signal: AbortSignal): AsyncGenerator<WatchEvent>;
  /** What a server sends, byte for byte, as it arrives. */
  bytes(path: string, query: Query, signal: AbortSignal): AsyncGenerator<Uint8Array>;
  /** A text line by line, as it arrives, without line ends. */
  lines(path: string, query: Query, signal: AbortSignal): AsyncGenerator<string>;
};

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

const ANSWER_MS = 30_000;
const PAGE = 500;
/** A command is a user's own: a typo in what it sends must not cost half a day of computing. */
const STRICT = { fieldValidation: 'Strict' } as const;

/**
 * Connects to a server and checks that it is Muster. A kubeconfig may point at a real cluster, and a user must not learn
 * that from what `muster delete` did there.
 *
 * @param answerMs how long to wait for an answer
 * @throws Failure when it is a different server, or another user's
 */
export async function connect(target: Target, answerMs = ANSWER_MS): Promise<KubeClient> {
  checkPortOwner(target);
  const client = clientOf(target, answerMs);
  const version = VersionSchema.safeParse(await client.get('/version'));
  if (!version.success || version.data.muster === undefined) {
    const name = version.data?.gitVersion ?? '';
    const said = name === '' ? 'its /version does not say so' : `its /version says ${JSON.stringify(name)}`;
    throw new Failure(`error: ${target.server} (${target.file}) is not a Muster server: ${said}`);
  }
  return client;
}

const withName = (name: string | undefined): string => (name === undefined ? '' : `/${encodeURIComponent(name)}`);

/** The address of a kind of objects in a namespace, or of one of them; null means all namespaces. */
export const pathsOf =
  (kind: ApiKind) =>
  (namespace: string | null, name?: string): string =>
    `${namespace === null ? pathOfAll(kind) : pathWithin(kind, encodeURIComponent(namespace))}${withName(name)}`;

export const jobsPath = pathsOf(API_KINDS.Job);
export const podsPath = pathsOf(API_KINDS.Pod);
/** The path where Muster, unlike a cluster, reports why a Job's remaining work does not run. */
export const waitsPath = (namespace: string, job: string): string =>
  `/muster/v1${inNamespace(namespace)}/jobs${withName(job)}/waits`;

/** The paths of a Job's progress and failures, which only Muster has. */
export const progressPath = (namespace: string, job: string): string =>
  `/muster/v1${inNamespace(namespace)}/jobs${withName(job)}/progress`;
export const failuresPath = (namespace: string, job: string): string =>
  `/muster/v1${inNamespace(namespace)}/jobs${withName(job)}/failures`;
/** The path at which single indexes of a Job are held, released, cancelled, and requeued. */
export const indexesPath = (namespace: string, job: string): string =>
  `/muster/v1${inNamespace(namespace)}/jobs${withName(job)}/indexes`;
/** The path of a Job's ended attempts, page by page. */
export const attemptsPath = (namespace: string, job: string): string =>
  `/muster/v1${inNamespace(namespace)}/jobs${withName(job)}/attempts`;

/** The path at which a Job's indexes are found by their items, page by page. */
export const itemsPath = (namespace: string, job: string): string =>
  `/muster/v1${inNamespace(namespace)}/jobs${withName(job)}/items`;

const inNamespace = (namespace: string): string => `/namespaces/${encodeURIComponent(namespace)}`;
function clientOf(target: Target, answerMs: number): KubeClient {
  const request = async (
    method: string,
    path: string,
    options: { readonly query?: Query; readonly body?: unknown; readonly signal: AbortSignal },
  ) => {
    const response = await fetchFrom(target, method, path, options);
    if (response.status === 401) throw new ApiFailure(whyUnknown(target, await statusOf(response)));
    if (!response.ok) throw new ApiFailure(await statusOf(response));
    return response;
  };
  const soon = () => AbortSignal.timeout(answerMs);
  const read = async (path: string, query: Query = {}): Promise<unknown> =>
    jsonOf(await request('GET', path, { query, signal: soon() }), target);

  async function* bytes(path: string, query: Query, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    // fetch leaves a listener on its signal until it is collected: one of its own, so that a thousand requests with one signal
    // do not pile theirs up.
    const own = new AbortController();
    const abort = (): void => own.abort(signal.reason);
    if (signal.aborted) abort();
    setMaxListeners(0, signal); // many may read at the same time; each removes its own
    signal.addEventListener('abort', abort);
    try {
      const response = await request('GET', path, { query, signal: own.signal });
      yield* readingFrom(target, chunksOf(response, signal));
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  return {
    target,
    get: read,
    async list(path, query = {}) {
      const items: unknown[] = [];
      let resourceVersion: string | null = null;
      let next = '';
      do {
        const page = readAs(
          ListSchema,
          await read(path, { ...query, limit: PAGE, continue: next === '' ? undefined : next }),
          target,
        );
        items.push(...page.items);
        resourceVersion ??= page.metadata.resourceVersion;
        next = page.metadata.continue;
      } while (next !== '');
      return { resourceVersion, items };
    },
    async create(path, object) {
      const response = await request('POST', path, {
        query: STRICT,
        body: object,
        signal: soon(),
      });
      const warnings = [...(response.headers.get('warning') ?? '').matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)];
      return {
        object: await jsonOf(response, target),
        warnings: warnings.map(([, text]) => onOneLine(String(JSON.parse(text ?? '""')))),
      };
    },
    async remove(path, uid) {
      const body = { propagationPolicy: 'Background', ...(uid === undefined ? {} : { preconditions: { uid } }) };
      return jsonOf(await request('DELETE', path, { body, signal: soon() }), target);
    },
    async patch(path, part) {
      return jsonOf(await request('PATCH', path, { query: STRICT, body: part, signal: soon() }), target);
    },
    async *watch(path, query, signal) {
      for await (const line of linesOf(bytes(path, { ...query, watch: true }, signal)))
        if (line !== '') yield readAs(WatchEventSchema, JSON.parse(line), target);
    },
    bytes,
    lines: (path, query, signal) => linesOf(bytes(path, query, signal)),
  };
}

/**
 * Parses an object that the server sent.
 *
 * @throws Failure when it does not have the shape that Kubernetes documents
 */
export function readAs<S extends z.ZodType>(
  schema: S,
  value: unknown,
  { server }: { readonly server: string },
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Failure(
    `error: ${server} sent an unexpected answer: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  );
}

const CONTENT_TYPES: Readonly<Record<string, string>> = { PATCH: 'application/merge-patch+json' };

async function fetchFrom(
  target: Target,
  method: string,
  path: string,
  { query = {}, body, signal }: { readonly query?: Query; readonly body?: unknown; readonly signal: AbortSignal },
): Promise<Response> {
  const url = new URL(target.server + path);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  const token = target.token ?? (target.signed === undefined ? null : await tokenFor(target.signed, Date.now()));
  try {
    return await fetch(url, {
      method,
      signal,
      redirect: 'error', // a token goes only to its own server
      headers: {
        accept: 'application/json',
        'user-agent': 'muster',
        ...(body === undefined ? {} : { 'content-type': CONTENT_TYPES[method] ?? 'application/json' }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    throw unreachable(target, error);
  }
}

/** Describes what fetch threw and what the user can do about it. */
function unreachable({ server, file }: Target, error: unknown): UnreachableFailure {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  const named = error instanceof Error && error.name === 'TimeoutError' ? `no answer in ${ANSWER_MS / 1000} s` : null;
  const why = named ?? (code === 'ECONNREFUSED' ? 'connection refused' : messageOf(cause));
  const hint = code === 'ECONNREFUSED' ? '\nIs it running? `muster local` starts it.' : '';
  return new UnreachableFailure(`error: ${server} (${file}) cannot be reached: ${onOneLine(why)}${hint}`);
}

async function jsonOf(response: Response, { server }: Target): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new Failure(`error: ${server} sent an answer that is not JSON`);
  }
}

/** Servers do not say what is wrong with a token. */
function whyUnknown({ file, token, signed }: Target, status: ApiStatus): ApiStatus {
  const what = token === null && signed === undefined ? 'has no token' : 'has a token that the server does not know';
  return { ...status, message: `${status.message} (the kubeconfig ${file} ${what})` };
}

const SNIPPET_CHARS = 200;

/** The Status as received, or one made from an answer that is not a Status: a proxy's, or another server's. */
async function statusOf(response: Response): Promise<ApiStatus> {
  const text = await response.text().catch(() => '');
  const parsed = StatusSchema.safeParse(tryJson(text));
  if (parsed.success) return parsed.data;
  const said = onOneLine(text.trim()).slice(0, SNIPPET_CHARS);
  return {
    kind: 'Status',
    code: response.status,
    reason: `HTTP ${response.status}`,
    message: said === '' ? response.statusText : said,
  };
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A connection that breaks says which server it was. */
async function* readingFrom(target: Target, chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw unreachable(target, error);
  }
}

/** Lines without their line ends. */
async function* linesOf(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

async function* chunksOf(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const close = async (): Promise<void> => reader.cancel().catch(() => undefined);
  // fetch holds its request weakly. If the request is collected, Node 20 forgets the signal while the body is still
  // arriving.
  const onAbort = (): void => void close();
  signal.addEventListener('abort', onAbort);
  try {
    for (let part = await reader.read(); part.value !== undefined; part = await reader.read()) yield part.value;
  } finally {
    signal.removeEventListener('abort', onAbort);
    // A reader that stops early closes the connection. A broken connection has already reported its reason.
    await close();
  }
}
