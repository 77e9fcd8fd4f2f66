import type { IncomingMessage } from 'node:http';

export type Headers = Readonly<Record<string, readonly string[]>>;

/** Headers of one connection, not of the message (RFC 9110, 7.6.1), in addition to those that `Connection` names. */
const HOP_BY_HOP: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** Headers that the proxy sets itself, and private ones: the client's own credentials must not reach AWS. */
const OURS: readonly string[] = ['host', 'authorization', 'cookie', 'content-length', 'expect', 'origin', 'referer'];
const OURS_TOO = /^(?:x-amz|x-amzn|x-forwarded|forwarded|sec-)/;

/** The client's headers that are forwarded. */
export function requestHeaders(message: IncomingMessage): Headers {
  return kept(message, (name) => !OURS.includes(name) && !OURS_TOO.test(name));
}

const REMAPPED = 'x-amzn-remapped-';

/** The response headers that are returned. API Gateway renames some; clients get them under their own names. */
export function answerHeaders(message: IncomingMessage): Headers {
  const headers = kept(message, () => true);
  const renamed = Object.entries(headers).flatMap(([name, values]) => {
    const own = name.startsWith(REMAPPED) ? name.slice(REMAPPED.length) : null;
    return own === null || own in headers || HOP_BY_HOP.includes(own) || own === 'content-length'
      ? []
      : [[own, values] as const];
  });
  return { ...headers, ...Object.fromEntries(renamed) };
}

function kept(message: IncomingMessage, isWanted: (name: string) => boolean): Headers {
  const named = (message.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(message.headersDistinct).flatMap(([name, values]) =>
      values === undefined || HOP_BY_HOP.includes(name) || named.includes(name) || !isWanted(name)
        ? []
        : [[name, values] as const],
    ),
  );
}
