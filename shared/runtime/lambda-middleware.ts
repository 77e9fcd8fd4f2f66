import { randomUUID } from 'node:crypto';
import middy, { type MiddlewareObj } from '@middy/core';
import type { Context, EventBridgeEvent, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { Hono } from 'hono';
import { handle, streamHandle } from 'hono/aws-lambda';
import { ensureNamespace } from '../control/lifecycle/ensure-namespace.ts';
import { DEFAULT_NAMESPACE } from '../domain/manifests/namespace.ts';
import type { Received } from '../ports/inbox.ts';
import {
  type Failed,
  type Failure,
  type Message,
  type Raw,
  endFailed,
  failureOf,
  readAll,
  removeTaken,
} from './message-end.ts';
import type { Runtime } from './runtime.ts';
import type { InvocationNames } from '../telemetry/lambda-telemetry.ts';
import { errorText } from '../domain/base/error-text.ts';

export type SqsHandlerOptions<M> = {
  readonly runtime: () => Runtime;
  /** Throws for a body that is not a message of this queue; the message then moves to the dead-letter queue with the error's text. */
  readonly parse: (body: string) => M;
  /** Takes more messages from the fact queue, to work on them in the same batch. Omitted: none. */
  readonly takeMore?: (batch: readonly Message<M>[], runtime: Runtime) => Promise<readonly Received[]>;
  /** Whether a message says nothing that rows do not say, too, so that the sweep or a later pass sends it again. */
  readonly isDerived: (content: M) => boolean;
  /** Works on a whole batch and returns the messages that failed, each with why. A throw fails all of them. */
  readonly work: (batch: readonly Message<M>[], runtime: Runtime) => Promise<ReadonlyMap<Message<M>, Failure>>;
};

/**
 * The handler of every queue: each message is parsed, succeeds, and fails alone; {@link endFailed} says what becomes of one that
 * fails. Lambda removes the others that it handed out, and this handler those that it took in addition.
 */
export function sqsHandler<M>({ runtime, parse, takeMore, isDerived, work }: SqsHandlerOptions<M>) {
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
      const failed = await workSafely({ work, isDerived }, [...handed.readable, ...taken.readable], here);
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
export type ScheduledEvent = Pick<EventBridgeEvent<string, unknown>, 'time'> & {
  /** Sent by an operator after a restore: every open Job is to have its tasks looked up. */
  readonly everything?: boolean;
};

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
    const apiRequestId = env.event?.requestContext?.requestId;
    here.deps.telemetry.begin({
      ...namesOf(context),
      ...(apiRequestId === undefined ? {} : { api_request_id: apiRequestId }),
    });
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
type Invocation = {
  readonly context?: LambdaContext;
  readonly lambdaContext?: LambdaContext;
  readonly event?: { readonly requestContext?: { readonly requestId?: string } };
};
type LambdaContext = Partial<Pick<Context, 'functionName' | 'awsRequestId'>> & {
  readonly getRemainingTimeInMillis?: () => number;
  callbackWaitsForEmptyEventLoop?: boolean;
};

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

const namesOf = (context: Partial<Pick<Context, 'functionName' | 'awsRequestId'>> | undefined): InvocationNames => ({
  ...(context?.functionName === undefined ? {} : { function_name: context.functionName }),
  ...(context?.awsRequestId === undefined ? {} : { function_request_id: context.awsRequestId }),
});

/** Names the invocation in its log lines, writes its metrics, and logs why it failed as a whole. */
function observed(runtime: () => Runtime): MiddlewareObj {
  return {
    before: ({ context }) => runtime().deps.telemetry.begin(namesOf(context)),
    after: () => runtime().deps.telemetry.flush(),
    onError: ({ error }) => {
      const { telemetry } = runtime().deps;
      telemetry.warn('invocation failed', { error: errorText(error) });
      telemetry.flush();
    },
  };
}

async function workSafely<M>(
  { work, isDerived }: Pick<SqsHandlerOptions<M>, 'work' | 'isDerived'>,
  batch: readonly Message<M>[],
  runtime: Runtime,
): Promise<readonly Failed[]> {
  if (batch.length === 0) return [];
  const end = (message: Message<M>, failure: Failure): Failed =>
    failure.why === 'newer'
      ? { ...message, reason: failure.reason, why: 'newer', isDerived: isDerived(message.content) }
      : { ...message, ...failure };
  try {
    return Array.from(await work(batch, runtime), ([message, failure]) => end(message, failure));
  } catch (error) {
    return batch.map((message) => end(message, failureOf(error)));
  }
}

function rawOf(record: SQSRecord, runtime: Runtime): Raw {
  const { messageId: id, receiptHandle: receipt, body, attributes, eventSourceARN } = record;
  const received = { id, receipt, body, receives: Number(attributes.ApproximateReceiveCount) };
  return { received, inbox: runtime.inboxOf(eventSourceARN) };
}
