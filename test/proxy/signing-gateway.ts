import { type IncomingMessage, type ServerResponse, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Keys, wrongIn } from './signature-check.ts';
import { listenOnLoopback } from '../../local/wire/loopback-server.ts';

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
export async function startGateway({ keys = () => KEYS, now = Date.now, answer }: GatewayWish) {
  const received: Received[] = [];
  const refused: string[] = [];
  const server = await listenOnLoopback((message, response) => {
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
  return { url: server.url, received, refused, close: () => server.close() };
}

/** Passes what stands below the stage `/k8s` on to a server, and its answer back, as they come. */
export function passOnTo({ url }: { readonly url: string }) {
  const { host, hostname, port } = new URL(url);
  return ({ method, url: path, body, message }: Received, response: ServerResponse): void => {
    const headers = { ...message.headers, host };
    const sent = request(
      { hostname, port, method, path: path.replace(/^\/k8s/, ''), headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        response.flushHeaders(); // a watch is a response before its first event
        answer.pipe(response);
      },
    );
    response.once('close', () => sent.destroy());
    sent.on('error', () => response.destroy());
    sent.end(body);
  };
}
