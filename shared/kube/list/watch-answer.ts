import { loggedError } from '../http/logged-error.ts';
import type { Context } from 'hono';
import { type ApiDeps, type ApiOptions, BUFFERED_MAX_SEC, HEARTBEAT_MS, STREAM_MAX_SEC } from '../http/api-deps.ts';
import type { Collection } from './collection.ts';
import type { KubeObject } from '../http/kube-object.ts';
import type { ListOptions } from './list-options.ts';
import { Once } from '../feed/once.ts';
import { isNewerFormat } from '../../domain/base/newer-format.ts';
import {
  type StatusError,
  errorResponse,
  internalError,
  laterRelease,
  storageReadError,
  versionAhead,
} from '../http/status-error.ts';
import { unreadableRows } from '../../domain/base/unreadable-row.ts';
import type { Columns, Writer } from './object-writer.ts';
import { type WatchEvent, type WatchOptions, watch } from './watch.ts';
import type { Watched } from '../feed/watched.ts';

/** Clients take a watch that ends in less than a second without any event for a failure. */
const OVER_HOLD_MS = 1200;
/** Objects that are checked to find out whether anything can still happen to them. */
const OVER_LOOKS_MAX = 100;

/**
 * Space before the next event, which every JSON parser skips. Not a newline: libraries that read line by line take an empty
 * line for an event.
 */
const HEARTBEAT = ' ';

/** Answers `?watch=true`: one JSON object per line, for as long as the client requests and we can. */
export async function watchAnswer<T extends KubeObject>(
  c: Context,
  collection: Collection<T>,
  options: ListOptions,
  writer: Writer<T>,
  deps: ApiDeps,
  { watchMode = 'stream', streamMaxSec = STREAM_MAX_SEC, heartbeatMs = HEARTBEAT_MS }: ApiOptions,
): Promise<Response> {
  const { timeoutSec, bookmarks, sendInitialEvents } = options;
  const source = collection.watch();
  const begin = await beginOf(source, options);
  if (begin.kind === 'refused') return errorResponse(begin.error);
  const maxSec = watchMode === 'stream' ? streamMaxSec : Math.min(streamMaxSec, BUFFERED_MAX_SEC);
  const seconds = timeoutSec === null || timeoutSec === 0 ? maxSec : Math.min(timeoutSec, maxSec);
  const now = deps.clock.now();
  const end = watchMode === 'stream' ? STREAMED : await bufferedEnd(c, collection, bookmarks);
  const how = {
    after: begin.after,
    bookmarks,
    announceEnd: sendInitialEvents === true && bookmarks,
    ends: end.ends,
    endsAt: now + Math.min(seconds * 1000, end.holdMs),
    heartbeatMs,
  };
  const pieces = (isCancelled: () => boolean) => lines(c, source, { ...how, isCancelled }, writer, deps);
  const { username } = deps.callerOf(c);
  return watchMode === 'stream'
    ? deps.streams.send(username, 'application/json', pieces)
    : deps.streams.collect(username, 'application/json', pieces);
}

type Begin =
  | { readonly kind: 'begin'; readonly after: number | null }
  | { readonly kind: 'refused'; readonly error: StatusError };

/** No version, and 0, mean "whatever exists", which is shown first unless the client already has it. */
async function beginOf<T>(source: Watched<T>, { version, sendInitialEvents }: ListOptions): Promise<Begin> {
  const given = version === 0 ? null : version;
  if (sendInitialEvents === null) return { kind: 'begin', after: given };
  if (!sendInitialEvents) return { kind: 'begin', after: given ?? (await source.head()) };
  if (given === null) return { kind: 'begin', after: null };
  const head = await source.head();
  return given > head ? { kind: 'refused', error: versionAhead(given, head) } : { kind: 'begin', after: null };
}

type End = { readonly ends: WatchOptions['ends']; readonly holdMs: number };
const STREAMED: End = { ends: 'atTime', holdMs: Number.POSITIVE_INFINITY };

/**
 * When an answer that is sent as a whole ends. `kubectl get -w` does not reconnect, so it gets everything that happens in the
 * available time. Other clients reconnect: they are answered as soon as there is an event, and do not wait for objects that
 * will not change any more: `kubectl wait` does not return before its watch has ended.
 */
async function bufferedEnd<T extends KubeObject>(
  c: Context,
  collection: Collection<T>,
  bookmarks: boolean,
): Promise<End> {
  const isOnlyOnce = !bookmarks && /^kubectl get\b/.test(c.req.header('kubectl-command') ?? '');
  if (isOnlyOnce) return { ends: 'atTime', holdMs: Number.POSITIVE_INFINITY };
  const open: End = { ends: 'atNews', holdMs: Number.POSITIVE_INFINITY };
  const { isOver } = collection;
  if (isOver === undefined) return open;
  let looks = 0;
  for await (const object of collection.watch().present())
    if (!isOver(object) || ++looks >= OVER_LOOKS_MAX) return open;
  return looks === 0 ? open : { ends: 'atNews', holdMs: OVER_HOLD_MS };
}

/** Objects as they are sent to the watches of one row. */
const TEXTS = new Once<string>();

async function* lines<T extends KubeObject>(
  c: Context,
  source: Watched<T>,
  options: WatchOptions,
  writer: Writer<T>,
  deps: ApiDeps,
): AsyncGenerator<string> {
  let columns: Columns = 'withColumns';
  const written = (event: WatchEvent<T>): string => {
    if (event.type === 'ERROR') return JSON.stringify(event.object);
    const named = columns;
    columns = 'withoutColumns';
    if (event.type === 'BOOKMARK') return JSON.stringify(writer.bookmark(event.object, named));
    const { object } = event;
    return TEXTS.of(object, writer.formatKey(named), () => JSON.stringify(writer.object(object, named)));
  };
  try {
    for await (const events of watch(source, options, deps.clock)) {
      const text = events.map((event) => `{"type":"${event.type}","object":${written(event)}}\n`).join('');
      yield events.length === 0 ? HEARTBEAT : text;
    }
  } catch (error) {
    // The answer has begun, so its failure is sent in the stream: clients list again.
    deps.telemetry.warn('watch failed', { path: c.req.path, error: loggedError(c.req.path, error) });
    yield `${JSON.stringify({ type: 'ERROR', object: failureOf(error) })}\n`;
  }
}

function failureOf(error: unknown): StatusError {
  if (isNewerFormat(error)) return laterRelease();
  const unreadable = unreadableRows(error);
  return unreadable.length > 0 ? storageReadError(unreadable) : internalError('the watch could not go on');
}
