import type { Probe } from '../../../domain/base/probed.ts';
import { type EpochMs, asTime } from '../../../domain/base/time.ts';
import { ANNOTATIONS } from '../../../domain/manifests/annotations.ts';
import { diagnoseFailures } from './diagnose-failures.ts';
import { diagnoseTasks, type ProbedTask } from './diagnose-tasks.ts';
import type { WorkingBoard } from '../../../domain/scoreboard/working-board.ts';
import type { FailureSnapshot } from '../../../domain/failures/failures.ts';
import {
  type Finding,
  type FindingKind,
  NAMES_LONG_MS,
  OVERDUE_MS,
  SOON_MS,
  UNANNOUNCED_LONG_MS,
  atTime,
  indexesText,
  notChecked,
  oldestOf,
  some,
  subjectOfJob,
  worstFirst,
} from './finding.ts';
import { FOREGROUND_DELETION, type JobIdentity, type JobSpec } from '../../../domain/manifests/job.ts';
import { DEAD_LETTERED } from '../../../domain/events/dead-letter-events.ts';
import { type Status, isHidden, isOver, podCount, tally } from '../../../domain/scoreboard/status.ts';
import type { ItemOf } from '../../../domain/base/shown-index.ts';
import { countText, waitText } from '../../../domain/pending/wait-words.ts';
import type { WaitedFor } from '../../../domain/pending/upstream-waits.ts';
import { diagnoseUpstreams } from './diagnose-upstreams.ts';
import type { LaunchPace, Wait } from '../../../domain/pending/waits.ts';

/** A Job as the check found it: what was read about it, and what other services answered. */
export type JobSnapshot = {
  readonly now: EpochMs;
  readonly identity: JobIdentity;
  readonly spec: JobSpec;
  readonly finalizers: readonly string[];
  readonly status: Status;
  /** With the chunks that were read. */
  readonly board: WorkingBoard;
  readonly waits: readonly Wait[];
  /** The Jobs that it still waits for. */
  readonly waitedFor: readonly WaitedFor[];
  /** Names from the Job along what each waits for, back to it; null: no such cycle was found. */
  readonly cycle: readonly string[] | null;
  /** Two inconsistent rows, found twice in a row; null if all are consistent. */
  readonly torn: string | null;
  /** STATUS's version in the feed; null if it is not in the feed yet. */
  readonly published: Probe<number | null>;
  readonly pace: Probe<LaunchPace>;
  /** null: not requested. */
  readonly tasks: Probe<ProbedTask> | null;
  /** Its registered names, compared with its running tasks; null: not requested, or it has no names. */
  readonly names: Probe<ProbedName> | null;
  /** What has failed and why; null: not requested. */
  readonly failures: Probe<FailureSnapshot> | null;
  readonly itemOf: ItemOf;
};

export type ProbedName = {
  /** The number of reserved names. */
  readonly reserved: number;
  /** The number of records that exist or may exist. */
  readonly registered: number;
  /** Indexes whose record belongs to a task that is not a current attempt. */
  readonly astray: readonly number[];
  /** Indexes whose attempt runs without a record. */
  readonly unnamed: readonly number[];
};

/** ECS gives a container 120 s at most; Muster repeats the stops during that time. */
const STOP_LONG_MS = 5 * 60_000;
const STOP_TOO_LONG_MS = 30 * 60_000;

/** What keeps the Job running, and what is inconsistent in it; the worst first. Empty if neither. */
export function diagnoseJob(snapshot: JobSnapshot): readonly Finding[] {
  return worstFirst([
    ...diagnoseFailures(snapshot),
    ...holding(snapshot),
    ...diagnoseUpstreams({ ...snapshot, createdAt: snapshot.identity.createdAt }, subjectOfJob(snapshot.identity)),
    ...clockwork(snapshot),
    ...publication(snapshot),
    ...(snapshot.tasks === null ? [] : taskFindings(snapshot, snapshot.tasks)),
    ...(snapshot.names === null ? [] : nameFindings(snapshot, snapshot.names)),
  ]);
}

