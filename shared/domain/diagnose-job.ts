import { type EpochMs, asTime } from './brand.ts';
import { diagnoseFailures } from './diagnose-failures.ts';
import { diagnoseTasks, type TaskSight } from './diagnose-tasks.ts';
import type { Draft } from './draft.ts';
import type { FailureChart } from './failures.ts';
import {
  type Finding,
  type FindingKind,
  NAMES_LONG_MS,
  OVERDUE_MS,
  SOON_MS,
  type Sight,
  atTime,
  indexesText,
  notChecked,
  oldestOf,
  some,
  subjectOfJob,
  worstFirst,
} from './finding.ts';
import { FOREGROUND_DELETION, type JobIdentity, type JobSpec } from './job.ts';
import { DEAD_LETTERED } from './set-aside.ts';
import { type Status, isHidden, isOver, podCount, tally } from './status.ts';
import { countText, waitText } from './wait-words.ts';
import type { LaunchPace, Wait } from './waits.ts';

/** A Job as an examination finds it: what was read of it, and what was asked of others about it. */
export type JobChart = {
  readonly now: EpochMs;
  readonly identity: JobIdentity;
  readonly spec: JobSpec;
  readonly finalizers: readonly string[];
  readonly status: Status;
  /** With the chunks at hand. */
  readonly board: Draft;
  readonly waits: readonly Wait[];
  /** Two rows that belong together and do not fit, found twice in a row; null: all fit. */
  readonly torn: string | null;
  /** STATUS's version that the feed has told of; null: nothing yet. */
  readonly told: Sight<number | null>;
  readonly pace: Sight<LaunchPace>;
  /** null: nobody has asked. */
  readonly tasks: Sight<TaskSight> | null;
  /** What of its names is registered beside, or in spite of, what runs; null: nobody has asked, or it has none. */
  readonly names: Sight<NameSight> | null;
  /** What has failed and why; null: nobody has asked. */
  readonly failures: Sight<FailureChart> | null;
};

export type NameSight = {
  /** Names that are reserved. */
  readonly reserved: number;
  /** Records that there are, or may be. */
  readonly registered: number;
  /** Indexes with a record of a task that is no current attempt's. */
  readonly astray: readonly number[];
  /** Indexes whose attempt runs and has no record yet. */
  readonly unnamed: readonly number[];
};

/** ECS gives a container 120 s at most; stops are repeated all the while. */
const STOP_LONG_MS = 5 * 60_000;
const STOP_TOO_LONG_MS = 30 * 60_000;

/** What holds the Job open, and what of it is out of step; the worst first. Empty: neither. */
export function diagnoseJob(chart: JobChart): readonly Finding[] {
  return worstFirst([
    ...diagnoseFailures(chart),
    ...holding(chart),
    ...clockwork(chart),
    ...telling(chart),
    ...(chart.tasks === null ? [] : taskFindings(chart, chart.tasks)),
    ...(chart.names === null ? [] : nameFindings(chart, chart.names)),
  ]);
}

/** An alarm that has passed and nobody has answered, at this moment. */
const isOverdue = (at: EpochMs, now: EpochMs): boolean => now > at + OVERDUE_MS;

