import { singularOf } from '../../../domain/kinds/api-kind.ts';
import { API_KINDS, type KindName } from '../../../domain/kinds/api-kinds.ts';
import type { Probe } from '../../../domain/base/probed.ts';
import { type EpochMs, asTime, plusMs } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import { type Finding, ORPHAN_TOO_LONG_MS, notChecked, oldestOf, some, worstFirst } from './finding.ts';
import { type LaunchPace, isCut } from '../../../domain/pending/waits.ts';

/** The installation as the check found it. Each reading is bounded: `more` means that there is more than was checked. */
export type InstallationSnapshot = {
  readonly now: EpochMs;
  /** Alarms so long overdue that the sweep must have seen them. */
  readonly overdue: Probe<{ readonly count: number; readonly more: boolean; readonly jobs: readonly string[] }>;
  /** Jobs that are invisible to users but not over. */
  readonly deleted: Probe<readonly { readonly job: string; readonly since: EpochMs; readonly active: number }[]>;
  readonly queues: Probe<readonly ProbedQueue[]>;
  readonly deadLetters: Probe<{ readonly deadLetters: readonly ProbedDeadLetter[]; readonly more: boolean }>;
  readonly namespaces: Probe<readonly ProbedNamespace[]>;
  readonly orphans: Probe<{ readonly tasks: readonly ProbedOrphan[]; readonly more: boolean }>;
  readonly launches: Probe<LaunchPace>;
  /** Objects that make no Jobs although nobody has stopped them. */
  readonly silent: Probe<readonly SilentObject[]>;
  /** Name reservations of Jobs that do not exist or are over. */
  readonly names: Probe<readonly NamesLeft[]>;
  /** What a container engine of this machine keeps that nobody needs. */
  readonly leftovers: Probe<readonly ProbedLeftover[]>;
  /** Where Jobs are kept on this machine's disk; null: they are not. What it says is no finding. */
  readonly dataFolder: Probe<unknown> | null;
};

/** Containers of one installation; `goneFolder`: that of another one, which is gone. */
export type ProbedLeftover = {
  readonly installation: string;
  readonly goneFolder: string | null;
  readonly containers: readonly string[];
};

type ProbedQueue = {
  readonly queue: string;
  readonly waiting: number;
  readonly hidden: number;
  readonly delayed: number;
  readonly dead: number;
};
type ProbedDeadLetter = {
  readonly queue: string;
  readonly reason: string;
  readonly sentAt: EpochMs;
  readonly job: JobUid | null;
};
/** A namespace that is being deleted. */
export type ProbedNamespace = {
  readonly name: string;
  readonly since: EpochMs | null;
  readonly finalizers: readonly string[];
  /** What it still contains; 100 stands for 100 or more. */
  readonly jobs: number;
  /** Of each kind whose objects make Jobs. */
  readonly owners: readonly { readonly kind: string; readonly count: number }[];
};
/** A live task of a Job that does not exist or is over. */
export type ProbedOrphan = {
  readonly job: JobUid;
  readonly why: 'unknown' | 'over';
  readonly createdAt: EpochMs | null;
};

/** An object without slots, such as a CronJob, and why it has none. */
export type SilentObject = {
  readonly kind: KindName;
  readonly namespace: string;
  readonly name: string;
  readonly reason: string;
};

/** Names that are no longer needed; `since`: the time of their reservation. */
export type NamesLeft = { readonly job: string; readonly count: number; readonly since: EpochMs };

const SUBJECT = 'installation';
const SWEEP = 'Check the log of the function sweep, and that its schedule is enabled (alarm sweepErrors).';
/** More waiting messages than three dispatchers and two reconcilers process in some minutes. */
const BACKLOG = 1_000;
const DELETING_LONG_MS = 10 * 60_000;
const NAMESPACE_LONG_MS = 5 * 60_000;
/** Older dead letters are still listed, but they are not urgent. */
const FRESH_LETTER_MS = 24 * 3_600_000;
const GROUPS_MAX = 20;

