import { errorResponse, tooManyRequests } from './status-error.ts';

/** What is written piece by piece; it looks at `isCancelled` where it waits. */
export type Pieces = (isCancelled: () => boolean) => AsyncIterator<string>;

/**
 * Sends text as it comes, no faster than it is read. Whatever reads it may go away at any time: then it is told to end.
 * If it throws, the connection breaks, so that nobody takes a part for the whole.
 *
 * @param onEnd called once, when nothing more is going to be sent
 */
export function streamLines(contentType: string, pieces: Pieces, onEnd: () => void = () => undefined): Response {
  let ended = false;
  const end = (): void => {
    if (!ended) onEnd();
    ended = true;
  };
  const iterator = pieces(() => ended);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await iterator.next();
          if (next.done !== true) return controller.enqueue(encoder.encode(next.value));
          end();
          controller.close();
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel() {
        end();
        // Not awaited: it may be in the middle of a wait.
        void iterator.return?.().then(undefined, () => undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'content-type': contentType, 'cache-control': 'no-cache, private' } });
}

/** The streams of one process that stay open for long: watches and logs that are followed. */
export type OpenStreams = {
  /** Sends text as {@link streamLines} does, or 429 while too many are open. */
  send(contentType: string, pieces: Pieces): Response;
  /** Waits for text that is sent as a whole; it takes a place among the open ones as well. */
  collect(contentType: string, pieces: Pieces): Promise<Response>;
  readonly open: () => number;
};

/** Each holds a connection and looks at the feed once a second. */
const OPEN_STREAMS_MAX = 1000;

export function createOpenStreams(max = OPEN_STREAMS_MAX): OpenStreams {
  let open = 0;
  const leave = (): void => {
    open--;
  };
  return {
    open: () => open,
    send(contentType, pieces) {
      if (open >= max) return refusal(max);
      open++;
      return streamLines(contentType, pieces, leave);
    },
    async collect(contentType, pieces) {
      if (open >= max) return refusal(max);
      open++;
      try {
        const iterator = pieces(() => false);
        const texts: string[] = [];
        for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) texts.push(next.value);
        const headers = { 'content-type': contentType, 'cache-control': 'no-cache, private' };
        return new Response(texts.join(''), { headers });
      } finally {
        leave();
      }
    },
  };
}

function refusal(max: number): Response {
  const error = tooManyRequests(`${max} watches and followed logs are open already; try again later`, 1);
  const answer = errorResponse(error);
  answer.headers.set('retry-after', '1');
  return answer;
}
