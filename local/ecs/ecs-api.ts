import { AwsError } from '../wire/aws-error.ts';
import { checked } from '../wire/checked.ts';
import type { EcsApi, Failure, Task } from '../wire/ecs-operations.ts';
import { type ClientTokens, fingerprint } from './client-tokens.ts';
import { DefinitionRequestSchema, type Definition } from './definition.ts';
import { type Definitions, isActive } from './definitions.ts';
import { listTasks } from './list-tasks.ts';
import { clusterArn, definitionArn, renderTask, taskArn, type TaskPlace } from './render-task.ts';
import {
  DeregisterDefinitionSchema,
  DescribeDefinitionSchema,
  DescribeTasksSchema,
  ListFamiliesSchema,
  ListTasksSchema,
  RunTaskSchema,
  StopTaskSchema,
  type RunTaskRequest,
} from './requests.ts';
import { capacityProviderOf, checkRunTask, driverRefusal, newTask, newTaskId, vcpuOf } from './run-task.ts';
import type { TaskEngine } from './task-engine.ts';
import type { Launch, TaskRecord } from './task-record.ts';
import type { LimitName, Throttle } from './throttle.ts';

/** How much may run at once in total. Tasks beyond it are failures in an answer with HTTP 200. */
export type Quota = { readonly tasks?: number; readonly vcpu?: number };

export type EcsApiOptions = {
  readonly engine: TaskEngine;
  readonly definitions: Definitions;
  readonly tokens: ClientTokens;
  readonly throttle: Throttle;
  readonly clusters: readonly string[];
  readonly place: TaskPlace;
  readonly quota: Quota;
  readonly now: () => number;
  /** false: no more tasks are accepted */
  readonly isOpen: () => boolean;
};

/** ECS's operations over a {@link TaskEngine}. Every method throws {@link AwsError}. */
export function ecsApi(options: EcsApiOptions): EcsApi {
  const { engine, definitions, place, now } = options;
  const render = (task: TaskRecord): Task => {
    const definition = definitions.get(task.definition);
    if (definition === null) throw new Error(`task ${task.id} has no definition`);
    return renderTask(task, definition, place, {
      stamp: (ms) => new Date(ms),
      attachmentType: 'ElasticNetworkInterface',
    });
  };
  const throttle = (costs: Partial<Record<LimitName, number>>): void => {
    if (!options.throttle.allows(costs, now())) throw new AwsError('ThrottlingException', 'Rate exceeded');
  };
  /** The task that a caller names by id or ARN; null if this cluster does not have it (any more). */
  const find = (cluster: string, name: string): TaskRecord | null => {
    const task = engine.get(name.slice(name.lastIndexOf('/') + 1));
    return task === null ||
      task.cluster !== cluster ||
      (name.includes('/') && name !== taskArn(place, cluster, task.id))
      ? null
      : task;
  };
  const clusterOf = (name = 'default'): string => {
    const cluster = options.clusters.find((known) => known === name || clusterArn(place, known) === name);
    if (cluster === undefined) throw new AwsError('ClusterNotFoundException', 'Cluster not found.');
    return cluster;
  };

  return {
    RegisterTaskDefinition(input) {
      throttle({ definitionModify: 1 });
      const request = checked(DefinitionRequestSchema, input, 'ClientException');
      const refusal = engine.driver.refusal(request);
      if (refusal !== null) throw new AwsError('ClientException', refusal);
      return renderDefinition(definitions.register(request, now()), place);
    },

    DescribeTaskDefinition(input) {
      throttle({ definitionRead: 1 });
      const definition = definitions.find(checked(DescribeDefinitionSchema, input).taskDefinition);
      if (definition === null) throw new AwsError('ClientException', 'Unable to describe task definition.');
      return renderDefinition(definition, place);
    },

    DeregisterTaskDefinition(input) {
      throttle({ definitionModify: 1 });
      const definition = definitions.find(checked(DeregisterDefinitionSchema, input).taskDefinition);
      if (definition === null) throw new AwsError('ClientException', 'The specified task definition does not exist.');
      const { taskDefinition } = renderDefinition(definitions.deregister(definition, now()), place);
      return { taskDefinition };
    },

    ListTaskDefinitionFamilies(input) {
      throttle({ definitionRead: 1 });
      const { familyPrefix = '', maxResults, nextToken = '' } = checked(ListFamiliesSchema, input);
      const left = definitions.activeFamilies().filter((each) => each.startsWith(familyPrefix) && each > nextToken);
      const families = left.slice(0, maxResults);
      const last = families.at(-1);
      return { families, ...(left.length > families.length && last !== undefined ? { nextToken: last } : {}) };
    },

    RunTask(input) {
      const request = checked(RunTaskSchema, input);
      throttle(runTaskCosts(request));
      const cluster = clusterOf(request.cluster);
      const { clientToken, ...parameters } = request;
      const print = fingerprint({ ...parameters, cluster });
      const before =
        clientToken === undefined ? null : options.tokens.recall(cluster, clientToken, (id) => engine.find(id), now());
      if (before !== null)
        return answerAgain(before, print, {
          render,
          arnOf: (id) => taskArn(place, cluster, id),
          find: (id) => engine.get(id),
        });
      if (!options.isOpen())
        throw new AwsError('ServerException', 'Service Unavailable. Please try again later.', { status: 503 });

      const definition = definitions.find(request.taskDefinition);
      if (definition === null) throw new AwsError('ClientException', 'TaskDefinition not found.');
      if (!isActive(definition)) throw new AwsError('InvalidParameterException', 'TaskDefinition is inactive');
      checkRunTask(request, definition);
      const refusal = driverRefusal(request, definition, engine.driver);
      if (refusal !== null) throw new AwsError('ClientException', refusal);

      const { granted, failures } = grant(request, definition, options);
      const launch: Launch = {
        token: clientToken ?? null,
        fingerprint: print,
        taskIds: Array.from({ length: granted }, newTaskId),
        failures,
      };
      const tasks = launch.taskIds.map((id) =>
        newTask(id, request, definition, launch, { cluster, privateIp: engine.driver.privateIp(), nowMs: now() }),
      );
      engine.add(tasks, definition);
      options.tokens.remember(cluster, launch, now());
      return { tasks: tasks.map(render), failures };
    },

    StopTask(input) {
      const request = checked(StopTaskSchema, input);
      throttle({ clusterModify: 1 });
      const task = find(clusterOf(request.cluster), request.task);
      if (task === null) throw new AwsError('InvalidParameterException', 'The referenced task was not found.');
      engine.stop(task.id, { code: 'UserInitiated', reason: request.reason ?? 'Task stopped by user' });
      return { task: render(engine.get(task.id) ?? task) };
    },

    DescribeTasks(input) {
      const request = checked(DescribeTasksSchema, input);
      throttle({ clusterRead: 1 });
      const cluster = clusterOf(request.cluster);
      const tasks: Task[] = [];
      const failures: Failure[] = [];
      for (const name of request.tasks) {
        const task = find(cluster, name);
        if (task === null)
          failures.push({ arn: name.includes('/') ? name : taskArn(place, cluster, name), reason: 'MISSING' });
        else
          tasks.push({ ...render(task), ...(request.include?.includes('TAGS') === true ? { tags: task.tags } : {}) });
      }
      return { tasks, failures };
    },

    ListTasks(input) {
      const request = checked(ListTasksSchema, input);
      throttle({ clusterRead: 1 });
      const cluster = clusterOf(request.cluster);
      const { tasks, nextToken } = listTasks(request, visibleOf(engine, cluster));
      return {
        taskArns: tasks.map((task) => taskArn(place, cluster, task.id)),
        ...(nextToken === null ? {} : { nextToken }),
      };
    },
  };
}

