import type { EpochMs, TaskArn } from './brand.ts';
import type { Draft } from './draft.ts';
import type { AttemptId } from './fact.ts';
import {
  type Finding,
  type FindingKind,
  OVERDUE_MS,
  SOON_MS,
  STRANGER_TOO_LONG_MS,
  atTime,
  indexesText,
  oldestOf,
} from './finding.ts';
import { isActive } from './index-record.ts';
import type { LaunchSlot } from './launch-row.ts';
import { type Status, isOver, tally } from './status.ts';
import type { TaskView } from './task.ts';

/** An attempt that the board holds active, with the slot that names its task; null: no slot of its index does. */
export type ActiveAttempt = {
  readonly id: AttemptId;
  readonly state: 'claimed' | 'launched' | 'running';
  readonly slot: LaunchSlot | null;
};

/** Attempts and tasks of one Job, as far as they were looked at: of a large one the first few hundred. */
export type TaskSight = {
  readonly attempts: readonly ActiveAttempt[];
  /** What ECS says of the tasks of these attempts, and of its live tasks of the Job. */
  readonly tasks: ReadonlyMap<TaskArn, TaskView>;
  /** Asked for, and not known to ECS. */
  readonly missing: ReadonlySet<TaskArn>;
  /** Tasks that ECS lists as the Job's. */
  readonly live: readonly TaskArn[];
  /** ECS has more. */
  readonly moreLive: boolean;
};

type Compared = { readonly now: EpochMs; readonly status: Status; readonly board: Draft };

/** ECS may not know a task yet right after RunTask. */
const MISSING_GRACE_MS = 2 * 60_000;
/** A launch slot is asked about again after 30 s at the latest, and after 45 minutes its task is looked for. */
const LAUNCHING_LONG_MS = 10 * 60_000;
const LAUNCHING_TOO_LONG_MS = 60 * 60_000;
/** An image of some GB takes minutes to pull. */
const STARTING_LONG_MS = 15 * 60_000;

/** Where the board and ECS do not agree, both ways. */
export function diagnoseTasks(subject: string, compared: Compared, sight: TaskSight): readonly Finding[] {
  const { now, status } = compared;
  const ills = new Map<FindingKind, Ill[]>();
  const note = (kind: FindingKind, index: number, since: EpochMs | null): void => {
    ills.set(kind, [...(ills.get(kind) ?? []), { index, since }]);
  };
  for (const attempt of sight.attempts) {
    const ill = illOf(attempt, sight, now);
    if (ill !== null) note(ill.kind, attempt.id.index, ill.since);
  }
  for (const arn of sight.live) {
    const view = sight.tasks.get(arn);
    if (view !== undefined && isStranger(view, compared, sight))
      note('StrangerTask', view.id.index, view.times.createdAt);
  }
  const repair = repairOf(status, now);
  return [
    ...[...ills].map(([kind, some]) => findingOf(kind, some, subject, repair, now)),
    ...sampled(subject, compared, sight),
  ];
}

type Ill = { readonly index: number; readonly since: EpochMs | null };

/** What is wrong with one attempt; null: nothing, or it is too young to say. */
function illOf(
  { id, state, slot }: ActiveAttempt,
  { tasks, missing }: TaskSight,
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

/** A live task of the Job that the board does not want: it belongs to no current attempt, nor to one that is being replaced. */
function isStranger(
  { arn, id, stage, times }: TaskView,
  { now, status, board }: Compared,
  { attempts }: TaskSight,
): boolean {
  if (stage === 'stopped' || stage === 'stopping') return false;
  if (times.createdAt !== null && now < times.createdAt + SOON_MS) return false;
  if (status.lingering.some(({ taskArn }) => taskArn === arn)) return false;
  if (isOver(status.phase) || id.index >= board.size) return true;
  const record = board.record(id.index);
  if (record === null) return false; // its chunk was not looked at
  if (!isActive(record.state) || record.attempt !== id.attempt || record.nonce !== id.nonce) return true;
  const slot = attempts.find((attempt) => attempt.id.index === id.index)?.slot ?? null;
  const isSame = slot !== null && slot.attempt === id.attempt && slot.nonce === id.nonce;
  return isSame && slot.state === 'launched' && slot.taskArn !== arn;
}

/** When the sweep looks all attempts up again; `overdue`: it should have. */
type Repair = { readonly at: EpochMs | null; readonly overdue: boolean };

const repairOf = ({ inspect }: Status, now: EpochMs): Repair =>
  inspect === null ? { at: null, overdue: true } : { at: inspect.at, overdue: now > inspect.at + OVERDUE_MS };

const SENTENCES: Partial<Readonly<Record<FindingKind, string>>> = {
  LaunchUnanswered: 'RunTask has been under way for long, without an answer',
  TaskUnknown: 'the board says launched, but no launch row names the task',
  TaskMissing: 'the board says active, but ECS does not know the task',
  StartUnseen: 'the task runs at ECS, the board has not heard of it',
  EndUnseen: 'the task has stopped at ECS, the board has not heard of it',
  StartsSlowly: 'ECS has accepted the task and does not get it to run',
  StrangerTask: "a live task of the Job's that is no current attempt's",
};

/** How bad those are that a look-up of the sweep's does not mend, and what to do; `late`: from this age on it is an error. */
const OWN_COURSE: Partial<Readonly<Record<FindingKind, { readonly lateMs: number; readonly remedy: string }>>> = {
  LaunchUnanswered: {
    lateMs: LAUNCHING_TOO_LONG_MS,
    remedy: 'The call is repeated under the same token. Look at the log of the function dispatch.',
  },
  StartsSlowly: {
    lateMs: Number.POSITIVE_INFINITY,
    remedy: 'Look at the task at ECS: a large image, or subnets without a way to the registry. pendingTimeout ends it.',
  },
  StrangerTask: {
    lateMs: STRANGER_TOO_LONG_MS,
    remedy: 'The hourly sweep has it stopped. To do it at once: aws ecs stop-task.',
  },
};

function findingOf(kind: FindingKind, some: readonly Ill[], subject: string, repair: Repair, now: EpochMs): Finding {
  const since = oldestOf(some.map((each) => each.since));
  const what = `${indexesText(some.map(({ index }) => index))}: ${SENTENCES[kind] ?? kind}`;
  const own = OWN_COURSE[kind];
  if (own !== undefined) {
    const severity = since !== null && now > since + own.lateMs ? 'error' : 'warning';
    return { kind, subject, what, since, severity, remedy: own.remedy };
  }
  const remedy =
    repair.at === null || repair.overdue
      ? 'The sweep should have looked these tasks up, and has not: see its log and the dead letters.'
      : `Nothing has to be done: the sweep looks these tasks up ${atTime(repair.at)}.`;
  return { kind, subject, what, since, severity: repair.overdue ? 'error' : 'warning', remedy };
}

/** Says that the rest was not looked at. */
function sampled(subject: string, { status }: Compared, { attempts, live, moreLive }: TaskSight): readonly Finding[] {
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
      remedy: 'Nothing has to be done: the sweep looks at all of them.',
    },
  ];
}
