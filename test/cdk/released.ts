/** What keeps data or is addressed from outside, as the last release deployed it: logical id, then type and what names it. */
export type Released = Readonly<
  Record<string, { readonly type: string; readonly fixed: Readonly<Record<string, unknown>> }>
>;

/** Properties whose change makes CloudFormation replace a resource (CloudFormation template reference, "Update requires"). */
export const FIXED: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::GlobalTable': ['TableName', 'KeySchema', 'AttributeDefinitions', 'LocalSecondaryIndexes'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::ApiGateway::RestApi': [], // its name may change; nothing else of it is fixed
  'AWS::ECS::Cluster': ['ClusterName'],
  'AWS::IAM::Role': ['RoleName', 'Path'],
  'AWS::SNS::Topic': ['TopicName', 'FifoTopic'],
  'AWS::ServiceDiscovery::PrivateDnsNamespace': ['Name', 'Vpc'],
};

/** A change here loses Jobs, messages, logs, or addresses that users have: it is no refactoring. */
export const RELEASED: Released = {
  StateTable962DE04C: {
    type: 'AWS::DynamoDB::GlobalTable',
    fixed: {
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
        { AttributeName: 'alarmShard', AttributeType: 'N' },
        { AttributeName: 'alarmMinute', AttributeType: 'N' },
      ],
    },
  },
  WakeDead8114780B: { type: 'AWS::SQS::Queue', fixed: {} },
  WakeQueue5E296058: { type: 'AWS::SQS::Queue', fixed: {} },
  FactsDead77248029: { type: 'AWS::SQS::Queue', fixed: {} },
  FactsQueue29A2BD58: { type: 'AWS::SQS::Queue', fixed: {} },
  DispatchDead7C82FC3A: { type: 'AWS::SQS::Queue', fixed: {} },
  DispatchQueue716BFD35: { type: 'AWS::SQS::Queue', fixed: {} },
  SubmitDeadDF9BD3AF: { type: 'AWS::SQS::Queue', fixed: {} },
  SubmitQueue7FE7C9D6: { type: 'AWS::SQS::Queue', fixed: {} },
  TasksLog0BCAFA31: { type: 'AWS::Logs::LogGroup', fixed: {} },
  KubeApiC8DA1C7E: { type: 'AWS::ApiGateway::RestApi', fixed: {} },
  TasksCluster3733B20A: { type: 'AWS::ECS::Cluster', fixed: {} },
  TasksExecutionRoleF507B5D7: { type: 'AWS::IAM::Role', fixed: {} },
  TasksTaskRole7EF6BC85: { type: 'AWS::IAM::Role', fixed: {} },
  AlarmsTopic3A2DFEBA: { type: 'AWS::SNS::Topic', fixed: {} },
  NamesNamespaceF6CCD316: {
    type: 'AWS::ServiceDiscovery::PrivateDnsNamespace',
    fixed: { Name: 'muster.internal', Vpc: { Ref: 'NetworkVpc7FB7348F' } },
  },
};
