import type { EpochMs, JobUid } from '../domain/brand.ts';
import { diagnoseInstallation } from '../domain/diagnose-installation.ts';
import { diagnoseJob } from '../domain/diagnose-job.ts';
import { type Finding, notChecked, subjectOfJob, worstFirst } from '../domain/finding.ts';
import { hasFailedLately } from '../domain/diagnose-failures.ts';
import { DEAD_LETTERED } from '../domain/set-aside.ts';
import { isHidden, isOver } from '../domain/status.ts';
import type { Diagnosis, Doctor } from '../ports/doctor.ts';
import type { LogReader } from '../ports/log-reader.ts';
import { type InstallationPorts, chartInstallation } from './chart-installation.ts';
import { type ChartDeps, chartFailuresOf, chartJob } from './chart-job.ts';
import type { Deps } from './deps.ts';
import { look } from './look.ts';

/** Jobs of one page, and how many of them are read at a time. */
const PAGE = 50;
const AT_ONCE = 10;

export type DoctorPorts = InstallationPorts & { readonly logs: LogReader };

/** Looks at what there is, and changes none of it. */
export function createDoctor(ports: DoctorPorts, passDeps: Deps): Doctor {
  const deps = { ...passDeps, logs: ports.logs };
  return {
    async job(namespace, name) {
      const subject = subjectOfJob({ namespace, name });
      const uid = await look(() => deps.jobs.findJob(namespace, name));
      if (uid.kind === 'unseen') return unread(subject, uid.reason, deps);
      return uid.value === null ? null : examine(uid.value, subject, deps);
    },

    async failures(namespace, name) {
      const uid = await deps.jobs.findJob(namespace, name);
      const found = uid === null ? null : await chartFailuresOf(uid, deps);
      return found === null || isHidden(found.status.phase) ? null : found;
    },

    async jobs({ namespace, after }) {
      const page = await look(() => deps.jobs.listJobs({ namespace, after, limit: PAGE }));
      if (page.kind === 'unseen') {
        const subject = namespace === null ? 'installation' : `namespace/${namespace}`;
        return { ...unread(subject, page.reason, deps), looked: 0, next: null };
      }
      const { jobs, next } = page.value;
      const findings: Finding[] = [];
      for (let from = 0; from < jobs.length; from += AT_ONCE) {
        const some = jobs.slice(from, from + AT_ONCE);
        const found = await Promise.all(some.map(async (job) => glance(job.uid, subjectOfJob(job), deps)));
        findings.push(...found.flat());
      }
      return { at: deps.clock.now(), findings: worstFirst(findings), looked: jobs.length, next };
    },

    async installation() {
      const chart = await chartInstallation(ports, deps);
      return { at: chart.now, findings: diagnoseInstallation(chart), letters: chart.filed };
    },
  };
}

async function examine(uid: JobUid, subject: string, deps: ChartDeps): Promise<Diagnosis | null> {
  const chart = await look(() => chartJob(uid, 'full', deps));
  if (chart.kind === 'unseen') return unread(subject, chart.reason, deps);
  if (chart.value === null || isHidden(chart.value.status.phase)) return null;
  return { at: chart.value.now, findings: diagnoseJob(chart.value) };
}

/** Most Jobs are over, with nothing that waits: of those STATUS is all that is read. */
async function glance(uid: JobUid, subject: string, deps: ChartDeps): Promise<readonly Finding[]> {
  const chart = await look(async () => {
    const status = await deps.jobs.readStatus(uid);
    if (status === null || isHidden(status.phase)) return null;
    const isQuiet =
      isOver(status.phase) &&
      status.alarms.length === 0 &&
      !hasFailedLately(status.phase, deps.clock.now()) &&
      status.events.every(({ reason }) => reason !== DEAD_LETTERED);
    return isQuiet ? null : chartJob(uid, 'glance', deps);
  });
  if (chart.kind === 'unseen') return [notChecked(subject, 'its rows', chart.reason)];
  return chart.value === null ? [] : diagnoseJob(chart.value);
}

const unread = (
  subject: string,
  reason: string,
  { clock }: Pick<Deps, 'clock'>,
): { at: EpochMs; findings: readonly Finding[] } => ({
  at: clock.now(),
  findings: [notChecked(subject, 'its rows', reason)],
});