/** An alarm that has passed without a reaction, at this moment. */
const isOverdue = (at: EpochMs, now: EpochMs): boolean => now > at + OVERDUE_MS;

function finder({ identity }: JobSnapshot) {
  const subject = subjectOfJob(identity);
  return (severity: Finding['severity'], kind: FindingKind, what: string, since: EpochMs | null, remedy: string) => ({
    severity,
    kind,
    subject,
    what,
    since,
    remedy,
  });
}

const NOTHING = '';

function holding(snapshot: JobSnapshot): readonly Finding[] {
  const { status, spec, now, finalizers } = snapshot;
  const { phase } = status;
  const found = finder(snapshot);
  const findings: Finding[] = [];
  const all = tally(status.chunks);

  if (all.starting + all.running > 0) {
    const tasks = snapshot.tasks?.kind === 'ok' ? snapshot.tasks.value : null;
    const since = oldestOf((tasks?.attempts ?? []).map(({ slot }) => (slot?.state === 'launched' ? slot.since : null)));
    const claims = status.inFlight.length;
    const parts = [
      part(all.running, 'running'),
      part(Math.max(0, all.starting - claims), 'launched'),
      part(claims, 'claimed and not answered'),
    ].filter((text) => text !== '');
    findings.push(found('info', 'Active', `active attempts: ${parts.join(', ')}`, since, NOTHING));
  }
  if (status.replacedTasks.length > 0)
    findings.push(
      found(
        'info',
        'Replaced',
        `replaced, and still being stopped: ${some(status.replacedTasks.length, 'attempt')}`,
        null,
        NOTHING,
      ),
    );
  if (finalizers.includes(FOREGROUND_DELETION))
    findings.push(
      found(
        'info',
        'ForegroundDeletion',
        'deleted in the foreground: it disappears when its tasks have stopped',
        sinceOf(status),
        NOTHING,
      ),
    );
  for (const wait of snapshot.waits) findings.push(waiting(wait, snapshot));
  if (phase.kind === 'finished' && spec.ttlSecAfterFinished !== null) {
    const due = (phase.at + spec.ttlSecAfterFinished * 1000) as EpochMs;
    if (isOverdue(due, now))
      findings.push(
        found('error', 'Outlived', `it should have been deleted ${atTime(due)} (ttlSecondsAfterFinished)`, due, SWEEP),
      );
  }
  return findings;
}

const part = (count: number, text: string): string => (count > 0 ? `${count} ${text}` : '');

const sinceOf = ({ phase }: Status): EpochMs | null => ('since' in phase ? phase.since : null);

const SWEEP =
  'Check the log of the function sweep (alarm sweepErrors), and the dead letters of the wake queue: `muster doctor` lists them.';

/** What to do about each cause of waiting. */
const ADVICE: Readonly<Record<Wait['cause'], string>> = {
  quota: 'Raise the named quota of the account, or let other tasks end. No attempt is used up in the meantime.',
  capacity: 'Fargate has no capacity now. Muster retries; other subnets, or Spot instead of On-Demand, may help.',
  installation:
    'The operator of this installation has to fix what is named. Muster retries, and no attempt is used up in the meantime.',
  network: 'Give the tasks subnets with free addresses. Muster retries.',
  registry:
    'The registry counts pulls, or fails. Muster retries, and no attempt is used up. Docker Hub allows more with imagePullSecrets, and ECR with a pull-through cache has no such limit.',
  sources:
    'Make what is named (`kubectl create configmap`, `kubectl create secret`, a claim), or mark it as optional. Muster retries.',
  refused: "See ECS's reason. Muster retries.",
  startFailed: 'Fix what is named: image, secret, or parameter. Muster retries until pendingTimeout.',
  parallelism: 'Raise spec.parallelism if more may run at once.',
  held: 'Its user holds these indexes back: `muster release` lets them run, and `muster cancel` gives them up.',
  startAfter: `It starts by itself; the annotation ${ANNOTATIONS.startAfter} can be changed until then.`,
  upstream: `It starts by itself. Names can be removed from the annotation ${ANNOTATIONS.after} until then.`,
  upstreamIndexes: 'They start by themselves, when what they wait for has succeeded.',
  gang: `All indexes must run at once: find out what keeps the others from starting. When ${ANNOTATIONS.gangTimeout} are over, all start again.`,
  suspended: 'Set spec.suspend to false to continue.',
  managedBy: 'The controller that spec.managedBy names has to act.',
  room: 'They start by themselves, in order. `muster local --cpus` and `--memory` say how much there is.',
  launchRate: 'Raise launchesPerSec if the account may start more.',
  // These end by themselves.
  backOff: NOTHING,
  finalizers: NOTHING,
  launching: NOTHING,
  names: NOTHING,
  pulling: NOTHING,
  replacement: NOTHING,
  starting: NOTHING,
  stopping: NOTHING,
  throttled: NOTHING,
};