function finder({ identity }: JobChart) {
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

function holding(chart: JobChart): readonly Finding[] {
  const { status, spec, now, finalizers } = chart;
  const { phase } = status;
  const found = finder(chart);
  const findings: Finding[] = [];
  const all = tally(status.chunks);

  if (all.starting + all.running > 0) {
    const tasks = chart.tasks?.kind === 'seen' ? chart.tasks.value : null;
    const since = oldestOf((tasks?.attempts ?? []).map(({ slot }) => (slot?.state === 'launched' ? slot.since : null)));
    const claims = status.inFlight.length;
    const parts = [
      part(all.running, 'running'),
      part(Math.max(0, all.starting - claims), 'launched'),
      part(claims, 'claimed and not answered'),
    ].filter((text) => text !== '');
    findings.push(found('info', 'Active', `active attempts: ${parts.join(', ')}`, since, NOTHING));
  }
  if (status.lingering.length > 0)
    findings.push(
      found(
        'info',
        'Replaced',
        `replaced, and still being stopped: ${some(status.lingering.length, 'attempt')}`,
        null,
        NOTHING,
      ),
    );
  if (finalizers.includes(FOREGROUND_DELETION))
    findings.push(
      found(
        'info',
        'ForegroundDeletion',
        'deleted in the foreground: it goes when its tasks have stopped',
        sinceOf(status),
        NOTHING,
      ),
    );
  for (const wait of chart.waits) findings.push(waiting(wait, chart));
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
  'Look at the log of the function sweep (alarm sweepErrors), and at the dead letters of the wake queue: `muster doctor` lists them.';

const ADVICE: Partial<Readonly<Record<Wait['cause'], string>>> = {
  quota: "Raise the account's quota that is named, or let other tasks end. No attempt is spent meanwhile.",
  capacity: 'Fargate has no room now. It is tried again; other subnets or Spot instead of On-Demand may help.',
  installation:
    'The operator of this Muster has to fix what is named. The launch is tried again, and no attempt is spent meanwhile.',
  network: 'Give the tasks subnets with free addresses. It is tried again.',
  refused: 'Read what ECS says. It is tried again.',
  startFailed: 'Mend what is named: image, secret or log group. It is tried again until pendingTimeout.',
  parallelism: 'Raise spec.parallelism if more may run at once.',
  suspended: 'Set spec.suspend to false to go on.',
  managedBy: 'The controller that spec.managedBy names has to act.',
  launchRate: 'Raise launchesPerSec if the account may start more.',
};

function waiting(wait: Wait, chart: JobChart): Finding {
  const { now, finalizers } = chart;
  const found = finder(chart);
  const { cause, count, since } = wait;
  if (cause === 'finalizers') {
    const others = finalizers.filter((finalizer) => finalizer !== FOREGROUND_DELETION);
    const { namespace, name } = chart.identity;
    const command = `kubectl patch job ${name} -n ${namespace} --type merge -p '{"metadata":{"finalizers":null}}'`;
    return found(
      'info',
      'Finalizers',
      `deleted, but held by its finalizers: ${others.join(', ')}`,
      since,
      `Whoever set them has to remove them. If nobody will: ${command}`,
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
        : 'The stops are repeated. Look at these tasks at ECS, and at the throttles of StopTask.',
    );
  }
  const severity = cause === 'startFailed' || cause === 'refused' || cause === 'installation' ? 'warning' : 'info';
  return found(severity, 'Waiting', `${countText(count)}: ${waitText(wait)}`, since, ADVICE[cause] ?? NOTHING);
}

/** Alarms, claims, and rows that do not fit: what keeps the Job going. */
function clockwork(chart: JobChart): readonly Finding[] {
  const { status, now, torn } = chart;
  const found = finder(chart);
  const findings: Finding[] = [];
  const [alarm] = status.alarms;
  if (alarm !== undefined && isOverdue(alarm, now))
    findings.push(
      found('error', 'AlarmOverdue', `it was due to be checked by ${asTime(alarm)}, and was not`, alarm, SWEEP),
    );
  const all = tally(status.chunks);
  const isWatched = podCount(all) + status.lingering.length + status.inFlight.length > 0;
  if (alarm === undefined && isWatched && !isOver(status.phase))
    findings.push(
      found(
        'error',
        'NoAlarm',
        'attempts are active, but nothing is set that will look at them again',
        status.now,
        WAKE,
      ),
    );
  const late = status.inFlight.filter(({ dueAt }) => isOverdue(dueAt, now));
  if (late.length > 0)
    findings.push(
      found(
        'error',
        'ClaimOverdue',
        `${some(late.length, 'claim')} to be sent again, and not sent`,
        oldestOf(late.map(({ dueAt }) => dueAt)),
        SWEEP,
      ),
    );
  if (torn !== null)
    findings.push(
      found(
        'error',
        'Torn',
        `${torn}: a row that passes read is not as STATUS says`,
        status.now,
        'Restore the table to the moment before (point-in-time recovery), or delete the Job.',
      ),
    );
  return findings;
}

const WAKE = 'Any change of the Job wakes it, such as `kubectl annotate job NAME woken=now`.';

/** What watchers know, and what messages were lost. */
function telling(chart: JobChart): readonly Finding[] {
  const { status, now, told } = chart;
  const found = finder(chart);
  const findings: Finding[] = [];
  if (chart.pace.kind === 'unseen')
    findings.push(notChecked(subjectOfJob(chart.identity), 'the pace of launches', chart.pace.reason));
  if (told.kind === 'unseen') findings.push(notChecked(subjectOfJob(chart.identity), 'the change feed', told.reason));
  else {
    const known = Math.max(told.value ?? 0, status.published.version);
    const isBehind = known < status.version && !isHidden(status.phase);
    if (isBehind && now > status.now + SOON_MS)
      findings.push(
        found(
          'error',
          'FeedBehind',
          'watchers have not been told of the last change',
          status.now,
          `The next pass tells them. ${SWEEP}`,
        ),
      );
  }
  for (const { reason, message, count, firstAt } of status.events)
    if (reason === DEAD_LETTERED)
      findings.push(
        found(
          'warning',
          'DeadLetters',
          count === 1 ? message : `${message} (${some(count, 'time')})`,
          firstAt,
          'Its tasks were looked up, so nothing is lost. `muster doctor` without a Job lists the letters.',
        ),
      );
  return findings;
}

function taskFindings(chart: JobChart, tasks: Sight<TaskSight>): readonly Finding[] {
  const subject = subjectOfJob(chart.identity);
  return tasks.kind === 'unseen'
    ? [notChecked(subject, 'its tasks', tasks.reason)]
    : diagnoseTasks(subject, chart, tasks.value);
}

function nameFindings(chart: JobChart, names: Sight<NameSight>): readonly Finding[] {
  const found = finder(chart);
  const subject = subjectOfJob(chart.identity);
  if (names.kind === 'unseen') return [notChecked(subject, 'its hostnames', names.reason)];
  const { reserved, astray, registered, unnamed } = names.value;
  const { phase } = chart.status;
  if (isOver(phase)) {
    if (reserved + registered === 0) return [];
    const since = 'at' in phase ? phase.at : null;
    const isLong = since !== null && chart.now > since + NAMES_LONG_MS;
    const what = `it is over, and has names: ${some(registered, 'record')}, ${some(reserved, 'name')} reserved`;
    return [found(isLong ? 'error' : 'warning', 'NamesHeld', what, since, 'The sweep removes them every minute.')];
  }
  const findings: Finding[] = [];
  if (astray.length > 0)
    findings.push(
      found(
        'warning',
        'NameAstray',
        `${indexesText(astray)}: the name leads to a task that has ended, or is no current attempt's`,
        null,
        NAMES_SWEPT,
      ),
    );
  if (unnamed.length > 0)
    findings.push(
      found(
        'warning',
        'Unnamed',
        `${indexesText(unnamed)}: the task runs, and its name does not lead to it yet`,
        null,
        NAMES_SWEPT,
      ),
    );
  return findings;
}

const NAMES_SWEPT = 'Nothing has to be done: names are compared with the board every minute.';
