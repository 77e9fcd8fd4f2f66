import { type EpochMs, asEpochMs } from '../base/time.ts';
import type { AttemptTimes, Ending, EndingCause, Fact } from '../base/fact.ts';
import type { TaskView } from '../task/task.ts';

/** What ECS reports about a stopped task; null if it reports nothing. */
export type StopMarks = {
  readonly stopCode: string | null;
  readonly stoppedReason: string | null;
  /** Of the main container, or of the container whose failure kept it from starting; never assumed. */
  readonly exitCode: number | null;
  readonly container: string | null;
  readonly containerReason: string | null;
  /** It has been RUNNING. */
  readonly started: boolean;
};

/** Records of attempts stay below 1 KB. */
const REASON_MAX_CHARS = 500;

/**
 * Why a stopped task ended, by ECS's stop code first and exit code second: a program that handles SIGTERM and exits with 0 was
 * stopped, not completed (table in "Stopped task error codes", ECS developer guide).
 */
export function endingOf(marks: StopMarks): Ending {
  const { container } = marks;
  const exitCode = isStartError(marks) ? START_ERROR : marks.exitCode;
  return { cause: causeOf(marks), exitCode, container: exitCode === null ? null : container, reason: reasonOf(marks) };
}

function causeOf(marks: StopMarks): EndingCause {
  const { stopCode, stoppedReason, exitCode, containerReason, started } = marks;
  switch (stopCode ?? '') {
    case 'EssentialContainerExited':
      if (exitCode === 0) return 'Completed';
      // "OutOfMemoryError: container killed due to memory usage"; the case differs by platform version.
      return /out ?of ?memory/i.test(containerReason ?? '') ? 'OOMKilled' : 'Error';
    case 'UserInitiated':
    case 'ServiceSchedulerInitiated':
      return 'Stopped';
    case 'SpotInterruption':
      return started ? 'Spot' : 'Unplaced'; // without capacity, a task ends this way before it has started (aws.md 1.8)
    case 'TaskFailedToStart':
      // An init container that fails is the user's program failing; anything else kept the task from starting.
      if ((exitCode !== null && exitCode !== 0) || isStartError(marks)) return 'Error';
      return SHORTAGE.test(`${stoppedReason ?? ''} ${containerReason ?? ''}`) ? 'Unplaced' : 'StartFailed';
    default:
      // TerminationNotice, InfrastructureHealth, none, and whatever ECS may add: the user is not at fault.
      return started ? 'Infrastructure' : 'Unplaced';
  }
}

/**
 * The image is there, but its program cannot be started (no such file, no permission): the user's failure. It also counts in
 * Kubernetes, which shows the reason StartError and this code.
 */
export const START_ERROR = 128;
function isStartError({ stopCode, stoppedReason, exitCode, containerReason }: StopMarks): boolean {
  const said = `${stoppedReason ?? ''} ${containerReason ?? ''}`;
  return (
    stopCode === 'TaskFailedToStart' && exitCode === null && /CannotStartContainer/i.test(said) && !SHORTAGE.test(said)
  );
}

/** Network interfaces, addresses, capacity (aws.md 1.5, 1.8), processes: lacking only for now. */
const SHORTAGE =
  /unexpected ec2 error|internal ?error|network interface|capacity is unavailable|reached the limit|EAGAIN|ENOMEM|EMFILE/i;

function reasonOf({ stopCode, stoppedReason, containerReason }: StopMarks): string {
  const said = [stoppedReason, containerReason].filter((text): text is string => text !== null && text !== '');
  const text = [...new Set(said)].join(': ') || (stopCode ?? 'ECS gave no reason');
  return text.length <= REASON_MAX_CHARS ? text : `${text.slice(0, REASON_MAX_CHARS - 1)}…`;
}

/** One word for each way to end, as users see it. */
export const CAUSE_WORDS: Readonly<Record<EndingCause, string>> = {
  Completed: 'Completed',
  Error: 'Error',
  OOMKilled: 'OOMKilled',
  Stopped: 'Stopped',
  Spot: 'SpotInterruption',
  Infrastructure: 'InfrastructureHealth',
  Unplaced: 'Unschedulable',
  StartFailed: 'TaskFailedToStart',
};

/** How an attempt ended if its task cannot be found: the cause is unknown, so it uses up none of the user's limits. */
export const LOST: Ending = {
  cause: 'Infrastructure',
  exitCode: null,
  container: null,
  reason: 'ECS does not know the task (any more)',
};
export const NO_TIMES: AttemptTimes = { createdAt: null, startedAt: null, stoppedAt: null };

/** How an attempt ended that was evicted while it had no task. */
export const EVICTED: Ending = { cause: 'Stopped', exitCode: null, container: null, reason: 'its Pod was evicted' };

/** How an attempt ended whose Pod had no task, and had waited too long for one. */
export const OVERDUE: Ending = {
  cause: 'Stopped',
  exitCode: null,
  container: null,
  reason: 'its Pod did not start in time',
};

/** How an attempt ended whose Pod had no task when its deadline, or its index's, passed. */
export const LATE: Ending = {
  cause: 'Stopped',
  exitCode: null,
  container: null,
  reason: 'its deadline has passed',
};

/** The reason of a StopTask call after a user deleted the Pod; ECS keeps it in `stoppedReason`. */
export const POD_DELETED = 'Muster: the Pod was deleted';

/** The attempt ended because its Pod was deleted: it counts, but that Pod no longer exists. */
export const isPodDeletion = ({ cause, reason }: Ending): boolean =>
  cause === 'Stopped' && reason.startsWith(POD_DELETED);

/** What a view says about its attempt: that it runs or has stopped; null if neither yet. */
export function factOf(view: TaskView): Fact | null {
  const { id, arn: taskArn, times, privateIp } = view;
  if (view.stage === 'running') {
    const at = firstKnown(times.startedAt, times.createdAt);
    return { ...id, kind: 'running', taskArn, at, ...(privateIp === null ? {} : { ip: privateIp }) };
  }
  if (view.stage !== 'stopped' || view.ending === null) return null;
  const at = firstKnown(times.stoppedAt, times.startedAt, times.createdAt);
  return { ...id, kind: 'stopped', taskArn, ending: view.ending, times, at };
}

/** ECS always has one of these; zero would only make an attempt look old. */
const firstKnown = (...times: readonly (EpochMs | null)[]): EpochMs => times.find((at) => at !== null) ?? asEpochMs(0);
