import type { EpochMs } from '../../../domain/base/time.ts';
import { isBarePod } from '../../../domain/manifests/bare-pod.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { ItemOf } from '../../../domain/base/shown-index.ts';
import { diagnoseInstallation } from '../domain/diagnose-installation.ts';
import { diagnoseRestored } from '../domain/diagnose-restored.ts';
import { diagnoseJob } from '../domain/diagnose-job.ts';
import { type Finding, notChecked, subjectOfJob, worstFirst } from '../domain/finding.ts';
import { hasFailedLately } from '../domain/diagnose-failures.ts';
import { DEAD_LETTERED } from '../../../domain/events/dead-letter-events.ts';
import { isHidden, isOver } from '../../../domain/scoreboard/status.ts';
import type { JobManifest } from '../../../domain/manifests/manifest.ts';
import type { DiagnosedPage, Diagnosis, Doctor, DoctorsPage } from '../ports/doctor.ts';
import type { LogReader } from '../../../ports/log-reader.ts';
import { isCompletedByRerun } from './completed-rerun.ts';
import { type InstallationPorts, collectInstallation } from './collect-installation.ts';
import { type CollectDeps, type CollectedJob, collectJob, collectRestored } from './collect-job.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { readItemOf } from '../../../control/failures/read-failures.ts';
import { probe } from '../../../control/process/probe.ts';

/** Jobs per page, and how many of them are read at a time. */
const PAGE = 50;
const AT_ONCE = 10;

export type DoctorPorts = InstallationPorts & Pick<CollectDeps, 'startDelays'> & { readonly logs: LogReader };

/** Checks Jobs and the installation, without changing anything. */
export function createDoctor(ports: DoctorPorts, passDeps: Deps): Doctor {
  const deps = { ...passDeps, itemCache: passDeps.cache.items, logs: ports.logs, startDelays: ports.startDelays };
  return {
    async job(namespace, name) {
      const subject = subjectOfJob({ namespace, name });
      const uid = await probe(() => deps.jobs.findJob(namespace, name));
      if (uid.kind === 'failed') return unread(subject, uid.reason, deps);
      return uid.value === null ? null : examine(uid.value, subject, deps);
    },

    jobs: (page) => pageOf(page, checkShallowly, deps),
    restored: (page) => pageOf(page, checkRestored, deps),

    async installation() {
      const snapshot = await collectInstallation(ports, deps);
      const { dataFolder, filed } = snapshot;
      return {
        at: snapshot.now,
        findings: diagnoseInstallation(snapshot),
        deadLetters: filed,
        dataFolder: dataFolder?.kind === 'ok' ? dataFolder.value : null,
      };
    },
  };
}

/** A page of Jobs, some of them at a time. */
async function pageOf(
  { namespace, after }: DoctorsPage,
  check: (uid: JobUid, subject: string, deps: CollectDeps) => Promise<readonly Finding[]>,
  deps: CollectDeps,
): Promise<DiagnosedPage> {
  const page = await probe(() => deps.jobs.listJobs({ namespace, after, limit: PAGE }));
  if (page.kind === 'failed') {
    const subject = namespace === null ? 'installation' : `namespace/${namespace}`;
    return { ...unread(subject, page.reason, deps), checked: 0, next: null };
  }
  const { next } = page.value;
  const jobs = page.value.jobs.filter((job) => !isBarePod(job));
  const findings: Finding[] = [];
  for (let from = 0; from < jobs.length; from += AT_ONCE) {
    const some = jobs.slice(from, from + AT_ONCE);
    const found = await Promise.all(some.map(async (job) => check(job.uid, subjectOfJob(job), deps)));
    findings.push(...found.flat());
  }
  return { at: deps.clock.now(), findings: worstFirst(findings), checked: jobs.length, next };
}

async function examine(uid: JobUid, subject: string, deps: CollectDeps): Promise<Diagnosis | null> {
  const snapshot = await probe(() => collectJob(uid, 'full', deps));
  if (snapshot.kind === 'failed') return unread(subject, snapshot.reason, deps);
  if (snapshot.value === null || isHidden(snapshot.value.status.phase)) return null;
  return { at: snapshot.value.now, findings: await diagnosed(snapshot.value, deps) };
}

const diagnosed = async (job: CollectedJob, deps: CollectDeps): Promise<readonly Finding[]> =>
  withItems(job, diagnoseJob, deps);

/**
 * What there is to say about a Job, with the items of the indexes that are named. Which these are, a diagnosis without items
 * tells; they are few, however large the Job.
 */
async function withItems<J extends { readonly manifest: JobManifest }>(
  job: J,
  diagnose: (job: J & { readonly itemOf: ItemOf }) => readonly Finding[],
  deps: CollectDeps,
): Promise<readonly Finding[]> {
  const named: number[] = [];
  const plain = diagnose({
    ...job,
    itemOf(index) {
      named.push(index);
      return null;
    },
  });
  const read = await probe(() => readItemOf(job.manifest, named, deps));
  return read.kind === 'ok' ? diagnose({ ...job, itemOf: read.value }) : plain;
}

/** A Job's findings by its rows alone. Most Jobs are over and wait for nothing: only STATUS is read for them. */
export async function checkShallowly(uid: JobUid, subject: string, deps: CollectDeps): Promise<readonly Finding[]> {
  const snapshot = await probe(async () => {
    const status = await deps.jobs.readStatus(uid);
    if (status === null || isHidden(status.phase)) return null;
    const isQuiet =
      isOver(status.phase) &&
      status.alarms.length === 0 &&
      !hasFailedLately(status.phase, deps.clock.now()) &&
      status.events.every(({ reason }) => reason !== DEAD_LETTERED);
    return isQuiet ? null : collectJob(uid, 'shallow', deps);
  });
  if (snapshot.kind === 'failed') return [notChecked(subject, 'its rows', snapshot.reason)];
  return snapshot.value === null ? [] : withoutWhatIsMended(uid, await diagnosed(snapshot.value, deps), deps);
}

/** That a Job has failed is no news once a rerun has completed it. */
async function withoutWhatIsMended(
  uid: JobUid,
  findings: readonly Finding[],
  { jobs }: CollectDeps,
): Promise<readonly Finding[]> {
  if (findings.every(({ kind }) => kind !== 'JobFailed')) return findings;
  const mended = await probe(async () => {
    const spec = await jobs.readSpec(uid);
    return spec !== null && isCompletedByRerun(spec, jobs);
  });
  return mended.kind === 'ok' && mended.value ? findings.filter(({ kind }) => kind !== 'JobFailed') : findings;
}

async function checkRestored(uid: JobUid, subject: string, deps: CollectDeps): Promise<readonly Finding[]> {
  const snapshot = await probe(() => collectRestored(uid, deps));
  if (snapshot.kind === 'failed') return [notChecked(subject, 'its rows', snapshot.reason)];
  const { value } = snapshot;
  return value === null || isHidden(value.status.phase) ? [] : withItems(value, diagnoseRestored, deps);
}

const unread = (
  subject: string,
  reason: string,
  { clock }: Pick<Deps, 'clock'>,
): { at: EpochMs; findings: readonly Finding[] } => ({
  at: clock.now(),
  findings: [notChecked(subject, 'its rows', reason)],
});
