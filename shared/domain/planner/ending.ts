import { type EpochMs, asEpochMs } from '../base/time.ts';
import type { AttemptTimes, Ending, EndingCause, Fact } from '../base/fact.ts';
import { OUT_OF_MEMORY } from '../task/decisive-container.ts';
import { decidingWords, refusalCause } from '../task/refusal.ts';
import type { TaskView } from '../task/task.ts';

/** What ECS reports about a stopped task; null if it reports nothing. */
export type StopMarks = {
  readonly stopCode: string | null;
  readonly stoppedReason: string | null;
  /** Of the main container, or of the container whose failure kept it from starting; never assumed. */
  readonly exitCode: number | null;
  /** That container; null: none of the Pod's is to blame. */
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
  const { container, stoppedReason } = marks;
  const cause = causeOf(marks);
  const exitCode = isStartError(marks) ? START_ERROR : marks.exitCode;
  return {
    cause,
    exitCode,
    container: exitCode === null ? null : container,
    reason: reasonOf(marks),
    ...(cause === 'Stopped' && stoppedReason?.startsWith(POD_DELETED) === true && { podDeleted: true }),
  };
}

function causeOf(marks: StopMarks): EndingCause {
  const { stopCode, stoppedReason, exitCode, started } = marks;
  switch (stopCode ?? '') {
    case 'EssentialContainerExited':
      if (exitCode === 0) return 'Completed';
      return failureOf(marks);
    case 'UserInitiated':
    case 'ServiceSchedulerInitiated':
      if (!DRAINED.test(stoppedReason ?? '')) return 'Stopped';
      return started ? 'Infrastructure' : 'Unplaced';
    case 'SpotInterruption':
      return started ? 'Spot' : 'Unplaced'; // without capacity, a task ends this way before it has started (aws.md 1.8)
    case 'TaskFailedToStart':
      // An init container that fails is the user's program failing; anything else kept the task from starting.
      if ((exitCode !== null && exitCode !== 0) || isStartError(marks)) return failureOf(marks);
      return isNotOfTheJob(marks) ? 'Unplaced' : 'StartFailed';
    default:
      // TerminationNotice, InfrastructureHealth, none, and whatever ECS may add: the user is not at fault.
      return started ? 'Infrastructure' : 'Unplaced';
  }
}

const failureOf = ({ containerReason }: StopMarks): EndingCause =>
  OUT_OF_MEMORY.test(containerReason ?? '') ? 'OOMKilled' : 'Error';

/**
 * The image is there, but its program cannot be started (no such file, no permission): the user's failure. It also counts in
 * Kubernetes, which shows the reason StartError and this code.
 */
export const START_ERROR = 128;
function isStartError(marks: StopMarks): boolean {
  const { stopCode, exitCode, container } = marks;
  const isUnstartable = container !== null && /CannotStartContainer/i.test(allSaid(marks));
  return stopCode === 'TaskFailedToStart' && exitCode === null && isUnstartable && !isNotOfTheJob(marks);
}

/** What kept it from starting passes by itself, or has to be mended by the installation's operator: it waits for that. */
const isNotOfTheJob = (marks: StopMarks): boolean => refusalCause(allSaid(marks)) !== 'refused';

/** The operator of the installation has to mend why it did not start: a right, a key, a route. */
export const isForOperator = ({ cause, reason }: Ending): boolean =>
  cause === 'Unplaced' && refusalCause(reason) === 'installation';

/** ECS on an instance that it empties: in the name of the user who runs the machines (developer guide, Managed Instances). */
const DRAINED = /^Task stopped during instance draining/i;

function allSaid({ stoppedReason, containerReason }: StopMarks): string {
  const said = [stoppedReason, containerReason].filter((text): text is string => text !== null && text !== '');
  return [...new Set(said)].join(': ');
}

function reasonOf(marks: StopMarks): string {
  const text = allSaid(marks) || (marks.stopCode ?? 'ECS gave no reason');
  if (text.length <= REASON_MAX_CHARS) return text;
  const words = decidingWords(text);
  if (words === null || words.to < REASON_MAX_CHARS) return `${text.slice(0, REASON_MAX_CHARS - 1)}…`;
  // What it counts as depends on words further back, which are read again when it is shown.
  const head = text.slice(0, HEAD_CHARS);
  return `${head}…${text.slice(words.from, words.from + REASON_MAX_CHARS - HEAD_CHARS - 1)}`;
}
const HEAD_CHARS = 200;

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

/** The reason of a StopTask call after a user deleted the Pod; ECS keeps it in `stoppedReason`, where {@link endingOf} finds it. */
export const POD_DELETED = 'Muster: the Pod was deleted';

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
