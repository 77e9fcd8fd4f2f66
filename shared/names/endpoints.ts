/**
 * Environment variables that point the functions at emulators; absent on AWS. The SDK's own variables would lose to the
 * host in a queue's URL.
 */
export const ENDPOINT_ENV = {
  dynamodb: 'MUSTER_DYNAMODB_ENDPOINT',
  sqs: 'MUSTER_SQS_ENDPOINT',
  ecs: 'MUSTER_ECS_ENDPOINT',
  logs: 'MUSTER_LOGS_ENDPOINT',
  cloudmap: 'MUSTER_CLOUDMAP_ENDPOINT',
  /** EventBridge and Step Functions, for what is announced */
  announcements: 'MUSTER_ANNOUNCEMENTS_ENDPOINT',
  /** Parameter Store, for the key of Secrets */
  parameters: 'MUSTER_PARAMETERS_ENDPOINT',
  secrets: 'MUSTER_SECRETS_ENDPOINT',
  /** ECS and Session Manager, for commands in tasks */
  sessions: 'MUSTER_SESSIONS_ENDPOINT',
  /** the access key that these emulators require */
  accessKey: 'MUSTER_EMULATOR_ACCESS_KEY',
} as const;
