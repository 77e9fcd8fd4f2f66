import { CfnOutput, Duration, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Function as LambdaFunctionBase } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { DEAD_QUEUE_ENV } from '../shared/names/dead-letter-queues.ts';
import { ACCESS_ENV, DISPATCH_ENV, ENV } from '../shared/names/env.ts';
import { TAGS } from '../shared/names/tags.ts';
import { tokenClusterOf } from '../shared/names/token-cluster.ts';
import { Alarms } from './constructs/alarms.ts';
import { Dashboard } from './constructs/dashboard.ts';
import { DeployCalls } from './constructs/deploy-calls.ts';
import { HandlerFunction, type StateHandlerName } from './constructs/handler-function.ts';
import { KubeApi, STREAM_MAX } from './constructs/kube-api.ts';
import { StateTable } from './constructs/state-table.ts';
import { TaskCluster } from './constructs/task-cluster.ts';
import { TaskEvents } from './constructs/task-events.ts';
import { TaskNames } from './constructs/task-names.ts';
import { TaskNetwork } from './constructs/task-network.ts';
import { SubmitQueue } from './constructs/submit-queue.ts';
import { WorkQueue } from './constructs/work-queue.ts';
import { grantAnnouncing, grantTaskAnswers } from './announcing-rights.ts';
import { grantExec } from './exec-rights.ts';
import { grantNameRights } from './name-rights.ts';
import { grantSecretRights } from './secret-rights.ts';
import { ourMetric } from './metrics.ts';
import { alarmOnWhatUsersFeel } from './more-alarms.ts';
import { type QueueName, type Roles, grantRights } from './rights.ts';
import { grantSecretsKey } from './secrets-key-rights.ts';
import { grantFileSystems, grantVolumes } from './storage-rights.ts';
import type { Settings } from './settings.ts';

export type MusterStackProps = StackProps & { readonly settings: Settings };

/** CDK's opt-in defaults. They are here and not in cdk.json, which only the CDK command line reads. */
export const FLAGS = { '@aws-cdk/aws-iam:minimizePolicies': true };

/** The longest delay of SQS: a delayed message already has this age when it is first seen, which is healthy. */
const DELAY_MAX_SEC = 900;
/** A message that cannot be worked on comes again five times within a minute. */
const LATE_SUBMISSION = Duration.minutes(20);
/** Some 100 new tokens a second: with an answer kept for five minutes, 30,000 clients. */
const AUTHORIZER_CONCURRENCY = 10;
const SWEEP_EVERY = Duration.minutes(1);

type Handlers = Record<Exclude<StateHandlerName, 'submit'>, HandlerFunction> &
  Partial<Record<'submit', HandlerFunction>>;

/** All of Muster on AWS. When idle it costs less than $2 a month: docs/deploy.md adds it up. */
export class MusterStack extends Stack {
  /** Messages here make Jobs; null: the settings ask for no submissions. */
  readonly submitQueue: Queue | null;

