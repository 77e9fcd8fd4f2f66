import type { EngineLeftover } from '../../../ports/gathered/engine-leftovers.ts';
import type { DataFolderSize } from '../../../ports/gathered/folder-size.ts';
import { SILENCE_ROWS } from '../../lists/schedulers.ts';
import { OWNERS } from '../../../domain/kinds/api-kinds.ts';
import type { Probe } from '../../../domain/base/probed.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../../domain/base/time.ts';
import { isBarePod } from '../../../domain/manifests/bare-pod.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type {
  InstallationSnapshot,
  NamesLeft,
  ProbedNamespace,
  ProbedOrphan,
  SilentObject,
} from '../domain/diagnose-installation.ts';
import { NAMES_LONG_MS, OVERDUE_MS, SOON_MS, subjectOfJob } from '../domain/finding.ts';
import { type KeptJob, type KeptJobs, keptJobs } from '../domain/kept-jobs.ts';
import { isTerminating } from '../../../domain/manifests/namespace.ts';
import { isHidden, isOver, podCount, tally } from '../../../domain/scoreboard/status.ts';
import type { StoredDeadLetter, DeadLetterStore, QueueDepth } from '../../../ports/dead-letters.ts';
import type { DataFolderView } from '../ports/doctor.ts';
import type { StoredDocument } from '../../../ports/object-store.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { readLaunchPace } from '../../../control/process/launch-pace.ts';
import { probe } from '../../../control/process/probe.ts';

/** How many of each kind are checked; beyond that, the finding says that there are more. */
const ALARMS_MAX = 500;
const JOBS_NAMED_MAX = 5;
const OPEN_JOBS_MAX = 100;
const LETTERS_MAX = 200;
const NAMESPACES_MAX = 500;
const LEFT_MAX = 100;
const SILENT_MAX = 500;
const LIST_PAGES_MAX = 5;
const DESCRIBE_MAX = 100;
const JOBS_PER_PAGE = 100;
const KEPT_MAX = 10_000;

export type InstallationPorts = {
  readonly deadLetters: Pick<DeadLetterStore, 'newest'>;
  readonly queueDepths: () => Promise<readonly QueueDepth[]>;
  /** Where Jobs are kept on this machine's disk; omitted: they are not. */
  readonly dataFolder?: (() => Promise<DataFolderSize>) | undefined;
  /** What a container engine keeps that nobody needs; omitted: no tasks run in one. */
  readonly engineLeftovers?: (() => Promise<readonly EngineLeftover[]>) | undefined;
};

type InstallationReading = InstallationSnapshot & {
  readonly filed: readonly StoredDeadLetter[];
  /** null: there is none. */
  readonly dataFolder: Probe<DataFolderView> | null;
};

/** Everything that the check of the installation is based on. If one reading fails, the others are still made. */
export async function collectInstallation(
  { deadLetters, queueDepths, dataFolder: sizeOf, engineLeftovers = async () => [] }: InstallationPorts,
  deps: Deps,
): Promise<InstallationReading> {
  const [overdue, deleted, queues, filed, namespaces, orphans, launches, names, silent, leftovers, dataFolder] =
    await Promise.all([
      probe(() => overdueJobs(deps)),
      probe(() => deletedJobs(deps)),
      probe(queueDepths),
      probe(() => deadLetters.newest(LETTERS_MAX)),
      probe(() => terminatingNamespaces(deps)),
      probe(() => strangeTasks(deps)),
      probe(() => readLaunchPace(deps)),
      probe(() => namesLeft(deps)),
      probe(() => silentObjects(deps)),
      probe(engineLeftovers),
      sizeOf === undefined ? null : probe(async () => ({ ...(await sizeOf()), kept: await jobsKept(deps) })),
    ]);
  return {
    now: deps.clock.now(),
    overdue,
    deleted,
    queues,
    deadLetters: filed,
    namespaces,
    orphans,
    launches,
    names,
    silent,
    leftovers,
    dataFolder,
    filed: filed.kind === 'ok' ? filed.value.deadLetters : [],
  };
}

/** Jobs whose alarm is overdue; the first few by name. */
export async function overdueJobs({ jobs, clock }: Pick<Deps, 'jobs' | 'clock'>) {
  const { uids, next } = await jobs.dueJobs({ now: plusMs(clock.now(), -OVERDUE_MS), after: null, limit: ALARMS_MAX });
  // The index of alarms may be seconds behind, so STATUS decides.
  const named = await Promise.all(uids.slice(0, JOBS_NAMED_MAX).map(async (uid) => nameOf(uid, jobs)));
  return { count: uids.length, more: next !== null, jobs: named };
}

async function nameOf(uid: JobUid, jobs: Deps['jobs']): Promise<string> {
  const spec = await jobs.readSpec(uid);
  return spec === null ? `uid ${uid}` : subjectOfJob(spec.identity);
}

/** Every Job that waits for something has an alarm; a deleted Job has one while its tasks stop. */
async function deletedJobs({ jobs }: Deps) {
  const { uids } = await jobs.dueJobs({ now: null, after: null, limit: OPEN_JOBS_MAX });
  const found = await inTens(uids, async (uid) => {
    const status = await jobs.readStatus(uid);
    if (status === null || !isHidden(status.phase) || !('since' in status.phase) || isOver(status.phase)) return [];
    const active = podCount(tally(status.chunks)) + status.replacedTasks.length;
    return [{ job: await nameOf(uid, jobs), since: status.phase.since, active }];
  });
  return found.flat();
}

