import type { TaskView } from '../../../shared/domain/task/task.ts';
import { MAIN_VARIABLE } from '../../../shared/domain/task/launch-overrides.ts';
import { formatGroup } from '../../../shared/domain/task/task-group.ts';
import { GROUP_PREFIX } from '../../../shared/names/env.ts';
import type { Random } from '../random.ts';

type Container = {
  readonly name: string;
  readonly lastStatus: 'STOPPED';
  readonly exitCode?: number;
  readonly reason?: string;
};

/**
 * An ended task while ECS takes its network interface away, as the `detail` of an event: beside the main container there is a
 * sidecar, and perhaps an agent, with exit codes of their own, in any order.
 */
export function deprovisioningDetail(ended: TaskView, luck: Random): object {
  const { arn, job, id, version, times, privateIp } = ended;
  const { stopCode, stoppedReason, main } = marksOf(ended, luck);
  const overrides = [
    { name: 'main', environment: [{ name: MAIN_VARIABLE, value: 'main' }] },
    { name: 'sidecar', environment: [] },
  ];
  const others: readonly Container[] = [
    { name: 'sidecar', lastStatus: 'STOPPED', exitCode: luck.pick(OTHER_EXIT_CODES) },
    ...(luck.chance(0.3) ? [{ name: 'aws-guardduty-agent-x1', lastStatus: 'STOPPED', exitCode: 137 } as const] : []),
  ];
  const containers = luck.chance(0.5) ? [...others, main] : [main, ...others];
  return {
    taskArn: arn,
    startedBy: job,
    group: formatGroup(GROUP_PREFIX, id),
    version: version + 1,
    lastStatus: 'DEPROVISIONING',
    desiredStatus: 'STOPPED',
    ...(stopCode === null ? {} : { stopCode }),
    stoppedReason,
    createdAt: textOf(times.createdAt),
    startedAt: textOf(times.startedAt),
    stoppingAt: textOf(times.stoppedAt),
    executionStoppedAt: luck.chance(UNCLEAR) ? undefined : textOf(times.stoppedAt),
    containers: containers.map((each) => ({
      ...each,
      networkInterfaces: privateIp === null ? [] : [{ privateIpv4Address: privateIp }],
    })),
    overrides: { containerOverrides: luck.chance(0.5) ? overrides : overrides.toReversed() },
  };
}

/**
 * A task that is STOPPED, as the `detail` of an event: the same end in ECS's words. Of some that failed, an init container has,
 * for which the others waited in vain; which ones depends on their numbers, so that nothing else takes another course.
 */
export function stoppedDetail(ended: TaskView): object {
  const { arn, job, id, version, times, privateIp } = ended;
  const [first, second] = [(id.index + id.attempt) % 3 === 0, (id.index + id.attempt) % 2 === 0];
  const { stopCode, stoppedReason, containers } = endMarks(ended, first, second);
  const names = containers.map(({ name }) => name);
  const overrides = names.map((name) => ({
    name,
    environment: name === 'main' ? [{ name: MAIN_VARIABLE, value: name }] : [],
  }));
  return {
    taskArn: arn,
    startedBy: job,
    group: formatGroup(GROUP_PREFIX, id),
    version,
    lastStatus: 'STOPPED',
    desiredStatus: 'STOPPED',
    ...(stopCode === null ? {} : { stopCode }),
    stoppedReason,
    createdAt: textOf(times.createdAt),
    startedAt: textOf(times.startedAt),
    stoppedAt: textOf(times.stoppedAt),
    containers: (second ? containers : containers.toReversed()).map((each) => ({
      ...each,
      networkInterfaces: privateIp === null ? [] : [{ privateIpv4Address: privateIp }],
    })),
    overrides: { containerOverrides: second ? overrides : overrides.toReversed() },
  };
}

type EndMarks = {
  readonly stopCode: string | null;
  readonly stoppedReason: string;
  readonly containers: readonly Container[];
};

