import { randomUUID } from 'node:crypto';
import middy, { type MiddlewareObj } from '@middy/core';
import type { EventBridgeEvent, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { Hono } from 'hono';
import { handle, streamHandle } from 'hono/aws-lambda';
import { ensureNamespace } from '../control/namespace-standing.ts';
import { DEFAULT_NAMESPACE } from '../domain/namespace.ts';
import { RECEIVES_MAX } from '../names/dead-letters.ts';
import type { Runtime } from './runtime.ts';

export type Letter<M> = { readonly id: string; readonly message: M };
export type Failure = { readonly id: string; readonly reason: string };

export type SqsHandlerOptions<M> = {
  readonly runtime: () => Runtime;
  /** Throws for what is no message; the message then goes to the dead-letter queue with the error's text. */
  readonly parse: (body: string) => M;
  /** Works on a whole batch and names the letters that failed; what it throws fails all of them. */
  readonly work: (batch: readonly Letter<M>[], runtime: Runtime) => Promise<readonly Failure[]>;
};

/**
 * The handler of every queue: each message is parsed, succeeds and fails alone. One that cannot be parsed, or that fails
 * at its last receive, is put into the dead-letter queue with its reason; any other that fails comes again later.
 */
export function sqsHandler<M>({ runtime, parse, work }: SqsHandlerOptions<M>) {
  return middy<SQSEvent, SQSBatchResponse>()
    .use(observed(runtime))
    .handler(async ({ Records: records }: SQSEvent): Promise<SQSBatchResponse> => {
      const here = runtime();
      const letters: Letter<M>[] = [];
      const refused: Failure[] = [];
      for (const { messageId: id, body } of records) {
        const parsed = attempt(() => parse(body));
        if (parsed.kind === 'value') letters.push({ id, message: parsed.value });
        else refused.push({ id, reason: reasonOf(parsed.error) });
      }
      const failed = letters.length === 0 ? [] : await workSafely(work, letters, here);
      const again = await Promise.all([
        ...refused.map(({ id, reason }) => settle(records, id, reason, 'refused', here)),
        ...failed.map(({ id, reason }) => settle(records, id, reason, 'failed', here)),
      ]);
      return { batchItemFailures: again.filter((id) => id !== null).map((itemIdentifier) => ({ itemIdentifier })) };
    });
}

/** The handler of a timer: whatever the work throws is logged and fails the invocation. */
export function scheduledHandler(options: {
  readonly runtime: () => Runtime;
  readonly work: (event: ScheduledEvent, runtime: Runtime) => Promise<void>;
}) {
  const { runtime, work } = options;
  return middy<ScheduledEvent, void>()
    .use(observed(runtime))
    .handler((event: ScheduledEvent) => work(event, runtime()));
}
export type ScheduledEvent = Pick<EventBridgeEvent<string, unknown>, 'time'>;

/**
 * The handler of an API: answers are streamed where Lambda can stream, so that a watch is one long answer. It ends
 * after {@link LAMBDA_STREAM_MAX_SEC}, and before the function's own time does: an invocation that is cut off breaks its answer.
 */
export function apiHandler(options: {
  readonly runtime: () => Runtime;
  readonly app: (runtime: Runtime, options: { readonly streamMaxSec?: number }) => Hono;
}) {
  // Made at the first request: a missing variable then is an error of a request, with a log line, not of the cold start.
  let app: Hono | null = null;
  const isStreaming = canStream();
  const shell = new Hono<{ Bindings: Invocation }>();
  shell.all('*', async ({ req, env }) => {
    const here = options.runtime();
    const context = env.context ?? env.lambdaContext;
    // The answer is the end: a connection or timer that is left must not keep the invocation, and its bill, open.
    if (context !== undefined) context.callbackWaitsForEmptyEventLoop = false;
    if (app === null) {
      const streamMaxSec = streamSecOf(env); // the first request has all of the function's time
      await ensureNamespace(DEFAULT_NAMESPACE, randomUUID(), here.deps); // as every cluster has it
      app = options.app(here, streamMaxSec === null ? {} : { streamMaxSec });
    }
    try {
      const response = await app.fetch(req.raw, env);
      return isStreaming ? headFirst(response) : response;
    } finally {
      here.deps.telemetry.flush();
    }
  });
  return isStreaming ? streamHandle(shell) : handle(shell);
}

/** What hono's two adapters tell of the invocation. */
type Invocation = { readonly context?: LambdaTime; readonly lambdaContext?: LambdaTime };
type LambdaTime = { readonly getRemainingTimeInMillis?: () => number; callbackWaitsForEmptyEventLoop?: boolean };

/**
 * Lambda does not tell a function that its client has gone, so a watch that nobody reads any more holds one of the
 * account's concurrent invocations, and is paid for, until it ends by itself. Informers and `kubectl wait` go on by themselves.
 */
const LAMBDA_STREAM_MAX_SEC = 150;
/** For the last words of a watch, and a gateway's. */
const FAREWELL_SEC = 10;

/** The longest that an answer may take, in seconds; null: as long as the API likes. */
function streamSecOf({ context, lambdaContext }: Invocation): number | null {
  const leftMs = (context ?? lambdaContext)?.getRemainingTimeInMillis?.();
  if (leftMs === undefined) return null;
  return Math.min(LAMBDA_STREAM_MAX_SEC, Math.max(1, Math.floor(leftMs / 1000) - FAREWELL_SEC));
}

/**
 * The same answer with an empty first part. Lambda sends status and headers with the first write, and a watch may have
 * nothing to write for minutes, while its client waits for the head before it does anything else.
 */
function headFirst(response: Response): Response {
  if (response.body === null) return response;
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(0)),
    async pull(controller) {
      const { value } = await reader.read();
      if (value === undefined) controller.close();
      else controller.enqueue(value);
    },
    cancel: async (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}

/** Lambda's Node runtime brings this global; the SDK leaves an empty one of the same name elsewhere. */
function canStream(): boolean {
  const lambda: unknown = Reflect.get(globalThis, 'awslambda');
  return typeof lambda === 'object' && lambda !== null && 'streamifyResponse' in lambda;
}

/** Writes the invocation's metrics, and says why it failed as a whole. */
function observed(runtime: () => Runtime): MiddlewareObj {
  return {
    after: () => runtime().deps.telemetry.flush(),
    onError: ({ error }) => {
      const { telemetry } = runtime().deps;
      telemetry.warn('invocation failed', { error: reasonOf(error) });
      telemetry.flush();
    },
  };
}

async function workSafely<M>(work: SqsHandlerOptions<M>['work'], letters: readonly Letter<M>[], runtime: Runtime) {
  try {
    return await work(letters, runtime);
  } catch (error) {
    const reason = reasonOf(error);
    return letters.map(({ id }) => ({ id, reason }));
  }
}

/** What becomes of a message that cannot be worked on: its id if it shall come again; null if it is dealt with. */
async function settle(
  records: readonly SQSRecord[],
  id: string,
  reason: string,
  why: 'refused' | 'failed',
  runtime: Runtime,
) {
  const record = records.find(({ messageId }) => messageId === id);
  if (record === undefined) return id;
  const inbox = runtime.inboxOf(record.eventSourceARN);
  const letter = {
    id,
    receipt: record.receiptHandle,
    body: record.body,
    receives: Number(record.attributes.ApproximateReceiveCount),
  };
  return (await buryOrRetry({ letter, reason, why, inbox, runtime })) === 'buried' ? null : id;
}

export type Unworkable = {
  readonly letter: { readonly id: string; readonly receipt: string; readonly body: string; readonly receives: number };
  readonly reason: string;
  /** `refused`: no repetition can mend it. */
  readonly why: 'refused' | 'failed';
  readonly inbox: Inbox | null;
  readonly runtime: Runtime;
};
type Inbox = NonNullable<ReturnType<Runtime['inboxOf']>>;

/** Buries the message if it is refused or has come for the last time; else, or if that fails too, it comes again. */
export async function buryOrRetry({ letter, reason, why, inbox, runtime }: Unworkable): Promise<'buried' | 'again'> {
  const { telemetry } = runtime.deps;
  const { id, receipt, body, receives } = letter;
  telemetry.warn(why === 'refused' ? 'message refused' : 'message failed', { id, reason, receives });
  if (inbox === null) return 'again';
  try {
    if ((why === 'refused' || receives >= RECEIVES_MAX) && (await inbox.bury(body, reason))) {
      telemetry.count('MessagesRejected', 1);
      return 'buried';
    }
    await inbox.retry([receipt], retryAfterSec(receives));
  } catch (error) {
    // Nothing is lost: it comes again when its visibility timeout is over.
    telemetry.warn('message neither buried nor put back', { id, error: reasonOf(error) });
  }
  return 'again';
}

/** 2, 4, 8, 16 seconds: a message's five receives outlast a short trouble, without waiting for the visibility timeout. */
const retryAfterSec = (receives: number): number => Math.min(2 ** receives, 60);

export const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

function attempt<T>(
  make: () => T,
): { readonly kind: 'value'; readonly value: T } | { readonly kind: 'error'; readonly error: unknown } {
  try {
    return { kind: 'value', value: make() };
  } catch (error) {
    return { kind: 'error', error };
  }
}