/** What is inconsistent in the installation as a whole, the worst first. Empty if healthy. */
export function diagnoseInstallation(snapshot: InstallationSnapshot): readonly Finding[] {
  const { now } = snapshot;
  return worstFirst([
    ...seen('due alarms', snapshot.overdue, overdueFindings),
    ...seen('deleted Jobs', snapshot.deleted, (jobs) => deletedJobs(jobs, now)),
    ...seen('queues', snapshot.queues, queues),
    ...seen('dead letters', snapshot.deadLetters, (deadLetters) => deadLetterFindings(deadLetters, now)),
    ...seen('namespaces', snapshot.namespaces, (all) => namespaces(all, now)),
    ...seen('live tasks', snapshot.orphans, (tasks) => orphans(tasks, now)),
    ...seen('the pace of launches', snapshot.launches, cut),
    ...seen('names', snapshot.names, namesLeft),
    ...seen('CronJobs', snapshot.silent, neverFires),
    ...seen('the container engine', snapshot.leftovers, leftInEngine),
    ...(snapshot.dataFolder === null ? [] : seen('the data folder', snapshot.dataFolder, () => [])),
  ]);
}

function seen<T>(what: string, probe: Probe<T>, then: (value: T) => readonly Finding[]): readonly Finding[] {
  return probe.kind === 'failed' ? [notChecked(SUBJECT, what, probe.reason)] : then(probe.value);
}

/** That Jobs were not checked when they were due. */
export function overdueFindings({
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
      remedy: 'Muster repeats the stops. Check its tasks in ECS, and the throttles of StopTask.',
    }));
}

const neverFires = (all: readonly SilentObject[]): readonly Finding[] =>
  all.slice(0, GROUPS_MAX).map(({ kind, namespace, name, reason }) => ({
    severity: 'warning',
    kind: 'NeverFires',
    subject: `${singularOf(API_KINDS[kind])}/${namespace}/${name}`,
    what: `it creates no Jobs: ${reason}`,
    since: null,
    remedy: `Write another schedule or timeZone (kubectl edit ${singularOf(API_KINDS[kind])} ${name} -n ${namespace}), or suspend it.`,
  }));

const leftInEngine = (all: readonly ProbedLeftover[]): readonly Finding[] =>
  all.map(({ installation, goneFolder, containers }) => {
    const shown = containers.slice(0, LEFTOVERS_NAMED_MAX).join(', ');
    const names = containers.length > LEFTOVERS_NAMED_MAX ? `${shown}, …` : shown;
    const label = `label=muster.run/installation=${installation}`;
    return {
      severity: 'warning',
      kind: 'EngineLeftovers',
      subject: 'container engine',
      what:
        goneFolder === null
          ? `${some(containers.length, 'container')} that no task needs: ${names}`
          : `${some(containers.length, 'container')} of a Muster whose data folder ${goneFolder} is gone: ${names}`,
      since: null,
      remedy:
        goneFolder === null
          ? `They go when this Muster stops or starts; at once: docker rm --force ${containers[0] ?? ''}${containers.length > 1 ? ' …' : ''}`
          : `docker ps -aq --filter ${label} | xargs -r docker rm -fv; docker volume ls -q --filter ${label} | xargs -r docker volume rm; docker network rm muster-${installation}`,
      details: { installation, goneFolder, containers },
    };
  });

const LEFTOVERS_NAMED_MAX = 3;

