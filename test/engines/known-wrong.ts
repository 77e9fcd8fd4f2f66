import type { EngineName } from './installed.ts';

/** Where an engine answers otherwise than AWS. */
export type KnownWrong = {
  readonly suite: string;
  readonly engine: EngineName;
  /** Names of cases. */
  readonly cases: readonly string[];
  /** How they fail; null: they are left out, because they would not fail each time. */
  readonly fails: RegExp | null;
  /** What the engine does, and what AWS does instead. */
  readonly because: string;
  /** Where AWS says so, or the engine. */
  readonly source: string;
};

const OLD_RECEIPTS =
  'moto removes and shows a message by any receipt that it ever gave for it. AWS says only that a message might not be removed so; what Muster does with a message may therefore be done twice, and nothing relies on either';
const OLD_RECEIPTS_SOURCE =
  'github.com/getmoto/moto/pull/4655, which compared it with AWS; SQS API reference, DeleteMessage';

const REPEATED = 'a launch that is repeated answers with the same task';
const OTHER_REQUEST = 'a token that comes with another request answers with the task that it has started';
const WHOLE_EVENT = 'a change is an event with all that events have, of the time when the Job changed';
const OLD = 'a definition that no task uses is deregistered once it is old, and registered again where it is needed';
const INACTIVE = 'a launch of a definition that was deregistered is refused, and says so';
const OVERRIDES = 'overrides that are too long are a fault of the Job';