function waiting(wait: Wait, snapshot: JobSnapshot): Finding {
  const { now, finalizers } = snapshot;
  const found = finder(snapshot);
  const { cause, count, since } = wait;
  if (cause === 'finalizers') {
    const others = finalizers.filter((finalizer) => finalizer !== FOREGROUND_DELETION);
    const { namespace, name } = snapshot.identity;
    const command = `kubectl patch job ${name} -n ${namespace} --type merge -p '{"metadata":{"finalizers":null}}'`;
    return found(
      'info',
      'Finalizers',
      `deleted, but held by its finalizers: ${others.join(', ')}`,
      since,
      `The controllers that set them have to remove them. If none will: ${command}`,
    );
  }
  if (cause === 'stopping') {
    const ageMs = since === null ? 0 : now - since;
    const severity = ageMs > STOP_TOO_LONG_MS ? 'error' : ageMs > STOP_LONG_MS ? 'warning' : 'info';
    return found(
      severity,
      'Stopping',
      `being stopped, without STOPPED so far: ${some(count, 'attempt')}`,
      since,
      severity === 'info'
        ? NOTHING
        : 'Muster repeats the stops. Check these tasks in ECS, and the throttles of StopTask.',
    );
  }
  const severity =
    cause === 'startFailed' || cause === 'refused' || cause === 'installation' || cause === 'sources'
      ? 'warning'
      : 'info';
  return found(severity, 'Waiting', `${countText(count)}: ${waitText(wait)}`, since, ADVICE[cause]);
}

/** Alarms, claims, and inconsistent rows: what keeps the Job moving. */
function clockwork(snapshot: JobSnapshot): readonly Finding[] {
  const { status, now, torn } = snapshot;
  const found = finder(snapshot);
  const findings: Finding[] = [];
  const [alarm] = status.alarms;
  if (alarm !== undefined && isOverdue(alarm, now))
    findings.push(
      found('error', 'AlarmOverdue', `it was due to be checked by ${asTime(alarm)}, and was not`, alarm, SWEEP),
    );
  const all = tally(status.chunks);
  const isWatched = podCount(all) + status.replacedTasks.length + status.inFlight.length > 0;
  if (alarm === undefined && isWatched && !isOver(status.phase))
    findings.push(
      found('error', 'NoAlarm', 'attempts are active, but no alarm is set to check them again', status.now, WAKE),
    );
  const late = status.inFlight.filter(({ dueAt }) => isOverdue(dueAt, now));
  if (late.length > 0)
    findings.push(
      found(
        'error',
        'ClaimOverdue',
        `${some(late.length, 'claim')} due to be sent again, but not sent`,
        oldestOf(late.map(({ dueAt }) => dueAt)),
        SWEEP,
      ),
    );
  if (torn !== null)
    findings.push(
      found(
        'error',
        'Torn',
        `${torn}: a row that passes read differs from STATUS`,
        status.now,
        'Restore the table to the moment before (point-in-time recovery), or delete the Job.',
      ),
    );
  return findings;
}