function endMarks({ ending, id }: TaskView, isOfInit: boolean, hasImage: boolean): EndMarks {
  const { cause, exitCode, reason } = ending ?? { cause: 'Infrastructure', exitCode: null, reason: '' };
  const stopped = (name: string, code: number | null, why?: string): Container => ({
    name,
    lastStatus: 'STOPPED',
    ...(code === null ? {} : { exitCode: code }),
    ...(why === undefined ? {} : { reason: why }),
  });
  const all = (stopCode: string | null, stoppedReason: string, main: number | null, why?: string): EndMarks => ({
    stopCode,
    stoppedReason,
    containers: [stopped('main', main, why), stopped('proxy', main === null ? null : 143), stopped('prepare', 0)],
  });
  switch (cause) {
    case 'Completed':
      return all('EssentialContainerExited', EXITED, exitCode);
    case 'Error':
    case 'OOMKilled': {
      const why = cause === 'Error' ? undefined : reason;
      if (!isOfInit) return all('EssentialContainerExited', EXITED, exitCode, why);
      const dependency = `[prepare(${hasImage ? 'busybox' : ''}) (STOPPED->RUNNING) - Exit: ${exitCode}]`;
      const graph = `CannotStartContainerError: dependency graph: failed to resolve container ordering dependency ${dependency}`;
      const containers = [stopped('main', 143, graph), stopped('proxy', 137), stopped('prepare', exitCode, why)];
      return { stopCode: 'EssentialContainerExited', stoppedReason: EXITED, containers };
    }
    case 'Stopped':
      return all('UserInitiated', reason, exitCode);
    case 'Spot':
      return all('SpotInterruption', 'Your Spot Task was interrupted.', exitCode);
    case 'Infrastructure':
      return hasImage
        ? all(null, reason, exitCode)
        : all('UserInitiated', 'Task stopped during instance draining', exitCode);
    case 'StartFailed':
      return all('TaskFailedToStart', MISSING[id.index % MISSING.length] ?? '', null);
    case 'Unplaced':
      return all('TaskFailedToStart', LACKING[id.index % LACKING.length] ?? '', null);
    default:
      return cause satisfies never;
  }
}

const EXITED = 'Essential container in task exited';
/** Only who wrote the Job can mend these. */
const MISSING = [
  'CannotPullContainerError: pull image manifest has been retried 1 time(s): failed to resolve ref docker.io/acme/quota:1: not found',
  'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed: unable to retrieve secrets from ssm: service call has been retried 1 time(s): invalid ssm parameters: /muster/default/key',
];
/** These pass, or an operator mends them. */
const LACKING = [
  'Timeout waiting for network interface provisioning to complete.',
  'Timeout waiting for EphemeralStorage provisioning to complete.',
  'CannotPullContainerError: httpReadSeeker: failed open: unexpected status code https://registry-1.docker.io/v2/acme/app/manifests/1: 429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit.',
  'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed: AccessDeniedException: User is not authorized to perform: kms:Decrypt',
];

const OTHER_EXIT_CODES = [0, 0, 1, 42, 137];
/** ECS does not say everything yet. */
const UNCLEAR = 0.05;

const textOf = (ms: number | null): string | undefined => (ms === null ? undefined : new Date(ms).toISOString());

type Marks = { readonly stopCode: string | null; readonly stoppedReason: string; readonly main: Container };

/** Programs that are stopped may end with 0: that is no success. */
function marksOf({ ending, times }: TaskView, luck: Random): Marks {
  const { cause, exitCode, reason } = ending ?? { cause: 'Infrastructure', exitCode: null, reason: '' };
  const main = (code: number | null): Container => ({
    name: 'main',
    lastStatus: 'STOPPED',
    ...(code === null || luck.chance(UNCLEAR) ? {} : { exitCode: code }),
  });
  const heeded = times.startedAt === null ? null : luck.pick([0, 143]);
  switch (cause) {
    case 'Completed':
    case 'Error':
      return { stopCode: 'EssentialContainerExited', stoppedReason: reason, main: main(exitCode) };
    case 'OOMKilled':
      return { stopCode: 'EssentialContainerExited', stoppedReason: '', main: { ...main(exitCode), reason } };
    case 'Stopped':
      return { stopCode: 'UserInitiated', stoppedReason: reason, main: main(heeded) };
    case 'Spot':
      return { stopCode: 'SpotInterruption', stoppedReason: reason, main: main(heeded) };
    case 'Infrastructure':
      return { stopCode: luck.pick(['TerminationNotice', null]), stoppedReason: reason, main: main(heeded) };
    case 'StartFailed':
    case 'Unplaced':
      return { stopCode: 'TaskFailedToStart', stoppedReason: reason, main: main(null) };
    default:
      return cause satisfies never;
  }
}
