import { PassThrough } from 'node:stream';

export type Streamed = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
type StreamHandler = (event: unknown, out: PassThrough, context: object) => Promise<void>;
type Prelude = Pick<Streamed, 'statusCode' | 'headers'>;

const preludes = new WeakMap<PassThrough, Prelude>();

/**
 * Gives this process the global by which Lambda's Node runtime lets a handler stream, as far as handlers use it. Call it
 * before the handler's module is loaded: on Lambda it is there from the beginning. Returns what takes it back.
 */
export function pretendLambda(): () => void {
  const awslambda = {
    streamifyResponse: (handler: StreamHandler) => handler,
    HttpResponseStream: {
      from(out: PassThrough, prelude: Prelude) {
        preludes.set(out, prelude);
        return out;
      },
    },
  };
  Object.assign(globalThis, { awslambda });
  return () => void Reflect.deleteProperty(globalThis, 'awslambda');
}

/** Calls a streaming handler as a REST API's proxy integration does for a GET of `path`, and reads the answer to its end. */
export const getThroughGateway = async (handler: unknown, path: string): Promise<Streamed> =>
  throughGateway(handler, proxyEvent('GET', path, null));

/** Likewise for a POST of a JSON document. */
export const postThroughGateway = async (handler: unknown, path: string, document: object): Promise<Streamed> =>
  throughGateway(handler, proxyEvent('POST', path, JSON.stringify(document)));

/** Likewise for any other method; without a document, or with one. */
export const askThroughGateway = async (
  handler: unknown,
  method: string,
  path: string,
  document: object | null = null,
): Promise<Streamed> =>
  throughGateway(handler, proxyEvent(method, path, document === null ? null : JSON.stringify(document)));

async function throughGateway(handler: unknown, event: object): Promise<Streamed> {
  const out = new PassThrough();
  const chunks: Buffer[] = [];
  const body = (async () => {
    for await (const chunk of out) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  })();
  await (handler as StreamHandler)(event, out, {});
  const text = await body;
  const prelude = preludes.get(out);
  if (prelude === undefined) throw new Error('the handler began without status and headers');
  return { ...prelude, body: text };
}

/** Who has signed. */
export const CALLER = { userArn: 'arn:aws:iam::123456789012:user/kim', user: 'AIDAKIM' };

/** The proxy event of a REST API (API Gateway developer guide, Lambda proxy integration, input format). */
function proxyEvent(httpMethod: string, path: string, body: string | null): object {
  const host = 'abc123.execute-api.eu-west-1.amazonaws.com';
  const headers = {
    Host: host,
    Accept: 'application/json',
    ...(body === null ? {} : { 'Content-Type': 'application/json' }),
  };
  return {
    resource: '/{proxy+}',
    path, // without the stage
    httpMethod,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: { proxy: path.slice(1) },
    stageVariables: null,
    requestContext: {
      resourcePath: '/{proxy+}',
      httpMethod,
      path: `/k8s${path}`,
      stage: 'k8s',
      domainName: host,
      requestId: 'any',
      identity: { sourceIp: '192.0.2.1', userAgent: 'kubectl', ...CALLER },
    },
    body,
    isBase64Encoded: false,
  };
}
