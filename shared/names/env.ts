/** Environment variables by which the stack (or the embedded runtime) tells the functions where everything is. */
export const ENV = {
  table: 'MUSTER_TABLE',
  wakeQueueUrl: 'MUSTER_WAKE_QUEUE_URL',
  factQueueUrl: 'MUSTER_FACT_QUEUE_URL',
  dispatchQueueUrl: 'MUSTER_DISPATCH_QUEUE_URL',
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
  /** RunTask calls a second, all dispatchers together; absent: no limit of ours */
  launchesPerSec: 'MUSTER_LAUNCHES_PER_SEC',
  /** StopTask calls a second, likewise */
  stopsPerSec: 'MUSTER_STOPS_PER_SEC',
  /** what names of tasks end in; absent, like the next two: tasks have no names */
  hostsZone: 'MUSTER_HOSTS_ZONE',
  /** id of the Cloud Map namespace that the zone belongs to */
  hostsNamespaceId: 'MUSTER_HOSTS_NAMESPACE_ID',
  /** how many names all Jobs may have together */
  hostsMax: 'MUSTER_HOSTS_MAX',
  /** days for which records of ended attempts and deleted Jobs are kept */
  historyDays: 'MUSTER_HISTORY_DAYS',
} as const;

/** A task's ECS `group` begins with this; the EventBridge rule forwards only such tasks. */
export const GROUP_PREFIX = 'muster:';
