import type { IncomingMessage, ServerResponse } from 'node:http';
import { listenOnLoopback, type LoopbackServer } from '../../../local/wire/loopback-server.ts';
import { operationOf, requestFaults } from '../../models/exchange-faults.ts';
import { HAS_MODELS } from '../../models/service-model.ts';
import { missingTypes, neededRights } from '../../rights/needed-rights.ts';
import { type FunctionName, type Statement, allowing } from '../../rights/statements.ts';
import { LOCAL_PLACE } from '../../rights/template-statements.ts';

/** A request of a function, as it went over the wire. */
export type Sent = {
  readonly by: FunctionName;
  /** `RunTask` */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly text: string;
};

export type WatchedFrontOptions = {
  readonly by: FunctionName;
  /** What the function's role may do. */
  readonly statements: readonly Statement[];
  /** Addresses of services, by the prefix of `X-Amz-Target`. */
  readonly services: ReadonlyMap<string, string>;
  /** Gets every request. */
  readonly onSent: (sent: Sent) => void;
  /** Gets what breaks AWS's model, and what the role may not do. */
  readonly onFault: (fault: string) => void;
};

/**
 * Stands where one function expects all of AWS: it refuses what the function's role may not do, as AWS would, and passes on all
 * else. What is asked is held against AWS's service models, where they are installed.
 */
export async function watchedFront(options: WatchedFrontOptions): Promise<LoopbackServer> {
  return listenOnLoopback((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      options.onFault(`${options.by}: ${String(error)}`);
      response.writeHead(500).end();
    });
  });
}

async function answer(
  { by, statements, services, onSent, onFault }: WatchedFrontOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const text = await wholeText(request);
  const target = String(request.headers['x-amz-target']);
  const [prefix = '', operation = ''] = target.split('.');
  const input = JSON.parse(text) as Sent['input'];
  onSent({ by, operation, input, text });
  if (HAS_MODELS) for (const fault of requestFaults({ target, request: text })) onFault(`${by}: ${fault}`);
  const denied = await deniedOf(operation, input, statements);
  if (denied !== null) {
    onFault(`${by}: ${denied}`);
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify({ __type: 'AccessDeniedException', message: denied }));
    return;
  }
  const address = services.get(prefix);
  if (address === undefined) throw new Error(`${HAS_MODELS ? operationOf(target) : target} has no address`);
  const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
  const reply = await fetch(address, { method: 'POST', headers: headers as Record<string, string>, body: text });
  const type = reply.headers.get('content-type');
  response.writeHead(reply.status, type === null ? {} : { 'content-type': type });
  response.end(Buffer.from(await reply.arrayBuffer()));
}

/** Why AWS would deny it; null: it would not. */
async function deniedOf(
  operation: string,
  input: Sent['input'],
  statements: readonly Statement[],
): Promise<string | null> {
  for (const right of neededRights(operation, input, LOCAL_PLACE)) {
    const on = `${right.action} on ${right.resources.join(', ')}`;
    const [missing] = await missingTypes(right);
    if (missing !== undefined) return `AWS requires a ${missing} of ${on}`;
    if (allowing(statements, right) === null) return `it may not do ${on}`;
  }
  return null;
}

async function wholeText(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}