function queues(all: readonly ProbedQueue[]): readonly Finding[] {
  return all.flatMap(({ queue, waiting, hidden, delayed, dead }): Finding[] => {
    const at = { kind: 'QueueBehind', subject: `queue/${queue}`, since: null } as const;
    const findings: Finding[] = [];
    if (waiting > BACKLOG)
      findings.push({
        ...at,
        severity: 'warning',
        what: `${waiting} messages wait (${hidden} are being processed, ${delayed} are delayed)`,
        remedy:
          'A large Job causes this for a while. If it persists, check for throttles (concurrency) of its function.',
      });
    if (dead > 0)
      findings.push({
        ...at,
        severity: 'warning',
        what: `${some(dead, 'dead letter')} to be filed`,
        remedy: `The sweep files them within a minute or two. If they remain: ${SWEEP}`,
      });
    return findings;
  });
}

/** Dead letters by queue and reason: a repeated error is one finding. */
function deadLetterFindings(
  { deadLetters, more }: { readonly deadLetters: readonly ProbedDeadLetter[]; readonly more: boolean },
  now: EpochMs,
): readonly Finding[] {
  const groups = new Map<string, ProbedDeadLetter[]>();
  for (const deadLetter of deadLetters) {
    const key = `${deadLetter.queue} ${deadLetter.reason}`;
    groups.set(key, [...(groups.get(key) ?? []), deadLetter]);
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
        what: `${some(group.length, 'message', more)} about ${about}, moved to the dead-letter queue (the last: ${asTime(newest.sentAt)}): ${newest.reason}`,
        since: oldestOf(group.map(({ sentAt }) => sentAt)),
        remedy: `Fix the cause. ${
          newest.queue === 'submit'
            ? 'Then send again what was refused: no Job was made of it.'
            : 'Nothing has to be sent again: the Jobs were checked.'
        } Dead letters are kept for 14 days; \`-o json\` shows them.`,
      },
    ];
  });
}

function namespaces(all: readonly ProbedNamespace[], now: EpochMs): readonly Finding[] {
  return all.map(({ name, since, finalizers, jobs, owners }) => {
    const isLong = since !== null && now > plusMs(since, NAMESPACE_LONG_MS);
    const left = [
      jobs > 0 ? some(jobs, 'Job') : '',
      ...owners.map(({ kind, count }) => (count > 0 ? some(count, kind) : '')),
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
        ? 'Jobs that stay have finalizers: `muster doctor -n` lists them. The controllers that set finalizers have to remove them.'
        : 'No action needed: the sweep continues every minute.',
    };
  });
}

function orphans(
  { tasks, more }: { readonly tasks: readonly ProbedOrphan[]; readonly more: boolean },
  now: EpochMs,
): readonly Finding[] {
  return (['unknown', 'over'] as const).flatMap((why): Finding[] => {
    const found = tasks.filter((task) => task.why === why);
    if (found.length === 0) return [];
    const since = oldestOf(found.map(({ createdAt }) => createdAt));
    const isLong = since !== null && now > plusMs(since, ORPHAN_TOO_LONG_MS);
    const uids = [...new Set(found.map(({ job }) => job))];
    return [
      {
        severity: isLong ? 'error' : 'warning',
        kind: 'StrangerTask',
        subject: SUBJECT,
        what: `${some(found.length, 'live task', more)} of Jobs that ${why === 'unknown' ? 'do not exist' : 'are over'}: ${uids.slice(0, 5).join(', ')}`,
        since,
        remedy:
          'The hourly sweep stops them. To do it at once: aws ecs list-tasks --started-by UID, aws ecs stop-task.',
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
      what: `ECS throttles RunTask: ${perSec.toFixed(1)} of ${fullPerSec} launches per second are granted`,
      since: null,
      remedy: 'No action needed: the rate recovers. If it happens often, set launchesPerSec lower, or raise the quota.',
    },
  ];
}

const namesLeft = (left: readonly NamesLeft[]): readonly Finding[] =>
  left.map(({ job, count, since }) => ({
    severity: 'warning',
    kind: 'NamesHeld',
    subject: job,
    what: `it is over or does not exist, and has ${some(count, 'name')} reserved`,
    since,
    remedy: 'The sweep removes its records and releases them every minute. If they remain, check its log.',
  }));
