import type { Context } from 'hono';
import { type ApiDeps, type ApiOptions, POLL_MS, STREAM_MAX_SEC } from './api-deps.ts';
import { countOf, flagOf, versionOf } from './query.ts';
import { errorResponse, internalError } from './status-error.ts';
import { streamLines } from './streams.ts';
import { type WatchSource, watch } from './watch.ts';

/** A request to watch, not to list. */
export const isWatch = (c: Context): boolean => flagOf(c.req.query('watch'));

/** Answers `?watch=true`: one JSON object a line, as long as the client asks for and we can. */
export function watchResponse<T>(c: Context, source: WatchSource<T>, deps: ApiDeps, options: ApiOptions): Response {
  const version = versionOf(c.req.query('resourceVersion'));
  if (version.kind === 'bad') return errorResponse(version.error);
  const timeout = countOf('timeoutSeconds', c.req.query('timeoutSeconds'));
  if (timeout.kind === 'bad') return errorResponse(timeout.error);
  const maxSec = options.streamMaxSec ?? STREAM_MAX_SEC;
  const seconds = timeout.value === null || timeout.value === 0 ? maxSec : Math.min(timeout.value, maxSec);
  const sendInitial = flagOf(c.req.query('sendInitialEvents'));
  // No version, and 0, mean "whatever is there", which is shown first.
  const after = version.value === null || version.value === 0 || sendInitial ? null : version.value;
  const bookmarks = flagOf(c.req.query('allowWatchBookmarks'));
  return streamLines('application/json', async function* (isCancelled) {
    const events = watch(
      source,
      {
        after,
        bookmarks,
        announceEnd: sendInitial && bookmarks,
        endsAt: deps.clock.now() + seconds * 1000,
        pollMs: options.pollMs ?? POLL_MS,
        isCancelled,
      },
      deps,
    );
    try {
      for await (const event of events) yield `${JSON.stringify(event)}\n`;
    } catch (error) {
      // The answer has begun, so its failure is told in the stream: clients list anew.
      deps.telemetry.warn('watch failed', { path: c.req.path, error: String(error) });
      yield `${JSON.stringify({ type: 'ERROR', object: internalError('the watch could not go on') })}\n`;
    }
  });
}
