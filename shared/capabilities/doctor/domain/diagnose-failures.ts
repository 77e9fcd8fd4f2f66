import type { Probe } from '../../../domain/base/probed.ts';
import type { EpochMs } from '../../../domain/base/time.ts';
import { type CollectedFailure, type FailureSnapshot, isStartError } from '../../../domain/failures/failures.ts';
import { type Finding, type Severity, indexesText, notChecked, some, subjectOfJob } from './finding.ts';
import { formatIndexSet, indexSetOf } from '../../../domain/base/index-set.ts';
import { type ItemOf, indexText } from '../../../domain/base/shown-index.ts';
import { ANNOTATIONS } from '../../../domain/manifests/annotations.ts';
import type { JobIdentity, JobSpec } from '../../../domain/manifests/job.ts';
import { podName } from '../../../domain/task/pod-name.ts';
import { type FailureReason, type Phase, type Status, endOf, tally } from '../../../domain/scoreboard/status.ts';
import { verdictText, whyText } from '../../../domain/scoreboard/why.ts';

/** What the diagnosis of failures needs from a Job. */
type FailedJob = {
  readonly now: EpochMs;
  readonly identity: JobIdentity;
  readonly spec: JobSpec;
  readonly status: Status;
  /** null: the failures were not read; only STATUS is reported. */
  readonly failures: Probe<FailureSnapshot> | null;
  readonly itemOf: ItemOf;
};

/** A Job that failed earlier is history: it is reported only if the caller asks for it by name. */
const LATELY_MS = 24 * 3_600_000;

/** It has failed recently. */
export function hasFailedLately(phase: Phase, now: EpochMs): boolean {
  const ended = endOf(phase);
  return ended !== null && ended.verdict.kind === 'failed' && now <= ended.at + LATELY_MS;
}

/** Reports that a Job has failed and why, and its failures so far: similar failures together, causes first. */
export function diagnoseFailures(job: FailedJob): readonly Finding[] {
  const { failures, identity } = job;
  const failed = jobFailed(job);
  if (failures === null) return failed;
  if (failures.kind === 'failed')
    return [...failed, notChecked(subjectOfJob(identity), 'its failures', failures.reason)];
  const { groups, more } = failures.value;
  const podsFailed = groups.map((group) => failedAlike(group, job));
  const rest: Finding = {
    severity: 'info',
    kind: 'Sampled',
    subject: subjectOfJob(identity),
    what: 'more indexes have failed than were checked',
    since: null,
    remedy: `muster get pods ${nameOf(identity)} --failed`,
  };
  return [...failed, ...podsFailed, ...(more ? [rest] : [])];
}

/** A name in a namespace, as a command line takes it. */
const nameOf = ({ namespace, name }: JobIdentity): string =>
  namespace === 'default' ? name : `${name} -n ${namespace}`;

function jobFailed({ status, spec, identity, failures, now, itemOf }: FailedJob): readonly Finding[] {
  const { phase } = status;
  const verdict = phase.kind === 'draining' ? phase.verdict : (endOf(phase)?.verdict ?? null);
  if (verdict?.kind !== 'failed') return [];
  // Without the failures, this is one Job of many in the check of an installation, which does not report failures.
  if (failures === null && !hasFailedLately(phase, now)) return [];
  const { succeeded, excluded } = tally(status.chunks);
  const of = spec.completions === null ? '' : ` of ${spec.completions - excluded}`;
  const { decidedBy } = verdict;
  const decided = decidedBy === null ? '' : `, decided by ${indexText(decidedBy, itemOf(decidedBy))}`;
  return [
    {
      severity: failures === null ? 'warning' : 'error',
      kind: 'JobFailed',
      subject: subjectOfJob(identity),
      what: `${verdict.reason}: ${verdict.message}${decided}; ${succeeded}${of} succeeded, ${failedText(status, spec, failures)}`,
      since: 'at' in phase ? phase.at : 'since' in phase ? phase.since : null,
      remedy:
        failures === null
          ? `See why: muster doctor ${nameOf(identity)}`
          : `${FIXES[verdict.reason]} ${again(identity, spec, verdict.reason)}`,
      details: { reason: verdict.reason, message: verdict.message, failedAttempts: status.failed, succeeded },
    },
  ];
}

