import type { Clock } from '../../ports/clock.ts';

/** How often it is asked whether a stream may go on. */
export const RECHECK_MS = 5_000;
/** A short outage of what is asked must not end every watch. */
const FAILURES_MAX = 3;

/** Ends answers whose caller has lost the right to them. */
export type Revocations = {
  /** The same answer, which ends when `mayGoOn` says no, or has failed three times. */
  endWith(response: Response, mayGoOn: () => Promise<boolean>): Response;
};

type Open = { readonly mayGoOn: () => Promise<boolean>; readonly end: () => void; failures: number };

/** One timer asks for all open answers of a process, and only while there are any. */
export function createRevocations(clock: Clock): Revocations {
  const open = new Set<Open>();
  let isRunning = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    while (open.size > 0) {
      await clock.sleep(RECHECK_MS);
      for (const each of open) if (!(await isAllowed(each))) each.end();
    }
    isRunning = false;
  };
  return {
    endWith(response, mayGoOn) {
      if (!response.ok || response.body === null) return response;
      const { body, end } = endable(response.body, () => open.delete(entry));
      const entry: Open = { mayGoOn, end, failures: 0 };
      open.add(entry);
      if (!isRunning) void run();
      return new Response(body, response);
    },
  };
}

async function isAllowed(stream: Open): Promise<boolean> {
  try {
    const allowed = await stream.mayGoOn();
    stream.failures = 0;
    return allowed;
  } catch {
    return ++stream.failures < FAILURES_MAX;
  }
}

/** A body that can be ended between two pieces, however long the next one takes. `onEnd` is called once it is over. */
function endable(source: ReadableStream<Uint8Array>, onEnd: () => void) {
  const reader = source.getReader();
  let isEnded = false;
  let stopWaiting = (): void => undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = isEnded ? null : await nextOr(reader, (stop) => (stopWaiting = stop));
          if (next?.done === false) {
            controller.enqueue(next.value);
            return;
          }
          controller.close();
        } catch (error) {
          onEnd();
          throw error;
        }
        onEnd();
      },
      async cancel(reason) {
        onEnd();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const end = (): void => {
    isEnded = true;
    stopWaiting();
    onEnd();
    void reader.cancel();
  };
  return { body, end };
}

type Read = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;

/** The next piece; null: `stop` was called before it came. */
const nextOr = (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onWait: (stop: () => void) => void,
): Promise<Read | null> =>
  new Promise((resolve, reject) => {
    onWait(() => resolve(null));
    reader.read().then(resolve, reject);
  });
