import { type EpochMs, type JobUid, asTime, plusMs } from './brand.ts';
import { type Finding, STRANGER_TOO_LONG_MS, type Sight, notChecked, oldestOf, some, worstFirst } from './finding.ts';
import { type LaunchPace, isCut } from './waits.ts';

/** The installation as an examination finds it. Each sight is bounded: `more` says that there is more than was looked at. */
export type InstallationChart = {
  readonly now: EpochMs;
  /** Alarms that have passed so long ago that the sweep must have seen them. */
  readonly overdue: Sight<{ readonly count: number; readonly more: boolean; readonly jobs: readonly string[] }>;
  /** Jobs that users see no more, and that are not over. */
  readonly deleted: Sight<readonly { readonly job: string; readonly since: EpochMs; readonly active: number }[]>;
  readonly queues: Sight<readonly QueueSight[]>;
  readonly letters: Sight<{ readonly letters: readonly LetterSight[]; readonly more: boolean }>;
  readonly namespaces: Sight<readonly NamespaceSight[]>;
  readonly strangers: Sight<{ readonly tasks: readonly StrangerSight[]; readonly more: boolean }>;
  readonly launches: Sight<LaunchPace>;
  /** Reservations of names of Jobs that are not there, or are over. */
  readonly names: Sight<readonly NamesLeft[]>;
};

type QueueSight = {
  readonly queue: string;
  readonly waiting: number;
  readonly hidden: number;
  readonly delayed: number;
  readonly dead: number;
};
type LetterSight = {
  readonly queue: string;
  readonly reason: string;
  readonly sentAt: EpochMs;
  readonly job: JobUid | null;
};
/** A namespace that is being deleted. */
export type NamespaceSight = {
  readonly name: string;
  readonly since: EpochMs | null;
  readonly finalizers: readonly string[];
  /** What is still in it; 100 stands for 100 or more. */
  readonly jobs: number;
  readonly cronJobs: number;
};
/** A live task of a Job that is not there, or is over. */
export type StrangerSight = {
  readonly job: JobUid;
  readonly why: 'unknown' | 'over';
  readonly createdAt: EpochMs | null;
};

/** Names that nobody needs any more; `since`: they were reserved. */
export type NamesLeft = { readonly job: string; readonly count: number; readonly since: EpochMs };

const SUBJECT = 'installation';
const SWEEP = 'Look at the log of the function sweep, and whether its schedule is enabled (alarm sweepErrors).';
/** More waiting than three dispatchers and two reconcilers take in some minutes. */
const BACKLOG = 1_000;
const DELETING_LONG_MS = 10 * 60_000;
const NAMESPACE_LONG_MS = 5 * 60_000;
/** Older letters are still listed, but nobody has to hurry. */
const FRESH_LETTER_MS = 24 * 3_600_000;
const GROUPS_MAX = 20;

/** What is out of step in the installation as a whole, the worst first. Empty: nothing. */
export function diagnoseInstallation(chart: InstallationChart): readonly Finding[] {
  const { now } = chart;
  return worstFirst([
    ...seen('due alarms', chart.overdue, overdue),
    ...seen('deleted Jobs', chart.deleted, (jobs) => deletedJobs(jobs, now)),
    ...seen('queues', chart.queues, queues),
    ...seen('dead letters', chart.letters, (letters) => deadLetters(letters, now)),
    ...seen('namespaces', chart.namespaces, (all) => namespaces(all, now)),
    ...seen('live tasks', chart.strangers, (tasks) => strangers(tasks, now)),
    ...seen('the pace of launches', chart.launches, cut),
    ...seen('names', chart.names, namesLeft),
  ]);
}

function seen<T>(what: string, sight: Sight<T>, then: (value: T) => readonly Finding[]): readonly Finding[] {
  return sight.kind === 'unseen' ? [notChecked(SUBJECT, what, sight.reason)] : then(sight.value);
}

function overdue({
  count,
  more,
  jobs,
}: {
  readonly count: number;
  readonly more: boolean;
  readonly jobs: readonly string[];
}): readonly Finding[] {
  if (count === 0) return [];
  return [
    {
      severity: 'error',
      kind: 'AlarmOverdue',
      subject: SUBJECT,
      what: `due to be checked minutes ago, and were not: ${some(count, 'Job', more)} (${jobs.join(', ')}${count > jobs.length ? ', …' : ''})`,
      since: null,
      remedy: `${SWEEP} If it runs, the Jobs' passes fail: see the log of reconcile, and the dead letters.`,
    },
  ];
}

function deletedJobs(
  jobs: readonly { readonly job: string; readonly since: EpochMs; readonly active: number }[],
  now: EpochMs,
): readonly Finding[] {
  return jobs
    .filter(({ since }) => now > plusMs(since, DELETING_LONG_MS))
    .map(({ job, since, active }) => ({
      severity: 'warning',
      kind: 'DeletedJob',
      subject: job,
      what: `deleted, and not stopped yet: ${some(active, 'attempt')}`,
      since,
      remedy: 'The stops are repeated. Look at its tasks at ECS, and at the throttles of StopTask.',
    }));
}

