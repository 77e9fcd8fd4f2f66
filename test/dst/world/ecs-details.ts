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
