/** Environment variables that point the functions at emulators; absent on AWS. Explicit, since the SDK's own would lose against a queue's URL. */
export const ENDPOINT_ENV = {
  dynamodb: 'MUSTER_DYNAMODB_ENDPOINT',
  sqs: 'MUSTER_SQS_ENDPOINT',
  ecs: 'MUSTER_ECS_ENDPOINT',
  logs: 'MUSTER_LOGS_ENDPOINT',
  cloudmap: 'MUSTER_CLOUDMAP_ENDPOINT',
  /** the access key that these emulators want to see */
  accessKey: 'MUSTER_EMULATOR_ACCESS_KEY',
} as const;
