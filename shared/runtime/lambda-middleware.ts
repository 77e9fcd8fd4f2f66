import { randomUUID } from 'node:crypto';
import middy, { type MiddlewareObj } from '@middy/core';
import type { EventBridgeEvent, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { Hono } from 'hono';
import { handle, streamHandle } from 'hono/aws-lambda';
import { ensureNamespace } from '../control/lifecycle/ensure-namespace.ts';
import { DEFAULT_NAMESPACE } from '../domain/spec/namespace.ts';
import type { Refusal } from '../ports/dead-letters.ts';
import type { Received } from '../ports/inbox.ts';
import { type Failed, type Message, type Raw, endFailed, readAll, removeTaken } from './message-end.ts';
import type { Runtime } from './runtime.ts';
import { errorText } from '../domain/base/error-text.ts';

export type SqsHandlerOptions<M> = {
  readonly runtime: () => Runtime;
  /** Throws for a body that is not a message of this queue; the message then moves to the dead-letter queue with the error's text. */
  readonly parse: (body: string) => M;
  /** Takes more messages from the fact queue, to work on them in the same batch. Omitted: none. */
  readonly takeMore?: (batch: readonly Message<M>[], runtime: Runtime) => Promise<readonly Received[]>;
  /** Works on a whole batch and returns the messages that failed, each with its reason. A throw fails all of them. */
  readonly work: (batch: readonly Message<M>[], runtime: Runtime) => Promise<ReadonlyMap<Message<M>, string | Refused>>;
};

/** Why a message is given up at once. */
export type Refused = { readonly reason: string; readonly refusal: Refusal };

/**
 * The handler of every queue: each message is parsed, succeeds, and fails alone; {@link endFailed} says what becomes of one that
 * fails. Lambda removes the others that it handed out, and this handler those that it took in addition.
 */
export function sqsHandler<M>({ runtime, parse, takeMore, work }: SqsHandlerOptions<M>) {
  return middy<SQSEvent, SQSBatchResponse>()
    .use(observed(runtime))
    .handler(async ({ Records: records }: SQSEvent): Promise<SQSBatchResponse> => {
      const here = runtime();
      const raw = records.map((record) => rawOf(record, here));
      const handed = readAll(raw, parse);
      const isMore = takeMore !== undefined && handed.readable.length > 0;
      const more = isMore ? await takeMore(handed.readable, here) : [];
      const taken = readAll(
        more.map((received) => ({ received, inbox: here.facts })),
        parse,
      );
      const failed = await workSafely(work, [...handed.readable, ...taken.readable], here);
      const again = await endFailed([...handed.refused, ...taken.refused, ...failed], here);
      const done = more.filter((received) => !again.has(received));
      if (done.length > 0) await removeTaken(done, here);
      const back = raw.filter(({ received }) => again.has(received));
      return { batchItemFailures: back.map(({ received }) => ({ itemIdentifier: received.id })) };
    });
}

/** The handler of scheduled events: logs any error and fails the invocation. */
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
 * The handler of an API. Answers are streamed if Lambda can stream, so that a watch is one long answer. A stream ends after
 * {@link LAMBDA_STREAM_MAX_SEC}, and before the function's time is up: a cut-off invocation breaks its answer.
 */
export function apiHandler(options: {
  readonly runtime: () => Runtime;
  readonly app: (runtime: Runtime, options: { readonly streamMaxSec?: number }) => Hono;
}) {
  // Created at the first request: a missing variable then is an error of a request, with a log line, not of the cold start.
  let app: Hono | null = null;
  const isStreaming = canStream();
  const shell = new Hono<{ Bindings: Invocation }>();
  shell.all('*', async ({ req, env }) => {
    const here = options.runtime();
    const context = env.context ?? env.lambdaContext;
    // The invocation ends with the answer: an open connection or timer must not prolong it, and its bill.
    if (context !== undefined) context.callbackWaitsForEmptyEventLoop = false;
    if (app === null) {
      const streamMaxSec = streamSecOf(env); // the first request has all of the function's time
      await ensureNamespace(DEFAULT_NAMESPACE, randomUUID(), here.deps); // every cluster has it
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

/** What hono's two adapters provide about the invocation. */
type Invocation = { readonly context?: LambdaTime; readonly lambdaContext?: LambdaTime };
type LambdaTime = { readonly getRemainingTimeInMillis?: () => number; callbackWaitsForEmptyEventLoop?: boolean };

/**
 * Lambda does not tell a function that its client has disconnected, so an abandoned watch occupies one of the account's
 * concurrent invocations, and is billed, until it ends by itself. Informers and `kubectl wait` reconnect by themselves.
 */
const LAMBDA_STREAM_MAX_SEC = 150;
/** For the end of a watch, and a gateway's overhead. */
const FAREWELL_SEC = 10;

/** The longest that an answer may take, in seconds; null: no limit. */
function streamSecOf({ context, lambdaContext }: Invocation): number | null {
  const leftMs = (context ?? lambdaContext)?.getRemainingTimeInMillis?.();
  if (leftMs === undefined) return null;
  return Math.min(LAMBDA_STREAM_MAX_SEC, Math.max(1, Math.floor(leftMs / 1000) - FAREWELL_SEC));
}

/**
 * The same answer with an empty first part. Lambda sends status and headers with the first write, and a watch may have nothing
 * to write for minutes while its client waits for the headers.
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

/** Lambda's Node runtime provides this global; elsewhere the SDK leaves an empty one of the same name. */
function canStream(): boolean {
  const lambda: unknown = Reflect.get(globalThis, 'awslambda');
  return typeof lambda === 'object' && lambda !== null && 'streamifyResponse' in lambda;
}

/** Writes the invocation's metrics, and logs why it failed as a whole. */
function observed(runtime: () => Runtime): MiddlewareObj {
  return {
    after: () => runtime().deps.telemetry.flush(),
    onError: ({ error }) => {
      const { telemetry } = runtime().deps;
      telemetry.warn('invocation failed', { error: errorText(error) });
      telemetry.flush();
    },
  };
}

async function workSafely<M>(
  work: SqsHandlerOptions<M>['work'],
  batch: readonly Message<M>[],
  runtime: Runtime,
): Promise<readonly Failed[]> {
  if (batch.length === 0) return [];
  try {
    const reasons = await work(batch, runtime);
    return Array.from(reasons, ([message, reason]) =>
      typeof reason === 'string' ? { ...message, reason, why: 'failed' } : { ...message, ...reason, why: 'refused' },
    );
  } catch (error) {
    const reason = errorText(error);
    return batch.map((message) => ({ ...message, reason, why: 'failed' }));
  }
}

function rawOf(record: SQSRecord, runtime: Runtime): Raw {
  const { messageId: id, receiptHandle: receipt, body, attributes, eventSourceARN } = record;
  const received = { id, receipt, body, receives: Number(attributes.ApproximateReceiveCount) };
  return { received, inbox: runtime.inboxOf(eventSourceARN) };
}