export const KNOWN_WRONG: readonly KnownWrong[] = [
  {
    suite: 'queues',
    engine: 'moto',
    cases: ['an old receipt neither removes nor shows a message that is in other hands'],
    fails: /to deeply equal \[\]/,
    because: OLD_RECEIPTS,
    source: OLD_RECEIPTS_SOURCE,
  },
  {
    suite: 'inboxes',
    engine: 'moto',
    cases: ['what is not removed in time comes again, and the earlier receipt is worth nothing'],
    fails: /to match object \{ hidden: 1 \}/,
    because: OLD_RECEIPTS,
    source: OLD_RECEIPTS_SOURCE,
  },
  {
    suite: 'tasks',
    engine: 'moto',
    cases: [
      'a launched task is described as the attempt that it is',
      'a task that nobody knows is missing, beside one that is known',
    ],
    fails: /tasks: \[\]/,
    because: 'moto describes tasks without a version, so Muster takes them for none of ECS. On AWS every task has one',
    source: 'moto/ecs/models.py, Task; ECS API reference, Task.version',
  },
  {
    suite: 'tasks',
    engine: 'moto',
    cases: [REPEATED, OTHER_REQUEST],
    fails: /Object\.is equality/,
    because: 'moto does not read the token of a launch, so a launch that is repeated starts a second task',
    source: 'moto/ecs/responses.py, run_task; ECS developer guide, "Ensuring idempotency"',
  },
  {
    suite: 'tasks',
    engine: 'moto',
    cases: ['live tasks are listed by Job, and page by page for all'],
    fails: /expected \d+ to be less than or equal to 100/,
    because: 'moto lists all tasks on one page. ECS lists 100 at most',
    source: 'moto/ecs/responses.py, list_tasks; ECS API reference, ListTasks.maxResults',
  },
  {
    suite: 'tasks',
    engine: 'moto',
    cases: ['a task that was asked to stop is not live, and its family has it among the stopped'],
    fails: /\[ Array\(1\) \] to deeply equal \[\]/,
    because: 'moto lists tasks of any desired status. ECS lists those that shall run, unless asked otherwise',
    source: 'moto/ecs/models.py, list_tasks; ECS API reference, ListTasks.desiredStatus',
  },
  {
    suite: 'tasks',
    engine: 'moto',
    cases: ['a stop of a task that nobody knows is no fault'],
    fails: /<!doctype/,
    because:
      'moto breaks down (HTTP 500, without JSON) where ECS says InvalidParameterException: The referenced task was not found',
    source: 'moto/ecs/models.py, stop_task',
  },
  {
    suite: 'tasks',
    engine: 'moto',
    cases: [OVERRIDES],
    fails: /launched/,
    because: 'moto takes overrides of any length. ECS takes 8,192 characters',
    source: 'ECS API reference, TaskOverride',
  },
  {
    suite: 'tasks',
    engine: 'moto',
    cases: [OLD, INACTIVE],
    fails: /families: \[\]|kind: 'kept'/,
    because: 'moto describes definitions without the time of their registration, so Muster takes none for an old one',
    source: 'moto/ecs/models.py, TaskDefinition; ECS API reference, TaskDefinition.registeredAt',
  },
  {
    suite: 'tasks',
    engine: 'ministack',
    cases: [INACTIVE],
    fails: /kind: 'launched'/,
    because: 'ministack starts tasks of a definition that is INACTIVE, which ECS refuses',
    source: 'ministack/services/ecs.py, _run_task; ECS API reference, DeregisterTaskDefinition',
  },
  {
    suite: 'tasks',
    engine: 'ministack',
    cases: ['a definition is registered once, and found again'],
    fails: /kind: 'ready'.* to deeply equal/,
    because:
      'ministack describes a definition without a task role with the role "", and other absent members as null. AWS leaves them out. Muster takes it for another role and registers the definition again',
    source: 'ministack/services/ecs.py; ECS API reference, TaskDefinition',
  },
  {
    suite: 'tasks',
    engine: 'ministack',
    cases: [REPEATED, OTHER_REQUEST],
    fails: /Object\.is equality/,
    because: 'ministack does not read the token of a launch, so a launch that is repeated starts a second task',
    source: 'ministack/services/ecs.py; ECS developer guide, "Ensuring idempotency"',
  },
  {
    suite: 'tasks',
    engine: 'ministack',
    cases: ['a cluster that does not exist is a fault of the installation'],
    fails: /launched/,
    because: 'ministack makes a cluster that it is asked for. ECS says ClusterNotFoundException',
    source: 'ECS API reference, RunTask, "Errors"',
  },
  {
    suite: 'tasks',
    engine: 'ministack',
    cases: [OVERRIDES],
    fails: /launched/,
    because: 'ministack takes overrides of any length. ECS takes 8,192 characters',
    source: 'ECS API reference, TaskOverride',
  },
  {
    suite: 'tasks',
    engine: 'ministack',
    cases: ['live tasks are listed by Job, and page by page for all'],
    fails: null,
    because:
      'ministack lists its tasks while another thread adds one, and now and then fails ("dictionary changed size during iteration")',
    source: 'ministack/services/ecs.py, _list_tasks',
  },
  ...(['moto', 'ministack'] as const).flatMap((engine): readonly KnownWrong[] => [
    {
      suite: 'names',
      engine,
      cases: ['a name is made once, and found by who makes it again'],
      fails: /kind: 'ready'.* to deeply equal/,
      because: `${engine} makes a second service of the same name. Cloud Map says ServiceAlreadyExists, or answers a repeated request with the same service`,
      source: 'Cloud Map API reference, CreateService, "Errors" and CreatorRequestId',
    },
    {
      suite: 'names',
      engine,
      cases: ['a name with a task is not removed; one without is, and may be gone already'],
      fails: /kind: 'done' \} to match object \{ kind: 'later'/,
      because: `${engine} removes a service with instances. Cloud Map says ResourceInUse`,
      source: 'Cloud Map API reference, DeleteService, "Errors"',
    },
    {
      suite: 'names',
      engine,
      cases: ['all names are listed once, page by page'],
      fails: /expected \d+ to be less than or equal to 100/,
      because: `${engine} lists all services on one page. Cloud Map lists 100 at most`,
      source: 'Cloud Map API reference, ListServices.MaxResults',
    },
    {
      suite: 'names',
      engine,
      cases: ['a task without an address is no task to register'],
      fails: /to match object \{ kind: 'fatal' \}/,
      because: `${engine} takes anything for an address. Cloud Map says InvalidInput`,
      source: 'Cloud Map API reference, RegisterInstance, AWS_INSTANCE_IPV4',
    },
  ]),
  {
    suite: 'announcements',
    engine: 'moto',
    cases: [WHOLE_EVENT],
    fails: /account: is required/,
    because: 'moto leaves the account out of what it sends to a queue. EventBridge puts it into every event',
    source: 'EventBridge user guide, "AWS service event metadata"',
  },
  {
    suite: 'announcements',
    engine: 'ministack',
    cases: [WHOLE_EVENT],
    fails: /2027-01-15T08:00:00Z/,
    because: 'ministack writes the time at which it sends an event. EventBridge writes the time that the entry says',
    source: 'EventBridge API reference, PutEventsRequestEntry.Time',
  },
  {
    suite: 'rows',
    engine: 'moto',
    cases: ['random programs do what a map does'],
    fails: null,
    because: 'moto breaks off where a condition compares values of two types. DynamoDB takes it for not met',
    source: 'moto/dynamodb/comparisons.py; DynamoDB developer guide, "Condition and filter expressions"',
  },
  {
    suite: 'rows',
    engine: 'moto',
    cases: ['refused, and nothing is written: an update to more than 400 KB'],
    fails: /fields: \{\} \} \] to deeply equal \[\]/,
    because:
      'moto makes the row of an update before it looks at its size, and leaves it there empty. DynamoDB writes nothing',
    source: 'moto/dynamodb/models/__init__.py, update_item; DynamoDB API reference, UpdateItem',
  },
  {
    suite: 'rows',
    engine: 'moto',
    cases: [
      'refused, and nothing is written: a transaction of more than 4 MB',
      'refused, and nothing is written: an infinite number',
      'refused, and nothing is written: a number of more than DynamoDB stores',
      'refused, and nothing is written: a shard that is no number',
      'refused, and nothing is written: a batch that names a row twice',
    ],
    fails: /to be an instance of Error/,
    because:
      'moto looks at neither the size of a transaction, the range of numbers, the types of keys of an index, nor at rows that a batch names twice. DynamoDB refuses each of these',
    source: 'moto/dynamodb/models/__init__.py, moto/dynamodb/responses.py; DynamoDB developer guide, "Service quotas"',
  },
  {
    suite: 'rows',
    engine: 'moto',
    cases: ['taken: a row of 400 KB', 'taken: a transaction of just below 4 MB'],
    fails: /Item size has exceeded the maximum allowed size/,
    because: 'moto counts the base64 of binary values, a third more than the bytes that DynamoDB counts',
    source: 'moto/dynamodb/models/dynamo_type.py, DynamoType.size; DynamoDB developer guide, "Item sizes and formats"',
  },
  {
    suite: 'rows',
    engine: 'moto',
    cases: ['a transaction that comes again with its token is carried out once, and done'],
    fails: /\[ Array\(1\) \] to be null/,
    because: 'moto does not read the token of a transaction, so one that is repeated is carried out again',
    source: 'moto/dynamodb/models/__init__.py, transact_write_items; DynamoDB API reference, ClientRequestToken',
  },
  {
    suite: 'rows',
    engine: 'moto',
    cases: ['a token names one transaction only'],
    fails: /resolved "null" instead of rejecting/,
    because: 'moto does not read the token of a transaction, so another one with it is carried out',
    source: 'moto/dynamodb/models/__init__.py, transact_write_items; DynamoDB API reference, ClientRequestToken',
  },
  {
    suite: 'rows',
    engine: 'ministack',
    cases: ['refused, and nothing is written: a field that an update both sets and removes'],
    fails: /to be an instance of Error/,
    because: 'ministack carries out an update whose paths overlap. DynamoDB refuses it',
    source: 'ministack/services/dynamodb.py, update expressions; DynamoDB developer guide, "Update expressions"',
  },
  {
    suite: 'rows',
    engine: 'ministack',
    cases: ['taken: a transaction of just below 4 MB'],
    fails: /exceeds the 4MB transaction size limit/,
    because:
      'ministack counts the JSON of the request, with base64, a third more than the bytes of the rows that DynamoDB counts',
    source: 'ministack/services/dynamodb.py, _transact_write_items; DynamoDB API reference, TransactWriteItems',
  },
];
