import type { Readable } from 'node:stream';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What becomes of one HTTP request of a client, beneath the SDK's repeats and its reading of answers. */
export type Fate =
  | { readonly kind: 'carriedOut' }
  /** It is carried out, but the connection breaks before the answer; `meanwhile` others go on. */
  | { readonly kind: 'answerLost'; readonly meanwhile?: () => Promise<unknown> }
  /** The connection breaks before it is sent. */
  | { readonly kind: 'notSent' }
  /** It is answered with this, and not carried out. */
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown };

/** A request as it would go over the wire. */
export type WireRequest = { readonly command: string; readonly attempt: number; body: Record<string, unknown> };

/**
 * Lets `decide` say what becomes of every HTTP request of this client; it may also change the request's body. `attempt`
 * counts the requests of one command from 1: the SDK's repeats have higher numbers.
 */
export function faultsBeneath(client: DynamoDBClient, decide: (request: WireRequest) => Fate): void {
  const attempts = new WeakMap<object, number>();
  const middleware = (next: Send, context: Record<string, unknown>) => async (args: Sent) => {
    const attempt = (attempts.get(args.input) ?? 0) + 1;
    attempts.set(args.input, attempt);
    const command = String(context['commandName']).replace(/Command$/, '');
    const request: WireRequest = { command, attempt, body: bodyOf(args.request) };
    const fate = decide(request);
    if (fate.kind === 'notSent') throw brokenConnection();
    if (fate.kind === 'answered') return { response: answer(fate.status, fate.body) };
    const answered = await next({ ...args, request: withBody(args.request, request.body) });
    if (fate.kind !== 'answerLost') return answered;
    answered.response.body.resume(); // or its socket would never be free again
    await fate.meanwhile?.();
    throw brokenConnection();
  };
  client.middlewareStack.add(middleware as never, { step: 'deserialize', priority: 'low', name: 'faultsBeneath' });
}

/** A step of the SDK's, as far as this needs it: what the command was asked, and the HTTP request it became. */
type Sent = {
  readonly input: object;
  readonly request: { readonly body: Uint8Array; readonly headers: Record<string, string> };
};
type Send = (args: Sent) => Promise<{ readonly response: { readonly body: Readable } }>;

/** A copy, as the SDK may send the original again. */
function withBody(http: Sent['request'], json: Record<string, unknown>): Sent['request'] {
  const body = Buffer.from(JSON.stringify(json));
  const headers = { ...http.headers, 'content-length': String(body.length) };
  return Object.assign(Object.create(Object.getPrototypeOf(http) as object) as Sent['request'], http, {
    body,
    headers,
  });
}

const bodyOf = ({ body }: Sent['request']): Record<string, unknown> =>
  JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>;

const brokenConnection = (): Error => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

/** The SDK reads an HTTP answer by these members. */
const answer = (statusCode: number, body: unknown) => ({
  statusCode,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: new TextEncoder().encode(JSON.stringify(body)),
});

const TYPE = 'com.amazonaws.dynamodb.v20120810#';

/** Errors as DynamoDB words them (aws.md 2.3; the SDK's own fixtures). */
export const dynamoError = (name: string, message: string, more: object = {}): Fate => ({
  kind: 'answered',
  status: 400,
  body: { __type: `${TYPE}${name}`, message, ...more },
});

/** A refusal of this write because a transaction on the same row is under way. */
export function conflict({ command, body }: WireRequest): Fate {
  if (command !== 'TransactWriteItems') {
    return dynamoError('TransactionConflictException', 'Transaction is ongoing for the item');
  }
  return cancelled(body, 'TransactionConflict', 'Transaction is ongoing for the item');
}

/** A transaction that was cancelled with this reason for its first write. */
export function cancelled(body: Record<string, unknown>, code: string, message: string): Fate {
  const items = body['TransactItems'] as readonly unknown[];
  const reasons = items.map((_, nth) => (nth === 0 ? { Code: code, Message: message } : { Code: 'None' }));
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return dynamoError('TransactionCanceledException', '', {
    Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    CancellationReasons: reasons,
  });
}