  constructor(scope: Construct, id: string, { settings, ...props }: MusterStackProps) {
    super(scope, id, props);
    Tags.of(this).add(TAGS.installation, id);
    const alarms = new Alarms(this, 'Alarms', settings.alarms);
    const state = new StateTable(this, 'State', settings.tableName);
    const calls = new DeployCalls(this, 'DeployCalls');
    const network = new TaskNetwork(this, 'Network', {
      ...settings.network,
      isTalkative: settings.hostnames !== null,
      calls,
    });
    const tasks = new TaskCluster(this, 'Tasks', { vpc: network.vpc, logsKept: settings.historyDays });
    // IAM needs some seconds until ECS may use a role that has just been made: the table, which takes longer, is made in between.
    const ecsRole = calls.ecsRole();
    state.node.addDependency(ecsRole);
    tasks.cluster.node.addDependency(ecsRole, state);
    const names =
      settings.hostnames === null
        ? null
        : new TaskNames(this, 'Names', { zone: settings.hostnames.zone, vpc: network.vpc });
    const handlers = this.#handlers(settings);
    const queues = { ...this.#queues(handlers, alarms), ...this.#submitQueue(handlers, settings, alarms) };
    this.submitQueue = queues.submit?.queue ?? null;
    new TaskEvents(this, 'TaskEvents', {
      clusterArn: tasks.cluster.clusterArn,
      facts: queues.facts,
      early: settings.earlyCounting,
    });
    const authorizer = settings.access.auth === 'token' ? this.#authorizer(settings, calls) : null;
    const kube = new KubeApi(this, 'Kube', {
      handler: handlers.api.lambda,
      authorizer: authorizer?.lambda ?? null,
      requestsPerSec: settings.apiRequestsPerSec,
      accessLog: settings.accessLog,
      logKept: settings.auditDays,
      tracing: settings.tracing,
    });
    this.#sweepEveryMinute(handlers.sweep);
    // Last: until then a deployment that fails takes the table along.
    const lambdas = Object.values(handlers).map(({ lambda }) => lambda);
    if (state.own !== null) calls.protectTable(state.own).node.addDependency(kube.api.deploymentStage, ...lambdas);

    if (authorizer !== null)
      authorizer.lambda.addEnvironment(ACCESS_ENV.tokenCluster, tokenClusterOf(kube.api.restApiId));
    for (const [name, value] of Object.entries(accessOf(settings.access)))
      handlers.api.lambda.addEnvironment(name, value);
    const world = { settings, state, queues, tasks, network, names };
    for (const { lambda } of Object.values(handlers))
      for (const [name, value] of Object.entries(environmentOf(world))) lambda.addEnvironment(name, value);
    grantRights({ roles: rolesOf(handlers), state, queues, tasks, taskRoleArns: listedArns(settings) });
    grantSecretRights(this, rolesOf(handlers));
    grantSecretsKey(rolesOf(handlers));
    grantAnnouncing(handlers.reconcile.role, settings);
    if (handlers.submit !== undefined) grantTaskAnswers(handlers.submit.role, settings);
    grantFileSystems(settings.efs, { tasks, network });
    if (settings.ebs) grantVolumes(tasks, handlers.dispatch);
    if (settings.exec) grantExec(tasks, handlers);
    if (settings.filesImage !== null)
      handlers.dispatch.lambda.addEnvironment(DISPATCH_ENV.filesImage, settings.filesImage);
    if (names !== null) grantNameRights({ names, roles: rolesOf(handlers) });
    this.#alarmOnErrors(handlers, alarms);
    this.#alarmOnOurs(alarms);
    if (settings.alarms.areAll) alarmOnWhatUsersFeel(alarms, { api: kube.api, table: state.table });

    if (settings.dashboard)
      new Dashboard(this, 'Overview', {
        functions: Object.fromEntries(Object.entries(handlers).map(([name, { lambda }]) => [name, lambda])),
        queues: Object.fromEntries(Object.entries(queues).map(([name, { queue }]) => [name, queue])),
        tableName: state.table.tableName,
        api: kube.api,
      });

    const callers = authorizer === null ? 'callers sign with IAM' : 'callers send a token of `muster token`';
    this.#output('ApiUrl', kube.api.url, `The Kubernetes API; ${callers}`);
    if (authorizer !== null)
      this.#output('TokenCluster', tokenClusterOf(kube.api.restApiId), 'What tokens are signed for');
    this.#output('Cluster', tasks.cluster.clusterName, 'Tasks run on this ECS cluster');
    this.#output('Table', state.table.tableName, 'All state; kept when the stack is deleted');
    this.#output('TaskLogs', tasks.logGroup.logGroupName, 'What tasks print; kept when the stack is deleted');
    this.#output(
      'AuditLog',
      handlers.api.logGroup.logGroupName,
      'Who has changed what, beside what the API itself logs',
    );
    this.#output('TaskRole', tasks.taskRole.roleName, 'Attach the permissions that your tasks need');
    if (settings.efs.length > 0) {
      this.#output(
        'TaskSecurityGroup',
        network.securityGroup.securityGroupId,
        'Mount targets of EFS let it in, port 2049',
      );
      this.#output('TaskSubnets', network.subnetIds.join(','), 'EFS has a mount target in the zone of each');
    }
    if (queues.submit !== undefined)
      this.#output('SubmitQueue', queues.submit.queue.queueArn, 'Messages here make Jobs');
    this.#output('AlarmTopic', alarms.topic.topicArn, 'Subscribe to be notified of alarms');
  }

  /**
   * No function that drains a queue has reserved concurrency: for queues, MaximumConcurrency is the throttle that loses
   * nothing. Together they use seven of a new account's ten; nine with submissions. Such an account cannot reserve any for the API either.
   */
  #handlers({ apiConcurrency, auditDays, submissions, tracing }: Settings): Handlers {
    return {
      ...(submissions === null ? {} : { submit: this.#submitFunction(tracing) }),
      api: new HandlerFunction(this, 'ApiFunction', {
        handler: 'api',
        tracing,
        memoryMb: 512, // renders lists; a quarter of a processor keeps a cold start below a second
        timeout: STREAM_MAX, // a long list that is read slowly is one request
        loop: 'cut',
        reservedConcurrency: apiConcurrency,
        logKept: auditDays, // who has changed what is in it
      }),
      reconcile: new HandlerFunction(this, 'ReconcileFunction', {
        handler: 'reconcile',
        tracing,
        memoryMb: 512, // the one that computes: a board of 100,000 takes 64 MB, and a quarter of a processor decodes it in some 80 ms; it also waits, and its memory is billed meanwhile
        timeout: Duration.seconds(30), // 200 facts of as many Jobs, one after the other, with five requests each
        loop: 'allowed', // reconcile → dispatch → facts → reconcile, for as long as a Job runs
      }),
      dispatch: new HandlerFunction(this, 'DispatchFunction', {
        handler: 'dispatch',
        tracing,
        memoryMb: 256, // waits for ECS most of the time
        timeout: Duration.seconds(60), // ten packs of ten launches; launches above the rate are queued again, not waited for
        loop: 'allowed', // launches above the rate go back to its own queue
      }),
      sweep: new HandlerFunction(this, 'SweepFunction', {
        handler: 'sweep',
        tracing,
        memoryMb: 256, // reads a page of keys and sends messages
        timeout: Duration.seconds(55), // done before the next one starts
        loop: 'cut', // it feeds queues, but no queue feeds it
        retryAttempts: 0, // the next minute is the retry
      }),
    };
  }

  /**
   * Strangers run it, too, so it has a ceiling of its own, and cannot take the concurrency of what works. Has no alarm on errors:
   * it answers 401 by failing. It needs no rights, since a token is a request to STS that its sender has signed, and no variable
   * of the others.
   */
  #authorizer({ access, authorizerConcurrency, tracing }: Settings, calls: DeployCalls): HandlerFunction {
    const authorizer = new HandlerFunction(this, 'AuthorizerFunction', {
      handler: 'authorizer',
      tracing,
      memoryMb: 256, // waits for STS, but a cold start sets up TLS
      timeout: Duration.seconds(5), // STS gets three
      loop: 'cut', // it calls nothing of ours
      reservedConcurrency: authorizerConcurrency,
    });
    if (authorizerConcurrency === null) calls.reserveIfRoom(authorizer.lambda, AUTHORIZER_CONCURRENCY);
    authorizer.lambda.addEnvironment(ACCESS_ENV.accounts, [this.account, ...access.accounts].join());
    if (access.admins.length > 0) authorizer.lambda.addEnvironment(ACCESS_ENV.admins, access.admins.join());
    return authorizer;
  }

  #submitFunction(tracing: boolean): HandlerFunction {
    return new HandlerFunction(this, 'SubmitFunction', {
      handler: 'submit',
      tracing,
      memoryMb: 512, // a manifest is checked as the API checks it
      timeout: Duration.seconds(30), // ten messages at once, a dozen requests each
      loop: 'cut', // nothing that it feeds sends to its queue
    });
  }

  #submitQueue({ submit }: Handlers, { submissions }: Settings, alarms: Alarms): { readonly submit?: WorkQueue } {
    if (submit === undefined || submissions === null) return {};
    const { from } = submissions;
    const props = { consumer: submit.lambda, maxConcurrency: 2, oldestAlarm: LATE_SUBMISSION, alarms, from };
    return { submit: new SubmitQueue(this, 'Submit', props) };
  }

  #queues({ reconcile, dispatch }: Handlers, alarms: Alarms): Record<QueueName, WorkQueue> {
    const delayed = Duration.seconds(DELAY_MAX_SEC + 300);
    return {
      // Apart from facts, so that a user's change does not wait behind 100,000 tasks.
      wake: new WorkQueue(this, 'Wake', {
        consumer: reconcile.lambda,
        maxConcurrency: 2,
        oldestAlarm: delayed,
        alarms,
      }),
      // As low as AWS allows: concurrent passes over one Job would only lose races against each other.
      facts: new WorkQueue(this, 'Facts', {
        consumer: reconcile.lambda,
        maxConcurrency: 2,
        oldestAlarm: delayed,
        alarms,
      }),
      // Three at 18 launches a second in total: each has 160 ms for a RunTask call, and calls overlap.
      dispatch: new WorkQueue(this, 'Dispatch', {
        consumer: dispatch.lambda,
        maxConcurrency: 3,
        oldestAlarm: delayed,
        alarms,
      }),
    };
  }

  #sweepEveryMinute(sweep: HandlerFunction): void {
    new Rule(this, 'EveryMinute', {
      description: 'Sweep: what is due, and what was lost',
      schedule: Schedule.rate(SWEEP_EVERY),
      targets: [new LambdaFunction(sweep.lambda, { retryAttempts: 0, maxEventAge: SWEEP_EVERY })],
    });
  }

  #alarmOnErrors(handlers: Handlers, alarms: Alarms): void {
    for (const [name, { lambda }] of Object.entries(handlers)) {
      const sweeps = name === 'sweep';
      alarms.on(`${name}Errors`, {
        metric: lambda.metricErrors({ period: Duration.minutes(5), statistic: Stats.SUM }),
        above: sweeps ? 1 : 0, // the next sweep makes up for one that failed
        periods: sweeps ? 2 : 1, // and a deployment may delay one
        // The sweep makes a lost message harmless: if it does not run at all, someone must know.
        silence: sweeps ? 'bad' : 'fine',
        meaning: `${name} failed${sweeps ? ', or does not run' : ''}. Its log says why. The work will be retried.`,
      });
    }
  }

  /** One alarm each for all queues and functions: an alarm costs $0.10 a month. */
  #alarmOnOurs(alarms: Alarms): void {
    const period = Duration.minutes(5);
    alarms.on('Dead', {
      metric: ourMetric('DeadLetters', period),
      above: 0,
      silence: 'fine',
      meaning: 'Messages could not be processed. "muster doctor" lists them with their reasons, for 14 days.',
    });
    alarms.on('Misconfigured', {
      metric: ourMetric('LaunchesMisconfigured', period),
      above: 0,
      silence: 'fine',
      meaning:
        'ECS refuses launches, or cannot start tasks, because a permission, a role, a key, a network, or a quota is missing. The waiting Jobs and the logs of dispatch and reconcile show the reason.',
    });
    alarms.on('Throttled', {
      // For all functions in the Region: they share the account's concurrency, so the function that uses it up must be
      // found.
      metric: LambdaFunctionBase.metricAllThrottles({ period, statistic: Stats.SUM }),
      above: 0,
      silence: 'fine',
      meaning: "Lambda refused invocations: the account's concurrent executions are used up. Raise them (L-B99A9384).",
    });
  }

  #output(id: string, value: string, description: string): void {
    new CfnOutput(this, id, { value, description });
  }
}

