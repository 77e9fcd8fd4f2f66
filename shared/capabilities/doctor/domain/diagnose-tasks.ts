import type { EpochMs } from '../../../domain/base/time.ts';
import type { TaskArn } from '../../../domain/base/ids.ts';
import type { WorkingBoard } from '../../../domain/scoreboard/working-board.ts';
import type { AttemptId } from '../../../domain/base/fact.ts';
import type { ItemOf } from '../../../domain/base/shown-index.ts';
import {
  type Finding,
  type FindingKind,
  OVERDUE_MS,
  SOON_MS,
  ORPHAN_TOO_LONG_MS,
  atTime,
  indexesText,
  oldestOf,
} from './finding.ts';
import { isActive } from '../../../domain/scoreboard/index-record.ts';
import type { LaunchSlot } from '../../../domain/scoreboard/launch-row.ts';
import { type Status, isOver, tally } from '../../../domain/scoreboard/status.ts';
import type { TaskView } from '../../../domain/task/task.ts';

/** An attempt that the board lists as active, with the slot that names its task; null if no slot of its index does. */
export type ActiveAttempt = {
  readonly id: AttemptId;
  readonly state: 'claimed' | 'launched' | 'running';
  readonly slot: LaunchSlot | null;
};

/** The attempts and tasks of one Job that were checked: for a large Job, the first few hundred. */
export type ProbedTask = {
  readonly attempts: readonly ActiveAttempt[];
  /** What ECS reports about the tasks of these attempts, and about the Job's live tasks. */
  readonly tasks: ReadonlyMap<TaskArn, TaskView>;
  /** Requested, but unknown to ECS. */
  readonly missing: ReadonlySet<TaskArn>;
  /** Tasks that ECS lists for the Job. */
  readonly live: readonly TaskArn[];
  /** ECS has more. */
  readonly moreLive: boolean;
};

type Compared = {
  readonly now: EpochMs;
  readonly status: Status;
  readonly board: WorkingBoard;
  readonly itemOf: ItemOf;
};

/** ECS may not list a task yet right after RunTask. */
const MISSING_GRACE_MS = 2 * 60_000;
/** A launch slot is checked again after at most 30 s, and after 45 minutes Muster searches for its task. */
const LAUNCHING_LONG_MS = 10 * 60_000;
const LAUNCHING_TOO_LONG_MS = 60 * 60_000;
/** An image of several GB takes minutes to pull. */
const STARTING_LONG_MS = 15 * 60_000;

/** Where the board and ECS disagree, in both directions. */
export function diagnoseTasks(subject: string, compared: Compared, task: ProbedTask): readonly Finding[] {
  const { now, status, itemOf } = compared;
  const ills = new Map<FindingKind, Ill[]>();
  const note = (kind: FindingKind, index: number, since: EpochMs | null): void => {
    ills.set(kind, [...(ills.get(kind) ?? []), { index, since }]);
  };
  for (const attempt of task.attempts) {
    const ill = illOf(attempt, task, now);
    if (ill !== null) note(ill.kind, attempt.id.index, ill.since);
  }
  for (const arn of task.live) {
    const view = task.tasks.get(arn);
    if (view !== undefined && isOrphan(view, compared, task)) note('StrangerTask', view.id.index, view.times.createdAt);
  }
  const repair = repairOf(status, now);
  return [
    ...[...ills].map(([kind, some]) => {
      const who = indexesText(
        some.map(({ index }) => index),
        itemOf,
      );
      return findingOf(kind, { who, since: oldestOf(some.map(({ since }) => since)) }, subject, repair, now);
    }),
    ...sampled(subject, compared, task),
  ];
}

type Ill = { readonly index: number; readonly since: EpochMs | null };

/** What is wrong with one attempt; null if nothing is, or it is too recent to say. */
function illOf(
  { id, state, slot }: ActiveAttempt,
  { tasks, missing }: ProbedTask,
  now: EpochMs,
): { readonly kind: FindingKind; readonly since: EpochMs | null } | null {
  const isIts = slot !== null && slot.attempt === id.attempt && slot.nonce === id.nonce;
  if (!isIts || slot.state !== 'launched') {
    if (state !== 'claimed') return { kind: 'TaskUnknown', since: null };
    const isLong = isIts && slot.state === 'launching' && now > slot.since + LAUNCHING_LONG_MS;
    return isLong ? { kind: 'LaunchUnanswered', since: slot.since } : null;
  }
  const { taskArn, since } = slot;
  const view = tasks.get(taskArn);
  if (view === undefined)
    return missing.has(taskArn) && now > since + MISSING_GRACE_MS ? { kind: 'TaskMissing', since } : null;
  const { startedAt, stoppedAt } = view.times;
  if (view.stage === 'stopped')
    return stoppedAt === null || now > stoppedAt + SOON_MS ? { kind: 'EndUnseen', since: stoppedAt } : null;
  if (view.stage === 'running' && state !== 'running')
    return startedAt === null || now > startedAt + SOON_MS ? { kind: 'StartUnseen', since: startedAt } : null;
  if (view.stage === 'starting' && now > since + STARTING_LONG_MS) return { kind: 'StartsSlowly', since };
  return null;
}

