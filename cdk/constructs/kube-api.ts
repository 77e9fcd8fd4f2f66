import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AuthorizationType,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  ResponseTransferMode,
  ResponseType,
  RestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { AccessLog } from '../settings.ts';

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

/** kubectl asks for all of discovery at once. */
const BURST_SEC = 2;
/** The account's own (API Gateway Developer Guide, quotas). */
const BURST_MAX = 5_000;

/**
 * A line of the access log. `caller` is the ARN of the user or of the assumed role with its session; requests to execute-api are
 * not in CloudTrail.
 */
const ACCESS = {
  at: '$context.requestTime',
  caller: '$context.identity.userArn',
  sourceIp: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  path: '$context.path',
  status: '$context.status',
  requestId: '$context.requestId',
  lambdaRequestId: '$context.awsEndpointRequestId',
  latencyMs: '$context.responseLatency',
  error: '$context.error.message',
} as const;

export type KubeApiProps = {
  readonly handler: IFunction;
  /** Above it the gateway answers 429, which clients repeat. */
  readonly requestsPerSec: number;
  readonly accessLog: AccessLog | null;
  readonly tracing: boolean;
};

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

  constructor(scope: Construct, id: string, { handler, requestsPerSec, accessLog, tracing }: KubeApiProps) {
    super(scope, id);
    this.api = new RestApi(this, 'Api', {
      restApiName: Stack.of(this).stackName,
      description: 'The Kubernetes API of Muster',
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      deployOptions: {
        stageName: STAGE,
        throttlingRateLimit: requestsPerSec,
        throttlingBurstLimit: Math.min(BURST_MAX, BURST_SEC * requestsPerSec),
        tracingEnabled: tracing,
        ...(accessLog === null ? {} : this.#accessLog()),
      },
      binaryMediaTypes: BINARY,
      // One for all APIs of the account in the Region, so it stays when this one goes.
      cloudWatchRole: accessLog === 'own',
      ...(accessLog === 'own' ? { cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN } : {}),
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

  #accessLog(): Pick<StageOptions, 'accessLogDestination' | 'accessLogFormat'> {
    const logGroup = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    return {
      accessLogDestination: new LogGroupLogDestination(logGroup),
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(ACCESS)),
    };
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
