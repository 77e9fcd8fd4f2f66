import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { JsonShapeDeserializer, JsonShapeSerializer } from '@aws-sdk/core/protocols';
import { AwsError } from './aws-error.ts';

/**
 * The server's side of AWS JSON 1.0 and 1.1: POST, `X-Amz-Target: <prefix>.<operation>`, a JSON body. Shapes come from the
 * schemas in the SDK's own clients, so dates, blobs, and unknown members are treated as the client treats them. Those
 * exports are not a stable API: only this file uses them, and the versions are pinned.
 */
export type AwsService = {
  readonly targetPrefix: string;
  readonly jsonVersion: '1.0' | '1.1';
  readonly operations: Readonly<Record<string, Operation>>;
};

export type Operation = {
  readonly request: Schema;
  readonly response: Schema;
  /** Takes the decoded request: names are valid, values are not checked. Throws {@link AwsError}. */
  readonly handle: (input: unknown) => unknown;
};

/** What every `client-*` exports, as `RunTaskRequest$` and so on. */
type Schema = Parameters<JsonShapeSerializer['write']>[0];
type JsonValue = Parameters<JsonShapeDeserializer['readObject']>[1];

export type FrontOptions = {
  /**
   * If set, requests must be signed with this access key. Signatures are not verified: the key is a random word that keeps
   * other users of the machine (who can also reach 127.0.0.1) from running commands as us.
   */
  readonly accessKeyId?: string;
  /** Called for errors that no client should be able to cause. */
  readonly onSurprise?: (message: string, fields: Readonly<Record<string, unknown>>) => void;
};

/** AWS accepts at most this much in one JSON call, for every service here. */
const BODY_BYTES_MAX = 1024 * 1024;

const LOOPBACK_HOST = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d+)?$/i;

/** One front for several services: a plain handler for Node's http server. It never throws and always answers. */
export function serveAwsJson(services: readonly AwsService[], options: FrontOptions = {}) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    answer(services, options, request).then(
      (reply) => send(response, reply),
      (error: unknown) => send(response, refuse('1.1', error, options)),
    );
  };
}

type Reply = {
  readonly status: number;
  readonly jsonVersion: string;
  readonly body: string;
  readonly errorType?: string;
};

async function answer(
  services: readonly AwsService[],
  options: FrontOptions,
  request: IncomingMessage,
): Promise<Reply> {
  checkCaller(request, options);
  const target = request.headers['x-amz-target'];
  const [prefix = '', name = ''] = typeof target === 'string' ? target.split('.') : [];
  const service = services.find((candidate) => candidate.targetPrefix === prefix);
  const operation =
    service !== undefined && Object.hasOwn(service.operations, name) ? service.operations[name] : undefined;
  if (service === undefined || operation === undefined)
    throw new AwsError('UnknownOperationException', `${String(target)} is not served here`);
  const body = await readBody(request);
  try {
    const input = decode(operation, parse(body));
    const output = await operation.handle(input);
    return { status: 200, jsonVersion: service.jsonVersion, body: encode(operation, output) };
  } catch (error) {
    return refuse(service.jsonVersion, error, options);
  }
}

/**
 * Allows only programs on this machine. A web page's request has an Origin header, or after DNS rebinding a foreign
 * Host.
 */
function checkCaller(request: IncomingMessage, options: FrontOptions): void {
  if (request.method !== 'POST')
    throw new AwsError('UnknownOperationException', 'only POST is served', { status: 405 });
  if (!LOOPBACK_HOST.test(request.headers.host ?? ''))
    throw new AwsError('AccessDeniedException', 'the Host is not loopback', { status: 403 });
  if (request.headers.origin !== undefined)
    throw new AwsError('AccessDeniedException', 'web pages may not call this', { status: 403 });
  const { accessKeyId } = options;
  if (accessKeyId !== undefined && !(request.headers.authorization ?? '').includes(`Credential=${accessKeyId}/`)) {
    throw new AwsError('UnrecognizedClientException', 'The security token included in the request is invalid.', {
      status: 403,
    });
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > BODY_BYTES_MAX)
      throw new AwsError('RequestEntityTooLargeException', 'the request is too large', { status: 413 });
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parse(body: string): JsonValue {
  try {
    const value = JSON.parse(body === '' ? '{}' : body) as JsonValue;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // the same answer as for JSON that is not an object
  }
  throw new AwsError('SerializationException', 'the body is not a JSON object');
}

/** AWS JSON writes dates as seconds since 1970, whatever a member's traits say elsewhere. */
const SETTINGS = { jsonName: false, timestampFormat: { useTrait: true, default: 7 } } satisfies ConstructorParameters<
  typeof JsonShapeSerializer
>[0];
const serializer = new JsonShapeSerializer(SETTINGS);
const deserializer = new JsonShapeDeserializer(SETTINGS);

function decode(operation: Operation, body: JsonValue): unknown {
  try {
    return deserializer.readObject(operation.request, body);
  } catch (error) {
    throw new AwsError('SerializationException', error instanceof Error ? error.message : String(error));
  }
}

function encode(operation: Operation, output: unknown): string {
  serializer.write(operation.response, output ?? {});
  return serializer.flush();
}

function refuse(jsonVersion: string, error: unknown, options: FrontOptions): Reply {
  if (error instanceof AwsError) {
    const body = JSON.stringify({ __type: error.type, message: error.message, ...error.members });
    return { status: error.status, jsonVersion, body, errorType: error.type };
  }
  options.onSurprise?.('a call to the embedded AWS failed', { error });
  return {
    status: 500,
    jsonVersion,
    body: JSON.stringify({ __type: 'ServerException', message: 'internal error' }),
    errorType: 'ServerException',
  };
}

function send(response: ServerResponse, { status, jsonVersion, body, errorType }: Reply): void {
  response.writeHead(status, {
    'content-type': `application/x-amz-json-${jsonVersion}`,
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': randomUUID(),
    ...(errorType === undefined ? {} : { 'x-amzn-errortype': errorType }),
    // an unread rest of the body must not be taken for the next request
    ...(status === 413 ? { connection: 'close' } : {}),
  });
  response.end(body);
}
