import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type Keys, wrongIn } from './signature-check.ts';
import { type LoopbackServer, listenOnLoopback } from '../../local/wire/loopback-server.ts';

/** AWS's own example keys. */
export const KEYS: Keys = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
export const REGION = 'eu-west-1';

/** A request whose signature is right. */
export type Received = {
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
  readonly message: IncomingMessage;
};

export type GatewayWish = {
  /** Whom it knows; it may change. */
  readonly keys?: () => Keys;
  /** What its clock says, in ms since 1970. */
  readonly now?: () => number;
  readonly answer: (received: Received, response: ServerResponse) => unknown;
};

/**
 * Stands in for API Gateway with IAM: looks at every signature, computed here from the bytes that have come by the
 * letter of AWS's description (not by the SDK), and refuses in its words.
 */
export async function aGateway({ keys = () => KEYS, now = Date.now, answer }: GatewayWish) {
  const received: Received[] = [];
  const refused: string[] = [];
  const server: LoopbackServer = await listenOnLoopback((message, response) => {
    void (async () => {
      const body = await buffer(message).catch(() => null);
      if (body === null) return;
      const why = wrongIn(message, body, { keys: keys(), region: REGION, nowMs: now() });
      if (why !== null) {
        refused.push(why);
        response.writeHead(403, { 'content-type': 'application/json', date: new Date(now()).toUTCString() });
        response.end(JSON.stringify({ message: why }));
        return;
      }
      const one = { method: message.method ?? '', url: message.url ?? '', body, message };
      received.push(one);
      await answer(one, response);
    })();
  });
  onTestFinished(() => server.close());
  return { url: server.url, received, refused, close: () => server.close() };
}
