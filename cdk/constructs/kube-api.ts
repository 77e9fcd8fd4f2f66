import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AuthorizationType,
  type MethodOptions,
  EndpointType,
  IdentitySource,
  LambdaIntegration,
  LogGroupLogDestination,
  RequestAuthorizer,
  ResponseTransferMode,
  ResponseType,
  RestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { AccessLog } from '../setting-fields.ts';

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
 * How long API Gateway keeps what the authorizer says of a token. It outlives the token by as much; longer would outlive an
 * administrator's removal, too.
 */
const AUTHORIZED_FOR = Duration.minutes(5);

/**
 * A line of the access log. With IAM, `caller` is the ARN of the user or of the assumed role with its session; requests to
 * execute-api are not in CloudTrail. With tokens it is the name that the API knows.
 */
const ACCESS = {
  at: '$context.requestTime',
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
  /** Says who sent a bearer token; null: callers sign with IAM. */
  readonly authorizer: IFunction | null;
  /** Above it the gateway answers 429, which clients repeat. */
  readonly requestsPerSec: number;
  readonly accessLog: AccessLog | null;
  /** How long the access log is kept, also without the stack. */
  readonly logKept: RetentionDays;
  readonly tracing: boolean;
};

type GatewayAnswer = {
  readonly type: ResponseType;
  readonly code: number;
  readonly reason: string;
  /** Omitted: the gateway's own. */
  readonly message?: string;
  /** Clients wait so long, and repeat the request. */
  readonly retryAfterSec?: number;
};

/** The authorizer could not ask STS, or was not even called: the gateway says nothing itself. */
const NOT_CHECKED = {
  code: 503,
  reason: 'ServiceUnavailable',
  message: 'the token cannot be checked now; try again',
  retryAfterSec: 1,
} as const;

/**
 * What the gateway itself answers, in the words of Kubernetes: client libraries decide by `reason` and `code`. Keeps the
 * gateway's status code, except where Kubernetes answers 401 to an unknown caller.
 */
const ANSWERS: readonly GatewayAnswer[] = [
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, code: 401, reason: 'Unauthorized' },
  { type: ResponseType.INVALID_SIGNATURE, code: 401, reason: 'Unauthorized' },
  { type: ResponseType.EXPIRED_TOKEN, code: 401, reason: 'Unauthorized' },
  { type: ResponseType.UNAUTHORIZED, code: 401, reason: 'Unauthorized' },
  { type: ResponseType.AUTHORIZER_FAILURE, ...NOT_CHECKED },
  { type: ResponseType.AUTHORIZER_CONFIGURATION_ERROR, ...NOT_CHECKED },
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
 * that streams, which `watch` and `logs --follow` need. Callers sign with IAM, or send a token.
 */
export class KubeApi extends Construct {
  readonly api: RestApi;

  constructor(scope: Construct, id: string, props: KubeApiProps) {
    super(scope, id);
    const { handler, authorizer, requestsPerSec, accessLog, logKept, tracing } = props;
    this.api = new RestApi(this, 'Api', {
      restApiName: Stack.of(this).stackName,
      description: 'The Kubernetes API of Muster',
      endpointConfiguration: { types: [EndpointType.REGIONAL] },
      deployOptions: {
        stageName: STAGE,
        throttlingRateLimit: requestsPerSec,
        throttlingBurstLimit: Math.min(BURST_MAX, BURST_SEC * requestsPerSec),
        tracingEnabled: tracing,
        ...(accessLog === null
          ? {}
          : this.#accessLog(
              authorizer === null ? '$context.identity.userArn' : '$context.authorizer.username',
              logKept,
            )),
      },
      binaryMediaTypes: BINARY,
      // One for all APIs of the account in the Region, so it stays when this one goes.
      cloudWatchRole: accessLog === 'own',
      ...(accessLog === 'own' ? { cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN } : {}),
      defaultMethodOptions:
        authorizer === null ? { authorizationType: AuthorizationType.IAM } : this.#byToken(authorizer),
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

  #byToken(handler: IFunction): MethodOptions {
    const authorizer = new RequestAuthorizer(this, 'Authorizer', {
      handler,
      identitySources: [IdentitySource.header('Authorization')], // without it, 401 at once
      resultsCacheTtl: AUTHORIZED_FOR,
    });
    return { authorizationType: AuthorizationType.CUSTOM, authorizer };
  }

  #accessLog(caller: string, logKept: RetentionDays): Pick<StageOptions, 'accessLogDestination' | 'accessLogFormat'> {
    const logGroup = new LogGroup(this, 'AccessLog', {
      retention: logKept,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    return {
      accessLogDestination: new LogGroupLogDestination(logGroup),
      accessLogFormat: AccessLogFormat.custom(JSON.stringify({ caller, ...ACCESS })),
    };
  }

  #answerAsKubernetes(): void {
    for (const { type, code, reason, message, retryAfterSec } of ANSWERS) {
      this.api.addGatewayResponse(type.responseType, {
        type,
        statusCode: String(code),
        ...(retryAfterSec === undefined ? {} : { responseHeaders: { 'Retry-After': `'${retryAfterSec}'` } }),
        templates: { 'application/json': failure(reason, code, message) },
      });
    }
    for (const { type, reason } of REMAINING) {
      this.api.addGatewayResponse(type.responseType, { type, templates: { 'application/json': failure(reason) } });
    }
  }
}

/** A Kubernetes `Status`; the gateway inserts its own message, quoted, where there is none. */
function failure(reason: string, code?: number, message?: string): string {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, code };
  if (message !== undefined) return JSON.stringify({ ...status, message });
  return JSON.stringify(status).replace(/\}$/, ',"message":$context.error.messageString}');
}