const WAKE = 'Any change of the Job wakes it, such as `kubectl annotate job NAME woken=now`.';

/** What watchers have received, and which messages were lost. */
/** Nobody takes what others are to hear of it. */
function announcement(snapshot: JobSnapshot): readonly Finding[] {
  const { unannounced } = snapshot.status;
  const [oldest] = unannounced?.changes ?? [];
  if (unannounced === null || oldest === undefined || snapshot.now <= oldest.at + UNANNOUNCED_LONG_MS) return [];
  const states = unannounced.changes.map(({ state }) => state).join(', ');
  const remedy = `The next try is ${atTime(unannounced.dueAt)}. The log of reconcile, or of muster local, says why nobody took it.`;
  return [finder(snapshot)('warning', 'Unannounced', `nobody has been told of: ${states}`, oldest.at, remedy)];
}

function publication(snapshot: JobSnapshot): readonly Finding[] {
  const { status, now, published } = snapshot;
  const found = finder(snapshot);
  const findings: Finding[] = [];
  if (snapshot.pace.kind === 'failed')
    findings.push(notChecked(subjectOfJob(snapshot.identity), 'the pace of launches', snapshot.pace.reason));
  if (published.kind === 'failed')
    findings.push(notChecked(subjectOfJob(snapshot.identity), 'the change feed', published.reason));
  else {
    const known = Math.max(published.value ?? 0, status.published.version);
    const isBehind = known < status.version && !isHidden(status.phase);
    if (isBehind && now > status.now + SOON_MS)
      findings.push(
        found(
          'error',
          'FeedBehind',
          'watches have not received the last change',
          status.now,
          `The next pass publishes it. ${SWEEP}`,
        ),
      );
  }
  findings.push(...announcement(snapshot));
  for (const { reason, message, count, firstAt } of status.events)
    if (reason === DEAD_LETTERED)
      findings.push(
        found(
          'warning',
          'DeadLetters',
          count === 1 ? message : `${message} (${some(count, 'time')})`,
          firstAt,
          'Its tasks were looked up, so nothing is lost. `muster doctor` without a Job lists the dead letters.',
        ),
      );
  return findings;
}

function taskFindings(snapshot: JobSnapshot, tasks: Probe<ProbedTask>): readonly Finding[] {
  const subject = subjectOfJob(snapshot.identity);
  return tasks.kind === 'failed'
    ? [notChecked(subject, 'its tasks', tasks.reason)]
    : diagnoseTasks(subject, snapshot, tasks.value);
}

function nameFindings(snapshot: JobSnapshot, names: Probe<ProbedName>): readonly Finding[] {
  const found = finder(snapshot);
  const subject = subjectOfJob(snapshot.identity);
  if (names.kind === 'failed') return [notChecked(subject, 'its hostnames', names.reason)];
  const { reserved, astray, registered, unnamed } = names.value;
  const { phase } = snapshot.status;
  if (isOver(phase)) {
    if (reserved + registered === 0) return [];
    const since = 'at' in phase ? phase.at : null;
    const isLong = since !== null && snapshot.now > since + NAMES_LONG_MS;
    const what = `it is over, and has names: ${some(registered, 'record')}, ${some(reserved, 'name')} reserved`;
    return [found(isLong ? 'error' : 'warning', 'NamesHeld', what, since, 'The sweep removes them every minute.')];
  }
  const findings: Finding[] = [];
  if (astray.length > 0)
    findings.push(
      found(
        'warning',
        'NameAstray',
        `${indexesText(astray, snapshot.itemOf)}: the name resolves to a task that has ended, or that is not a current attempt`,
        null,
        NAMES_SWEPT,
      ),
    );
  if (unnamed.length > 0)
    findings.push(
      found(
        'warning',
        'Unnamed',
        `${indexesText(unnamed, snapshot.itemOf)}: the task runs, but its name does not resolve to it yet`,
        null,
        NAMES_SWEPT,
      ),
    );
  return findings;
}

const NAMES_SWEPT = 'No action needed: the sweep compares names with the board every minute.';