/** They make Jobs by themselves. */
const BY_SLOTS = OWNERS.filter(({ ownsJobs }) => ownsJobs === 'slots');

async function terminatingNamespaces({ objects, jobs }: Deps): Promise<readonly ProbedNamespace[]> {
  const page = await objects.list('Namespace', { namespace: null, after: null, limit: NAMESPACES_MAX });
  const terminating = page.objects.filter(({ document }) => isTerminating(document));
  return Promise.all(
    terminating.map(async ({ key: { name: namespace }, document }) => {
      const left = { namespace, after: null, limit: LEFT_MAX };
      const [inJobs, inOwners] = await Promise.all([
        jobs.listJobs(left),
        Promise.all(BY_SLOTS.map(async ({ name, kind }) => ({ kind, listed: await objects.list(name, left) }))),
      ]);
      return {
        name: namespace,
        since: deletedAt(document),
        finalizers: finalizersOf(document),
        jobs: inJobs.jobs.length,
        owners: inOwners.map(({ kind, listed }) => ({ kind, count: listed.objects.length })),
      };
    }),
  );
}

async function silentObjects({ objects, clock }: Deps): Promise<readonly SilentObject[]> {
  const found: SilentObject[] = [];
  for (const { kind, whySilent } of SILENCE_ROWS) {
    const page = await objects.list(kind, { namespace: null, after: null, limit: SILENT_MAX });
    for (const { key, document } of page.objects) {
      const reason = whySilent(document, clock.now());
      if (reason !== null) found.push({ kind, ...key, reason });
    }
  }
  return found;
}

function deletedAt({ metadata }: StoredDocument): EpochMs | null {
  const text = metadata['deletionTimestamp'];
  return typeof text === 'string' ? asEpochMs(Date.parse(text)) : null;
}

function finalizersOf({ metadata: { finalizers } }: StoredDocument): readonly string[] {
  return Array.isArray(finalizers) ? finalizers.map(String) : [];
}

/** Live tasks whose Job does not exist or is over: the first few hundred are checked. */
async function strangeTasks({ tasks, jobs, clock }: Deps) {
  const found: ProbedOrphan[] = [];
  const verdicts = new Map<JobUid, ProbedOrphan['why'] | null>();
  let after: string | null = null;
  for (let nth = 0; nth < LIST_PAGES_MAX; nth++) {
    const page: Awaited<ReturnType<Deps['tasks']['listLive']>> = await tasks.listLive({ job: null, after });
    if (page.kind === 'later') throw new Error(page.reason);
    for (let from = 0; from < page.taskArns.length; from += DESCRIBE_MAX) {
      const seen = await tasks.describe(page.taskArns.slice(from, from + DESCRIBE_MAX));
      if (seen.kind === 'later') throw new Error(seen.reason);
      for (const { job, stage, times } of seen.tasks) {
        const isYoung = times.createdAt !== null && clock.now() < plusMs(times.createdAt, SOON_MS);
        if (isYoung || stage === 'stopped' || stage === 'stopping') continue;
        const known = verdicts.get(job);
        const why = known === undefined ? await verdictOn(job, jobs) : known;
        verdicts.set(job, why);
        if (why !== null) found.push({ job, why, createdAt: times.createdAt });
      }
    }
    after = page.next;
    if (after === null) break;
  }
  return { tasks: found, more: after !== null };
}

async function verdictOn(uid: JobUid, jobs: Deps['jobs']): Promise<ProbedOrphan['why'] | null> {
  const status = await jobs.readStatus(uid);
  return status === null ? 'unknown' : isOver(status.phase) ? 'over' : null;
}

/** Reservations that are no longer needed: of Jobs that ended some time ago, or were never stored. */
async function namesLeft({ hosts, jobs, clock }: Deps): Promise<readonly NamesLeft[]> {
  const reservations = await hosts.reservations();
  const left = await inTens(reservations.slice(0, OPEN_JOBS_MAX), async ({ uid, count, at }) => {
    const status = await jobs.readStatus(uid);
    const endedAt = status === null ? at : 'at' in status.phase ? status.phase.at : null;
    if (endedAt === null || clock.now() < plusMs(endedAt, NAMES_LONG_MS)) return [];
    return [{ job: await nameOf(uid, jobs), count, since: at }];
  });
  return left.flat();
}

/** The Jobs that users see, the first few thousand: where there is a data folder, to read them costs no money. */
async function jobsKept({ jobs, clock }: Deps): Promise<KeptJobs> {
  const kept: KeptJob[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Deps['jobs']['listJobs']>> = await jobs.listJobs({
      namespace: null,
      after,
      limit: JOBS_PER_PAGE,
    });
    for (const { uid, namespace, name } of page.jobs.filter((job) => !isBarePod(job))) {
      const [spec, status] = [await jobs.readSpec(uid), await jobs.readStatus(uid)];
      if (spec === null || status === null) continue;
      const endedAt = status.phase.kind === 'finished' ? status.phase.at : null;
      kept.push({ namespace, name, createdAt: spec.identity.createdAt, endedAt });
    }
    after = page.next;
    if (after !== null) await clock.sleep(0); // others want their turn
  } while (after !== null && kept.length < KEPT_MAX);
  return keptJobs(kept, after !== null, clock.now());
}

/** Ten at a time, so that the check itself does not throttle the table. */
async function inTens<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const done: R[] = [];
  for (let from = 0; from < items.length; from += 10)
    done.push(...(await Promise.all(items.slice(from, from + 10).map(async (item) => work(item)))));
  return done;
}
