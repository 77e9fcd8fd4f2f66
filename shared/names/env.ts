/** Environment variables that the stack (or the embedded runtime) sets to tell the functions where everything is. */
export const ENV = {
  table: 'MUSTER_TABLE',
  wakeQueueUrl: 'MUSTER_WAKE_QUEUE_URL',
  factQueueUrl: 'MUSTER_FACT_QUEUE_URL',
  dispatchQueueUrl: 'MUSTER_DISPATCH_QUEUE_URL',
  /** absent: this installation takes no submissions */
  submitQueueUrl: 'MUSTER_SUBMIT_QUEUE_URL',
  cluster: 'MUSTER_CLUSTER',
  /** comma-separated */
  subnets: 'MUSTER_SUBNETS',
  /** comma-separated */
  securityGroups: 'MUSTER_SECURITY_GROUPS',
  /** ENABLED or DISABLED */
  assignPublicIp: 'MUSTER_ASSIGN_PUBLIC_IP',
  executionRoleArn: 'MUSTER_EXECUTION_ROLE_ARN',
  taskRoleArn: 'MUSTER_TASK_ROLE_ARN',
  /** JSON: task roles of service accounts, `{"<namespace>/<name>": "<ARN>"}` */
  taskRoles: 'MUSTER_TASK_ROLES',
  logGroup: 'MUSTER_LOG_GROUP',
  /** RunTask calls per second of all dispatchers together; absent: no limit of ours */
  launchesPerSec: 'MUSTER_LAUNCHES_PER_SEC',
  /** StopTask calls per second, likewise */
  stopsPerSec: 'MUSTER_STOPS_PER_SEC',
  /** the suffix of tasks' names; absent, like the next two: tasks have no names */
  hostsZone: 'MUSTER_HOSTS_ZONE',
  /** id of the zone's Cloud Map namespace */
  hostsNamespaceId: 'MUSTER_HOSTS_NAMESPACE_ID',
  /** the limit of names for all Jobs together */
  hostsMax: 'MUSTER_HOSTS_MAX',
  /** name or ARN of the event bus that hears of changes; absent: none does */
  eventBus: 'MUSTER_EVENT_BUS',
  /** ENABLED: task tokens of Step Functions are answered; absent: they are not */
  taskTokens: 'MUSTER_TASK_TOKENS',
  /** `previous`: only what the release before reads, too, is written; absent, or `current`: everything */
  formats: 'MUSTER_FORMATS',
  /** how many days records of ended attempts and deleted Jobs are kept */
  historyDays: 'MUSTER_HISTORY_DAYS',
} as const;

/** Likewise, for the function that launches tasks. */
export const DISPATCH_ENV = {
  /** the role with which ECS makes volumes of EBS for tasks; absent: tasks have none */
  volumeRoleArn: 'MUSTER_VOLUME_ROLE_ARN',
  /** the image of the container that writes files of volumes; absent: busybox of ECR's public gallery */
  filesImage: 'MUSTER_FILES_IMAGE',
} as const;

/** Likewise, for the functions that launch tasks, and that let people look into them: dispatch, and the API's. */
export const EXEC_ENV = {
  /** ENABLED: commands can be run in tasks, by ECS Exec; absent: they cannot */
  exec: 'MUSTER_EXEC',
} as const;

/** Likewise, for the functions that learn who calls: the API's, and the authorizer's. */
export const ACCESS_ENV = {
  /** token: the authorizer says who calls; absent: IAM does */
  auth: 'MUSTER_AUTH',
  /** RBAC: roles decide what callers may do; absent: all may do everything */
  authorization: 'MUSTER_AUTHORIZATION',
  /** comma-separated ARNs of users and roles that may do everything; absent: none may */
  admins: 'MUSTER_ADMINS',
  /** comma-separated accounts whose users and roles the authorizer lets in */
  accounts: 'MUSTER_ACCOUNTS',
  /** what tokens for this stack are signed with */
  tokenCluster: 'MUSTER_TOKEN_CLUSTER',
} as const;

/** A task's ECS `group` begins with this; the EventBridge rule forwards only such tasks. */
export const GROUP_PREFIX = 'muster:';
