import { Duration } from 'aws-cdk-lib';
import {
  AuthorizationType,
  EndpointType,
  LambdaIntegration,
  ResponseTransferMode,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

/** The longest that API Gateway waits for a streamed response, and Lambda's own limit: a watch must end by itself before it. */
export const STREAM_MAX = Duration.minutes(15);

/**
 * Binary content types: all other bodies reach the function as UTF-8, which would corrupt these. Since version 1.32 kubectl
 * sends the objects that it creates itself as protobuf. Responses need no such list, because streams are passed through
 * unchanged (API Gateway Developer Guide, "Stream the integration response").
 */
const BINARY = ['application/vnd.kubernetes.protobuf'];

/** Part of the URL: clients keep a server's path prefix. */
const STAGE = 'k8s';

/**
 * What the gateway itself answers, in the words of Kubernetes: client libraries decide by `reason` and `code`. Keeps the
 * gateway's status code, except where Kubernetes answers 401 to an unknown caller.
 */
const ANSWERS: readonly { readonly type: ResponseType; readonly code: number; readonly reason: string }[] = [
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, code: 401, reason: 'Unauthorized' },
  { type: ResponseType.INVALID_SIGNATURE, code: 401, reason: 'Unauthorized' },
  { type: ResponseType.EXPIRED_TOKEN, code: 401, reason: 'Unauthorized' },
  { type: ResponseType.UNAUTHORIZED, code: 401, reason: 'Unauthorized' },
  { type: ResponseType.ACCESS_DENIED, code: 403, reason: 'Forbidden' },
  { type: ResponseType.WAF_FILTERED, code: 403, reason: 'Forbidden' },
  { type: ResponseType.BAD_REQUEST_BODY, code: 400, reason: 'BadRequest' },
  { type: ResponseType.BAD_REQUEST_PARAMETERS, code: 400, reason: 'BadRequest' },
  { type: ResponseType.RESOURCE_NOT_FOUND, code: 404, reason: 'NotFound' },
  { type: ResponseType.REQUEST_TOO_LARGE, code: 413, reason: 'RequestEntityTooLarge' },
  { type: ResponseType.UNSUPPORTED_MEDIA_TYPE, code: 415, reason: 'UnsupportedMediaType' },
  { type: ResponseType.THROTTLED, code: 429, reason: 'TooManyRequests' },
  { type: ResponseType.QUOTA_EXCEEDED, code: 429, reason: 'TooManyRequests' },
  { type: ResponseType.INTEGRATION_FAILURE, code: 503, reason: 'ServiceUnavailable' },
  { type: ResponseType.INTEGRATION_TIMEOUT, code: 504, reason: 'Timeout' },
];

/** They have many status codes, so the body omits `code`: clients then use the HTTP status. */
const REMAINING = [
  { type: ResponseType.DEFAULT_4XX, reason: 'BadRequest' },
  { type: ResponseType.DEFAULT_5XX, reason: 'InternalError' },
];

/**
 * A regional REST API that sends every path to one function and streams its response: the only kind of API in API Gateway
 * that streams, which `watch` and `logs --follow` need. Callers sign with IAM.
 */
export class KubeApi extends Construct {
  readonly api: RestApi;

  constructor(scope: Construct, id: string, handler: IFunction) {
    super(scope, id);
    this.api = new RestApi(this, 'Api', {
      description: 'The Kubernetes API of Muster',
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      deployOptions: { stageName: STAGE },
      binaryMediaTypes: BINARY,
      cloudWatchRole: false, // one for the whole account, not ours to change
      defaultMethodOptions: { authorizationType: AuthorizationType.IAM },
      defaultIntegration: new LambdaIntegration(handler, {
        proxy: true,
        responseTransferMode: ResponseTransferMode.STREAM,
        timeout: STREAM_MAX,
        allowTestInvoke: false,
      }),
    });
    this.api.node.tryRemoveChild('Endpoint'); // the stack names its outputs itself
    this.api.root.addMethod('ANY');
    this.api.root.addProxy({ anyMethod: true });
    this.#answerAsKubernetes();
  }

  #answerAsKubernetes(): void {
    for (const { type, code, reason } of ANSWERS) {
      this.api.addGatewayResponse(type.responseType, {
        type,
        statusCode: String(code),
        templates: { 'application/json': failure(reason, code) },
      });
    }
    for (const { type, reason } of REMAINING) {
      this.api.addGatewayResponse(type.responseType, { type, templates: { 'application/json': failure(reason) } });
    }
  }
}

/** A Kubernetes `Status`; the gateway inserts its own message, quoted. */
function failure(reason: string, code?: number): string {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, code };
  return JSON.stringify(status).replace(/\}$/, ',"message":$context.error.messageString}');
}
