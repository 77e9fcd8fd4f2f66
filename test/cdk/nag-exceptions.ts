/** A finding of cdk-nag that stands, with the reason. */
export type NagException = {
  /** The rule, with what it names in brackets. */
  readonly rule: RegExp;
  /** Paths of the constructs. */
  readonly at: RegExp;
  readonly because: string;
};

const by = (rule: RegExp, at: RegExp, because: string): NagException => ({ rule, at, because });
const OURS = /^Muster\/(Api|Reconcile|Dispatch|Sweep|Submit|Authorizer)Function\//;
const DEPLOY_CALLS = /^Muster\/AWS679f53/; // CDK's function for calls that CloudFormation has no resource for

/** Everything that the AwsSolutions and Serverless packs find and that stays. The test refuses a row that nothing matches. */
export const NAG_EXCEPTIONS: readonly NagException[] = [
  by(/^AwsSolutions-VPC7$/, /^Muster\/Network\/Vpc\//, 'flow logs are a setting (flowLogs): they cost per gigabyte'),
  by(
    /^AwsSolutions-ECS4$/,
    /^Muster\/Tasks\/Cluster\//,
    'Container Insights bills each task; Muster counts its own metrics',
  ),
  by(
    /^AwsSolutions-IAM5\[Resource::\*\]$/,
    /^Muster\/(Tasks\/ExecutionRole|\w+Function\/Role)\//,
    'actions that AWS supports no resource for, X-Ray’s among them, each with a condition where there is one: cdk/rights.ts',
  ),
  by(
    /^AwsSolutions-IAM5\[Resource::.*(secret:muster|parameter\/muster\/\*\/configmaps)\/\*\]$/,
    /^Muster\/Tasks\/ExecutionRole\//,
    'users name the secrets below muster/ in their manifests',
  ),
  by(
    /^AwsSolutions-IAM5\[Resource::.*secret:muster\/\*\/(object|pull)-\?{6}\]$/,
    /^Muster\/(Dispatch|Sweep)Function\/Role\//,
    'copies of Secrets are named after them, and Secrets Manager ends each name at random',
  ),
  by(
    /^AwsSolutions-IAM5\[Resource::.*:(task|task-definition|service)\/.*\*\]$/,
    /^Muster\/(Api|Dispatch|Sweep)Function\/Role\//,
    'tasks, definitions, and names are made while Muster runs: their ids are not known before',
  ),
  by(
    /^AwsSolutions-IAM5\[Resource::\*\]$/,
    /^Muster\/Tasks\/TaskRole\//,
    'AWS supports no resource for what the agent of ECS Exec calls: cdk/exec-rights.ts',
  ),
  by(
    /^AwsSolutions-IAM5\[Resource::.*:session\/ecs-execute-command-\*\]$/,
    /^Muster\/ApiFunction\/Role\//,
    'sessions begin while Muster runs: their ids are not known before',
  ),
  by(
    /^AwsSolutions-IAM4\[.*AmazonECSInfrastructureRolePolicyForVolumes\]$/,
    /^Muster\/Tasks\/VolumeRole\//,
    'the policy that ECS documents for the role with which it makes volumes',
  ),
  by(
    /^AwsSolutions-IAM5\[Resource::.*:table\/Muster-StateTable\w+-\*\]$/,
    /^Muster\/DeployCalls\/Role\//,
    'the right is there before the table, whose name ends at random',
  ),
  by(
    /^AwsSolutions-IAM4\[.*AmazonAPIGatewayPushToCloudWatchLogs\]$/,
    /^Muster\/Kube\/Api\/CloudWatchRole\//,
    'the policy that API Gateway documents for its account-wide log role',
  ),
  by(/^AwsSolutions-APIG2$/, /^Muster\/Kube\/Api\//, 'admission validates requests, by Kubernetes’ rules'),
  by(
    /^AwsSolutions-APIG3$/,
    /^Muster\/Kube\/Api\//,
    'IAM or the authorizer lets each request in; a web ACL costs $5 a month and more',
  ),
  by(
    /^AwsSolutions-APIG[16]$|^Serverless-APIGWAccessLogging$/,
    /^Muster\/Kube\/Api\//,
    'execution logs hold bodies; the access log is a setting',
  ),
  by(
    /^AwsSolutions-COG4$/,
    /^Muster\/Kube\/Api\/Default\//,
    'IAM authorizes, or our authorizer, not a Cognito user pool',
  ),
  by(/^Serverless-LambdaDefaultMemorySize$/, DEPLOY_CALLS, 'a few calls a deployment'),
  by(/^Serverless-LambdaDLQ$/, DEPLOY_CALLS, 'CloudFormation waits for its answer'),
  by(
    /^Serverless-LambdaDLQ$/,
    OURS,
    'none of them is invoked asynchronously but sweep, whose next minute is its retry',
  ),
  by(/^Serverless-LambdaTracing$/, DEPLOY_CALLS, 'a few calls a deployment'),
  by(
    /^Serverless-(LambdaTracing|APIGWXrayEnabled)$/,
    /^Muster\/(\w+Function|Kube)\//,
    'tracing is a setting: it costs per request',
  ),
  by(
    /^Serverless-LambdaEventSourceMappingDestination$/,
    OURS,
    'queues have dead-letter queues; destinations are for streams',
  ),
  by(
    /^Serverless-LambdaAsyncFailureDestination$/,
    /^Muster\/SweepFunction\//,
    'its next minute is its retry, and it has an alarm',
  ),
  by(/^Serverless-SQSRedrivePolicy$/, /^Muster\/\w+\/Dead\//, 'it is the dead-letter queue'),
  by(/^Serverless-EventBusDLQ$/, /^Muster\/EveryMinute\//, 'the next minute is its retry'),
  by(
    /^Serverless-SNSRedrivePolicy$/,
    /^Muster\/Alarms\/Topic\//,
    'a mail that SNS cannot deliver is an alarm that CloudWatch still shows',
  ),
];
