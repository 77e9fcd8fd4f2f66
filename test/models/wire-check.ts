import { appendFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { SdkClient } from '../../shared/runtime/create-runtime.ts';
import { answerFaults, operationOf, requestFaults } from './exchange-faults.ts';
import { HAS_MODELS } from './service-model.ts';

/** What is held against the models: the requests alone, the answers alone, or both. */
export type Checked = 'requests' | 'answers' | 'both';

type Request = { readonly headers: Readonly<Record<string, string>>; readonly body?: unknown };
type Response = { readonly statusCode: number; body?: unknown };
type Handler = { handle(request: Request, ...more: unknown[]): Promise<{ readonly response: Response }> };

/** Calls that were held against the models and are not written down yet, by operation. */
const seen = new Map<string, number>();

/** Adds the calls so far to the file that `$MUSTER_SEEN_OPERATIONS` names, if it names one: a line of JSON. */
export function noteSeen(): void {
  const file = process.env['MUSTER_SEEN_OPERATIONS'];
  if (file === undefined || seen.size === 0) return;
  appendFileSync(file, `${JSON.stringify(Object.fromEntries(seen))}\n`);
  seen.clear();
}

/**
 * Holds all that a client sends and gets against AWS's service models from now on; where these are not installed, nothing.
 *
 * @param told each fault, as it happens
 */
export function checkWire(client: SdkClient, checked: Checked, told: (fault: string) => void): void {
  if (!HAS_MODELS) return;
  // What handlers take differs in types only.
  const config = client.config as unknown as { requestHandler: Handler };
  const { requestHandler: own } = config;
  const handle: Handler['handle'] = async (request, ...more) => {
    const target = request.headers['x-amz-target'] ?? '';
    const operation = operationOf(target);
    seen.set(operation, (seen.get(operation) ?? 0) + 1);
    if (checked !== 'answers') requestFaults({ target, request: textOf(request.body) }).forEach(told);
    const answer = await own.handle(request, ...more);
    if (checked === 'requests') return answer;
    const { response } = answer;
    const text = await wholeText(response.body);
    answerFaults({ target, status: response.statusCode, answer: text }).forEach(told);
    response.body = new PassThrough().end(text);
    return answer;
  };
  const get = (of: Handler, key: string | symbol): unknown => (key === 'handle' ? handle : Reflect.get(of, key));
  config.requestHandler = new Proxy(own, { get });
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  if (body === undefined || body === null) return '';
  throw new Error('a request of these services is a text');
}

async function wholeText(body: unknown): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of body as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}
