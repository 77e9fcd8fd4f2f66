import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { startSigningProxy } from '../../local/proxy/signing-proxy.ts';
import { readUpstream } from '../../local/proxy/upstream.ts';
import { type Credentials, createSigner } from '../../shared/adapters/aws/sigv4.ts';
import { type GatewayWish, KEYS, REGION, aGateway } from './a-gateway.ts';

export type ProxyWish = GatewayWish & {
  /** Whom the proxy signs as. */
  readonly credentials?: () => Promise<Credentials>;
  /** Whom it signs as, found once until that is refused; instead of `credentials`. */
  readonly findCredentials?: () => () => Promise<Credentials>;
  /** What the proxy's clock says, in ms since 1970. */
  readonly proxyNow?: () => number;
};

/** A proxy on loopback in front of a gateway that checks signatures; its stage is /k8s. */
export async function aProxy(wish: ProxyWish) {
  const gateway = await aGateway(wish);
  const proxy = await aProxyOf(`${gateway.url}/k8s/`, wish);
  return { ...proxy, gateway };
}

export async function aProxyOf(
  server: string,
  {
    credentials = async () => KEYS,
    findCredentials = () => credentials,
    proxyNow = Date.now,
  }: Pick<ProxyWish, 'credentials' | 'findCredentials' | 'proxyNow'> = {},
) {
  const read = readUpstream(server, REGION);
  if (read.kind === 'bad') throw new Error(read.reason);
  const signer = createSigner({
    region: REGION,
    service: 'execute-api',
    now: proxyNow,
    findCredentials,
  });
  const proxy = await startSigningProxy({ upstream: read.upstream, port: 0, signer, now: proxyNow });
  onTestFinished(() => proxy.close());
  return { url: proxy.url, close: () => proxy.close(), call: callsTo(proxy.url) };
}

export type Call = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

/** Calls by node's http: unlike fetch it sends targets and headers as they are given. */
function callsTo(url: string) {
  const { port } = new URL(url);
  const open = (target: string, { method = 'GET', headers = {}, body }: Call = {}) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = request({
      host: '127.0.0.1',
      port,
      method,
      path: target,
      headers: { ...length, ...headers },
      agent: false,
    });
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve);
      sent.on('error', reject);
    });
    sent.end(body);
    return { sent, answer };
  };
  const call = async (target: string, wish: Call = {}) => {
    const message = await open(target, wish).answer;
    const content = await text(message);
    return { code: message.statusCode, headers: message.headers, text: content, json: jsonOf(content) };
  };
  return Object.assign(call, { open });
}

function jsonOf(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return null;
  }
}
