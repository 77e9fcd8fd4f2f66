import { type ServiceModel, modelOf } from './service-model.ts';
import { shapeFaults } from './shape-faults.ts';

/**
 * The envelope of every event (EventBridge user guide, "AWS service event metadata").
 */
const ENVELOPE: ServiceModel['shapes'] = {
  Event: {
    type: 'structure',
    required: ['version', 'id', 'detail-type', 'source', 'account', 'time', 'region', 'resources', 'detail'],
    members: {
      version: { shape: 'Zero' },
      id: { shape: 'Id' },
      'detail-type': { shape: 'Text' },
      source: { shape: 'Text' },
      account: { shape: 'Account' },
      time: { shape: 'Time' },
      region: { shape: 'Region' },
      resources: { shape: 'Arns' },
      detail: { shape: 'Anything' },
    },
  },
  Zero: { type: 'string', enum: ['0'] },
  Id: { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
  Text: { type: 'string', min: 1 },
  Account: { type: 'string', pattern: '^\\d{12}$' },
  Time: { type: 'timestamp' },
  Region: { type: 'string', pattern: '^[a-z]{2}(-[a-z]+)+-\\d$' },
  Arns: { type: 'list', member: { shape: 'Arn' } },
  Arn: { type: 'string', pattern: '^arn:aws[a-z-]*:' },
  Anything: { type: 'structure', document: true },
};

/** Where something is no event of AWS. Pure. */
export const envelopeFaults = (event: unknown): readonly string[] =>
  shapeFaults({ shapes: ENVELOPE }, 'Event', event, { timestamps: 'iso' });

/**
 * What an "ECS Task State Change" says of a task is what DescribeTasks says of it, with times as texts and one member more (ECS
 * developer guide, "Amazon ECS task state change events"). These are in every event, from the first on.
 */
const ALWAYS = [
  'attachments',
  'availabilityZone',
  'clusterArn',
  'containers',
  'cpu',
  'createdAt',
  'desiredStatus',
  'group',
  'lastStatus',
  'launchType',
  'memory',
  'overrides',
  'taskArn',
  'taskDefinitionArn',
  'updatedAt',
  'version',
];

/** Where something is no "ECS Task State Change" event. */
export function taskEventFaults(event: unknown): readonly string[] {
  const { shapes } = modelOf('AmazonEC2ContainerServiceV20141113');
  const task = shapes['Task'];
  if (task === undefined) throw new Error('the model of ECS has no task');
  const detail = {
    ...task,
    required: ALWAYS,
    members: { ...task.members, updatedAt: { shape: 'Timestamp' } },
  };
  const { source, 'detail-type': type, detail: said } = event as Readonly<Record<string, unknown>>;
  return [
    ...envelopeFaults(event),
    ...(source === 'aws.ecs' && type === 'ECS Task State Change'
      ? []
      : [`it is "${String(type)}" of ${String(source)}`]),
    ...shapeFaults({ shapes: { ...shapes, Detail: detail } }, 'Detail', said, { at: 'detail', timestamps: 'iso' }),
  ];
}
