import type { JobUid } from '../../../domain/base/ids.ts';
import { overdueFindings } from '../domain/diagnose-installation.ts';
import { type Finding, notChecked } from '../domain/finding.ts';
import type { LogReader } from '../../../ports/log-reader.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { overdueJobs } from './collect-installation.ts';
import { checkShallowly } from './create-doctor.ts';
import { probe } from '../../../control/process/probe.ts';

/** Jobs that one check reads, some ten read units each, and how many of them at a time. */
const JOBS_MAX = 40;
const AT_ONCE = 10;
/** Errors that are written to the log. */
const LOGGED_MAX = 20;

export type ScheduledCheck = (deps: Deps, logs: LogReader) => Promise<number>;

/**
 * What the doctor would call an error, counted every few minutes, so that nobody has to ask: Jobs whose alarm is overdue, however
 * many there are, and the rows of some Jobs with an alarm, which are all that run or will start by themselves. Each check goes on
 * where the one before ended, and looks again at Jobs that were in error. A new process begins at the front. ECS is not asked.
 */
export function createScheduledCheck(): ScheduledCheck {
  let after: string | null = null;
  let inError: readonly JobUid[] = [];
  return async (deps, logs) => {
    const [overdue, page] = await Promise.all([
      probe(() => overdueJobs(deps)),
      probe(() => deps.jobs.dueJobs({ now: null, after, limit: JOBS_MAX - inError.length })),
    ]);
    const findings: Finding[] = [];
    if (overdue.kind === 'ok') findings.push(...overdueFindings(overdue.value));
    else findings.push(notChecked('installation', 'due alarms', overdue.reason));
    if (page.kind === 'failed') findings.push(notChecked('installation', 'open Jobs', page.reason));
    const uids = [...new Set([...inError, ...(page.kind === 'ok' ? page.value.uids : [])])];
    const checked = await checkAll(uids, deps, logs);
    findings.push(...checked.flatMap((job) => job.findings));
    after = page.kind === 'ok' ? page.value.next : after;
    // Half at most, so that the others have their turn.
    inError = checked
      .filter((job) => job.findings.some(isError))
      .slice(0, JOBS_MAX / 2)
      .map((job) => job.uid);
    const errors = findings.filter(isError);
    for (const { kind, subject, what } of errors.slice(0, LOGGED_MAX))
      deps.telemetry.info('the doctor calls this an error', { kind, subject, what });
    if (errors.length > 0) deps.telemetry.count('FindingsError', errors.length);
    return errors.length;
  };
}

const isError = ({ severity }: Finding): boolean => severity === 'error';

async function checkAll(uids: readonly JobUid[], deps: Deps, logs: LogReader) {
  const collecting = { ...deps, itemCache: deps.cache.items, logs };
  const checked: { readonly uid: JobUid; readonly findings: readonly Finding[] }[] = [];
  for (let from = 0; from < uids.length; from += AT_ONCE)
    checked.push(
      ...(await Promise.all(
        uids
          .slice(from, from + AT_ONCE)
          .map(async (uid) => ({ uid, findings: await checkShallowly(uid, `uid ${uid}`, collecting) })),
      )),
    );
  return checked;
}