/** A RunTask call draws on ECS's bucket and Fargate's two (reference/aws.md 1.4). */
function runTaskCosts(request: RunTaskRequest): Partial<Record<LimitName, number>> {
  const launch = capacityProviderOf(request) === 'FARGATE_SPOT' ? 'launchSpot' : 'launchOnDemand';
  return { clusterModify: 1, fargateRunTask: 1, [launch]: request.count ?? 1 };
}

/** What the token's first call answered. Tasks that have ended since are reported by name and status only. */
function answerAgain(
  launch: Launch,
  print: string,
  {
    render,
    arnOf,
    find,
  }: {
    readonly render: (task: TaskRecord) => Task;
    readonly arnOf: (id: string) => string;
    readonly find: (id: string) => TaskRecord | null;
  },
): { tasks: Task[]; failures: Failure[] } {
  if (launch.fingerprint !== print) {
    throw new AwsError('ConflictException', 'The client token was used before, with other parameters.', {
      resourceIds: launch.taskIds.map(arnOf),
    });
  }
  const tasks = launch.taskIds.map((id): Task => {
    const task = find(id);
    if (task === null || task.lastStatus === 'STOPPED')
      return { taskArn: arnOf(id), lastStatus: 'STOPPED', desiredStatus: 'STOPPED' };
    return render(task);
  });
  return { tasks, failures: launch.failures };
}

/** How many of a request's tasks fit, and a failure for the rest, in Fargate's words (with its apostrophe). */
function grant(
  request: RunTaskRequest,
  definition: Definition,
  { engine, quota }: EcsApiOptions,
): { readonly granted: number; readonly failures: Failure[] } {
  const { count = 1 } = request;
  const vcpu = vcpuOf(request, definition);
  let usedVcpu = 0;
  if (quota.vcpu !== undefined)
    for (const task of engine.all()) if (task.lastStatus !== 'STOPPED') usedVcpu += Number(task.cpu) / 1024;
  const roomByVcpu = quota.vcpu === undefined ? count : Math.floor((quota.vcpu - usedVcpu) / vcpu);
  const roomByTasks = quota.tasks === undefined ? count : quota.tasks - engine.liveCount;
  const granted = Math.max(0, Math.min(count, roomByVcpu, roomByTasks));
  const what = roomByTasks < roomByVcpu ? 'tasks' : 'vCPUs';
  return {
    granted,
    failures:
      granted < count ? [{ reason: `You’ve reached the limit on the number of ${what} you can run concurrently` }] : [],
  };
}

function* visibleOf(engine: TaskEngine, cluster: string): Generator<TaskRecord> {
  for (const { id } of engine.all()) {
    const task = engine.get(id);
    if (task !== null && task.cluster === cluster) yield task;
  }
}

function renderDefinition(
  { registeredAtMs, deregisteredAtMs, tags, ...definition }: Definition,
  place: TaskPlace,
): { readonly taskDefinition: object; readonly tags: readonly object[] } {
  return {
    taskDefinition: {
      ...definition,
      taskDefinitionArn: definitionArn(place, definition),
      status: deregisteredAtMs === undefined ? 'ACTIVE' : 'INACTIVE',
      compatibilities: ['EC2', 'FARGATE'],
      registeredAt: new Date(registeredAtMs),
      ...(deregisteredAtMs === undefined ? {} : { deregisteredAt: new Date(deregisteredAtMs) }),
    },
    tags,
  };
}