function queues(all: readonly QueueSight[]): readonly Finding[] {
  return all.flatMap(({ queue, waiting, hidden, delayed, dead }): Finding[] => {
    const at = { kind: 'QueueBehind', subject: `queue/${queue}`, since: null } as const;
    const findings: Finding[] = [];
    if (waiting > BACKLOG)
      findings.push({
        ...at,
        severity: 'warning',
        what: `${waiting} messages wait (${hidden} are being worked on, ${delayed} are delayed)`,
        remedy: 'A large Job does this for a while. If it stays: look for throttles (concurrency) of its function.',
      });
    if (dead > 0)
      findings.push({
        ...at,
        severity: 'warning',
        what: `${some(dead, 'dead letter')} to be filed`,
        remedy: `The sweep files them within a minute or two. If they stay: ${SWEEP}`,
      });
    return findings;
  });
}

/** Letters by queue and reason: a fault that repeats is one fault. */
function deadLetters(
  { letters, more }: { readonly letters: readonly LetterSight[]; readonly more: boolean },
  now: EpochMs,
): readonly Finding[] {
  const groups = new Map<string, LetterSight[]>();
  for (const letter of letters) {
    const key = `${letter.queue} ${letter.reason}`;
    groups.set(key, [...(groups.get(key) ?? []), letter]);
  }
  return [...groups.values()].slice(0, GROUPS_MAX).flatMap((group): Finding[] => {
    const [newest] = group;
    if (newest === undefined) return [];
    const jobs = new Set(group.flatMap(({ job }) => (job === null ? [] : [job])));
    const about = jobs.size === 0 ? 'no Job' : jobs.size === 1 ? `Job ${[...jobs].join('')}` : `${jobs.size} Jobs`;
    return [
      {
        severity: now > plusMs(newest.sentAt, FRESH_LETTER_MS) ? 'info' : 'warning',
        kind: 'DeadLetters',
        subject: `queue/${newest.queue}`,
        what: `${some(group.length, 'message', more)} about ${about}, not to be processed (the last: ${asTime(newest.sentAt)}): ${newest.reason}`,
        since: oldestOf(group.map(({ sentAt }) => sentAt)),
        remedy:
          'Mend the cause. Nothing has to be sent again: the Jobs were checked. Letters are kept for 14 days; `-o json` shows them.',
      },
    ];
  });
}

function namespaces(all: readonly NamespaceSight[], now: EpochMs): readonly Finding[] {
  return all.map(({ name, since, finalizers, jobs, cronJobs }) => {
    const isLong = since !== null && now > plusMs(since, NAMESPACE_LONG_MS);
    const left = [
      jobs > 0 ? some(jobs, 'Job') : '',
      cronJobs > 0 ? some(cronJobs, 'CronJob') : '',
      finalizers.length > 0 ? `its finalizers: ${finalizers.join(', ')}` : '',
    ].filter((text) => text !== '');
    return {
      severity: isLong ? 'warning' : 'info',
      kind: 'NamespaceTerminating',
      subject: `namespace/${name}`,
      what:
        left.length === 0
          ? 'it is being deleted, and is empty'
          : `it is being deleted, and is held by ${left.join(', ')}`,
      since,
      remedy: isLong
        ? 'Jobs that stay have finalizers: `muster doctor -n` of it names them. Finalizers are removed by whoever set them.'
        : 'Nothing has to be done: the sweep goes on with it every minute.',
    };
  });
}

function strangers(
  { tasks, more }: { readonly tasks: readonly StrangerSight[]; readonly more: boolean },
  now: EpochMs,
): readonly Finding[] {
  return (['unknown', 'over'] as const).flatMap((why): Finding[] => {
    const found = tasks.filter((task) => task.why === why);
    if (found.length === 0) return [];
    const since = oldestOf(found.map(({ createdAt }) => createdAt));
    const isLong = since !== null && now > plusMs(since, STRANGER_TOO_LONG_MS);
    const uids = [...new Set(found.map(({ job }) => job))];
    return [
      {
        severity: isLong ? 'error' : 'warning',
        kind: 'StrangerTask',
        subject: SUBJECT,
        what: `${some(found.length, 'live task', more)} of Jobs that ${why === 'unknown' ? 'are not there' : 'are over'}: ${uids.slice(0, 5).join(', ')}`,
        since,
        remedy:
          'The hourly sweep has them stopped. To do it at once: aws ecs list-tasks --started-by UID, aws ecs stop-task.',
      },
    ];
  });
}

function cut({ perSec, fullPerSec }: LaunchPace): readonly Finding[] {
  if (perSec === null || fullPerSec === null || !isCut({ perSec, fullPerSec })) return [];
  return [
    {
      severity: 'warning',
      kind: 'LaunchesCut',
      subject: SUBJECT,
      what: `ECS throttles RunTask: ${perSec.toFixed(1)} of ${fullPerSec} launches a second are given out`,
      since: null,
      remedy:
        'Nothing has to be done: the rate grows back. If it happens often, set launchesPerSec lower, or raise the quota.',
    },
  ];
}

const namesLeft = (left: readonly NamesLeft[]): readonly Finding[] =>
  left.map(({ job, count, since }) => ({
    severity: 'warning',
    kind: 'NamesHeld',
    subject: job,
    what: `it is over or gone, and has ${some(count, 'name')} reserved`,
    since,
    remedy: 'The sweep removes its records and gives them back, every minute. If they stay: see its log.',
  }));