type World = {
  readonly settings: Settings;
  readonly state: StateTable;
  readonly queues: Record<QueueName, WorkQueue> & { readonly submit?: WorkQueue };
  readonly tasks: TaskCluster;
  readonly network: TaskNetwork;
  readonly names: TaskNames | null;
};

/** Where everything is, for all functions. */
function environmentOf({ settings, state, queues, tasks, network, names }: World): Readonly<Record<string, string>> {
  return {
    [ENV.table]: state.table.tableName,
    [ENV.wakeQueueUrl]: queues.wake.queue.queueUrl,
    [ENV.factQueueUrl]: queues.facts.queue.queueUrl,
    [ENV.dispatchQueueUrl]: queues.dispatch.queue.queueUrl,
    [DEAD_QUEUE_ENV.wake]: queues.wake.dead.queueUrl,
    [DEAD_QUEUE_ENV.facts]: queues.facts.dead.queueUrl,
    [DEAD_QUEUE_ENV.dispatch]: queues.dispatch.dead.queueUrl,
    ...(queues.submit === undefined
      ? {}
      : {
          [ENV.submitQueueUrl]: queues.submit.queue.queueUrl,
          [DEAD_QUEUE_ENV.submit]: queues.submit.dead.queueUrl,
        }),
    [ENV.cluster]: tasks.cluster.clusterArn,
    [ENV.subnets]: network.subnetIds.join(','),
    [ENV.securityGroups]: network.securityGroup.securityGroupId,
    [ENV.assignPublicIp]: network.assignPublicIp,
    [ENV.executionRoleArn]: tasks.executionRole.roleArn,
    [ENV.taskRoleArn]: tasks.taskRole.roleArn,
    [ENV.taskRoles]: JSON.stringify(settings.taskRoles),
    [ENV.logGroup]: tasks.logGroup.logGroupName,
    [ENV.launchesPerSec]: String(settings.launchesPerSec),
    [ENV.stopsPerSec]: String(settings.stopsPerSec),
    [ENV.historyDays]: String(settings.historyDays),
    ...(settings.formats === 'current' ? {} : { [ENV.formats]: settings.formats }),
    ...(settings.eventBus === null ? {} : { [ENV.eventBus]: settings.eventBus }),
    ...(settings.taskTokens ? { [ENV.taskTokens]: 'ENABLED' } : {}),
    ...(settings.hostnames === null || names === null
      ? {}
      : {
          [ENV.hostsZone]: settings.hostnames.zone,
          [ENV.hostsNamespaceId]: names.namespaceId,
          [ENV.hostsMax]: String(settings.hostnames.max),
        }),
  };
}

/** How the API learns who calls: with tokens, the authorizer knows who is an administrator. */
function accessOf({ auth, authorization, admins }: Settings['access']): Readonly<Record<string, string>> {
  const roles = authorization === 'RBAC' ? { [ACCESS_ENV.authorization]: authorization } : {};
  if (auth === 'token') return { ...roles, [ACCESS_ENV.auth]: auth };
  return admins.length === 0 ? roles : { ...roles, [ACCESS_ENV.admins]: admins.join() };
}
/** All that may be passed to tasks, each once. */
const listedArns = ({ taskRoles }: Pick<Settings, 'taskRoles'>): readonly string[] => [
  ...new Set(Object.values(taskRoles).flatMap((arns) => arns.split(' '))),
];

function rolesOf({ api, reconcile, dispatch, sweep, submit }: Handlers): Roles {
  return {
    api: api.role,
    reconcile: reconcile.role,
    dispatch: dispatch.role,
    sweep: sweep.role,
    ...(submit === undefined ? {} : { submit: submit.role }),
  };
}