/**
 * A live task of the Job that the board does not need: it belongs neither to a current attempt nor to one that is being
 * replaced.
 */
function isOrphan(
  { arn, id, stage, times }: TaskView,
  { now, status, board }: Compared,
  { attempts }: ProbedTask,
): boolean {
  if (stage === 'stopped' || stage === 'stopping') return false;
  if (times.createdAt !== null && now < times.createdAt + SOON_MS) return false;
  if (status.replacedTasks.some(({ taskArn }) => taskArn === arn)) return false;
  if (isOver(status.phase) || id.index >= board.size) return true;
  const record = board.record(id.index);
  if (record === null) return false; // its chunk was not read
  if (!isActive(record.state) || record.attempt !== id.attempt || record.nonce !== id.nonce) return true;
  const slot = attempts.find((attempt) => attempt.id.index === id.index)?.slot ?? null;
  const isSame = slot !== null && slot.attempt === id.attempt && slot.nonce === id.nonce;
  return isSame && slot.state === 'launched' && slot.taskArn !== arn;
}

/** When the sweep checks all attempts again; `overdue`: it should have done so. */
type Repair = { readonly at: EpochMs | null; readonly overdue: boolean };

const repairOf = ({ inspect }: Status, now: EpochMs): Repair =>
  inspect === null ? { at: null, overdue: true } : { at: inspect.at, overdue: now > inspect.at + OVERDUE_MS };

const SENTENCES: Partial<Readonly<Record<FindingKind, string>>> = {
  LaunchUnanswered: 'RunTask has been in progress for a long time, without an answer',
  TaskUnknown: 'the board says launched, but no launch row names the task',
  TaskMissing: 'the board says active, but ECS does not know the task',
  StartUnseen: 'the task runs in ECS, but the board does not know it',
  EndUnseen: 'the task has stopped in ECS, but the board does not know it',
  StartsSlowly: 'ECS has accepted the task, but it does not start',
  StrangerTask: 'a live task of the Job that is not a current attempt',
};

/** How bad the findings are that the sweep does not repair, and what to do; `late`: from this age on it is an error. */
const OWN_COURSE: Partial<Readonly<Record<FindingKind, { readonly lateMs: number; readonly remedy: string }>>> = {
  LaunchUnanswered: {
    lateMs: LAUNCHING_TOO_LONG_MS,
    remedy: 'Muster repeats the call under the same token. Check the log of the function dispatch.',
  },
  StartsSlowly: {
    lateMs: Number.POSITIVE_INFINITY,
    remedy: 'Check the task in ECS: a large image, or subnets without a route to the registry. pendingTimeout ends it.',
  },
  StrangerTask: {
    lateMs: ORPHAN_TOO_LONG_MS,
    remedy: 'The hourly sweep stops it. To do it at once: aws ecs stop-task.',
  },
};

function findingOf(
  kind: FindingKind,
  { who, since }: { readonly who: string; readonly since: EpochMs | null },
  subject: string,
  repair: Repair,
  now: EpochMs,
): Finding {
  const what = `${who}: ${SENTENCES[kind] ?? kind}`;
  const own = OWN_COURSE[kind];
  if (own !== undefined) {
    const severity = since !== null && now > since + own.lateMs ? 'error' : 'warning';
    return { kind, subject, what, since, severity, remedy: own.remedy };
  }
  const remedy =
    repair.at === null || repair.overdue
      ? 'The sweep should have looked up these tasks, but has not: check its log and the dead letters.'
      : `No action needed: the sweep looks up these tasks ${atTime(repair.at)}.`;
  return { kind, subject, what, since, severity: repair.overdue ? 'error' : 'warning', remedy };
}

/** Reports that the rest was not checked. */
function sampled(subject: string, { status }: Compared, { attempts, live, moreLive }: ProbedTask): readonly Finding[] {
  const { starting, running } = tally(status.chunks);
  const active = starting + running;
  if (attempts.length >= active && !moreLive) return [];
  return [
    {
      severity: 'info',
      kind: 'Sampled',
      subject,
      what: `${attempts.length} of ${active} active attempts and ${live.length}${moreLive ? ' of more' : ''} live tasks were checked`,
      since: null,
      remedy: 'No action needed: the sweep checks all of them.',
    },
  ];
}
