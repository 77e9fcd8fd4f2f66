import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  type CfnFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

export type HandlerName = 'api' | 'reconcile' | 'dispatch' | 'sweep' | 'submit' | 'authorizer';
/** The functions that work with what is stored. */
export type StateHandlerName = Exclude<HandlerName, 'authorizer'>;

export type HandlerFunctionProps = {
  /** Names the function's folder: `functions/<handler>/handler.ts` exports `handler`. */
  readonly handler: HandlerName;
  readonly memoryMb: number;
  readonly timeout: Duration;
  /**
   * `allowed` for a function that sends to its own queue: otherwise AWS stops the chain after 16 rounds (Lambda developer
   * guide, recursive loop detection).
   */
  readonly loop: 'allowed' | 'cut';
  /** Retries of a failed asynchronous event; has no effect for functions that read a queue or answer a request. */
  readonly retryAttempts?: number;
  /**
   * Reserved concurrency: invocations reserved for this function, which are also its limit; null: it shares the account's.
   * Never for one that drains a queue.
   */
  readonly reservedConcurrency?: number | null;
  /** How long its log is kept, also without the stack; omitted: a week, and no longer than the stack. */
  readonly logKept?: RetentionDays;
  /** Whether AWS X-Ray samples invocations; without it Lambda goes by what the caller says. */
  readonly tracing: boolean;
};

const REPOSITORY = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** CommonJS packages inside an ES module still call require(). */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

/** The template's key for the handler's name, so that a test finds the bundle of `api` without guessing. */
const HANDLER_METADATA = 'muster:handler';

/**
 * One of our functions: a bundled ES module on arm64, JSON logs, kept for a week unless asked otherwise, and a role that may only write its own
 * log.
 */
export class HandlerFunction extends Construct {
  readonly lambda: NodejsFunction;
  readonly logGroup: LogGroup;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: HandlerFunctionProps) {
    super(scope, id);
    const { handler, memoryMb, timeout, loop, retryAttempts, reservedConcurrency = null, tracing } = props;
    const { logKept } = props;
    const logGroup = new LogGroup(this, 'Log', {
      retention: logKept ?? RetentionDays.ONE_WEEK,
      removalPolicy: logKept === undefined ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.logGroup = logGroup;
    // Our own role: Lambda's managed policy may write to every log group of the account.
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(this.role);

    this.lambda = new NodejsFunction(this, 'Function', {
      entry: path.join(REPOSITORY, 'functions', handler, 'handler.ts'),
      projectRoot: REPOSITORY,
      depsLockFilePath: path.join(REPOSITORY, 'package-lock.json'),
      runtime: Runtime.NODEJS_24_X, // explicit: NodejsFunction's own default is an old version
      architecture: Architecture.ARM_64, // a fifth cheaper
      memorySize: memoryMb,
      timeout,
      ...(retryAttempts === undefined ? {} : { retryAttempts, maxEventAge: Duration.minutes(1) }),
      ...(reservedConcurrency === null ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
      recursiveLoop: loop === 'allowed' ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE,
      role: this.role,
      ...(tracing ? { tracing: Tracing.ACTIVE } : {}),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO, // above INFO the metrics, which are log lines, would be dropped
      systemLogLevelV2: SystemLogLevel.WARN, // no START and REPORT lines for each of 43,200 sweeps a month
      environment: { NODE_OPTIONS: '--enable-source-maps' },
      bundling: {
        format: OutputFormat.ESM,
        target: 'node24',
        mainFields: ['module', 'main'], // only ES modules can be tree-shaken
        externalModules: [], // bundles the SDK that was tested
        banner: REQUIRE,
        minify: true, // half the bytes to load at a cold start; the source map restores names in stack traces
        sourceMap: true,
        logLevel: LogLevel.WARNING,
        sourcesContent: false,
      },
    });
    const resource = this.lambda.node.defaultChild as CfnFunction;
    resource.addMetadata(HANDLER_METADATA, handler);
  }
}