/** Attempts that the Job's own failure stopped count as failed, as in Kubernetes, but are no cause: they are named apart. */
function failedText({ failed }: Status, spec: FailedJob['spec'], failures: FailedJob['failures']): string {
  // Where containers are started again in their Pod, it fails once, however often they did.
  const word = spec.restartPolicy === 'OnFailure' ? 'Pod' : 'attempt';
  const known = failures?.kind === 'ok' && !failures.value.more ? failures.value.groups : [];
  const stopped = known.reduce((sum, each) => sum + (each.stoppedWithJob ? each.indexes.length : 0), 0);
  const own = `${some(Math.max(failed - stopped, 0), word)} failed`;
  return stopped === 0 ? own : `${own}, ${stopped} stopped`;
}

const FIX = 'Fix the cause below.';
const FIXES: Readonly<Record<FailureReason, string>> = {
  BackoffLimitExceeded: FIX,
  PodFailurePolicy: FIX,
  MaxFailedIndexesExceeded: 'Fix the cause below, or raise spec.maxFailedIndexes (--max-failed).',
  FailedIndexes: FIX,
  DeadlineExceeded: 'Raise spec.activeDeadlineSeconds, raise spec.parallelism, or find out what took so long.',
  Killed: `Its kill time (annotation ${ANNOTATIONS.killAt}) had come: move it, raise spec.parallelism, or find out what took so long.`,
  DependencyFailed:
    'Run what the Jobs that it waits for have left, then this one again, or leave out what it waits for.',
  GangTimeout: `Find out why that index did not run (muster get waits, kubectl describe pod), or raise ${ANNOTATIONS.gangTimeout}.`,
  LaunchRefused: 'Fix what ECS names: roles, network, or task definition.',
};

/** Successes are kept where there are indexes, unless the manifest itself has to change. */
const again = (identity: JobIdentity, { completionMode }: JobSpec, reason: FailureReason): string =>
  completionMode === 'Indexed' && reason !== 'DeadlineExceeded'
    ? `Then run what is left again: muster rerun ${nameOf(identity)} --wait`
    : `Then run it again: muster run -f FILE${identity.namespace === 'default' ? '' : ` -n ${identity.namespace}`} --replace --wait`;

function failedAlike(group: CollectedFailure, job: FailedJob): Finding {
  const { identity, spec, itemOf } = job;
  const { indexes, example, judgement, cause, log, lastAt } = group;
  const isIndexed = spec.completionMode === 'Indexed';
  const who = isIndexed ? indexesText(indexes, itemOf) : some(indexes.length, 'Pod');
  const rule = judgement.why.kind === 'policyRule' ? `, ${whyText(judgement.why)}` : '';
  const lines = log.kind === 'ok' ? log.value : [];
  const last = lines.at(-1);
  const whose = isIndexed ? indexText(example.index, itemOf(example.index)) : 'one of them';
  const said = last === undefined ? '' : `; the log of ${whose} ends with: ${last}`;
  const pod = podName({ ...identity, completionMode: spec.completionMode }, example.index, example.attempt);
  return {
    severity: severityOf(group, job),
    kind: 'PodsFailed',
    subject: subjectOfJob(identity),
    what: `${cause}: ${who}${rule}${said}`,
    since: lastAt,
    remedy: remedyOf(group, job, pod),
    details: {
      reason: group.words.reason,
      cause,
      exitCode: group.exitCode,
      verdict: verdictText(judgement),
      count: indexes.length,
      ...(isIndexed ? { indexes: formatIndexSet(indexSetOf(indexes)) } : {}),
      pod,
      attempt: example.attempt,
      log: lines,
    },
  };
}

function severityOf({ stoppedWithJob, words }: CollectedFailure, { status }: FailedJob): Severity {
  const { phase, achieved } = status;
  const verdict = phase.kind === 'draining' ? phase.verdict : (endOf(phase)?.verdict ?? null);
  if (stoppedWithJob && words.reason === 'Error') return 'info'; // a consequence
  if (verdict === null) return achieved === null ? 'warning' : 'info'; // nothing can fail the Job any more
  return verdict.kind === 'failed' ? 'error' : 'info';
}

function remedyOf({ example, log }: CollectedFailure, { identity, spec }: FailedJob, pod: string): string {
  if (example.ending.cause === 'StartFailed') return 'Fix what is named: image, secret, or parameter.';
  if (isStartError(example)) return 'Fix the command, PATH, or the working folder: it never started, so it has no log.';
  if (log.kind === 'failed') return `Its log could not be read: ${log.reason}`;
  if (log.value.length === 0) return 'It printed nothing.';
  return spec.completionMode === 'Indexed'
    ? `Full log: muster logs ${nameOf(identity)} --index ${example.index} --attempt ${example.attempt}`
    : `Full log: kubectl logs ${pod} -n ${identity.namespace}`;
}
