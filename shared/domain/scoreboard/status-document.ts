import { type EpochMs, asTime } from '../base/time.ts';
import { formatIndexSet } from '../base/index-set.ts';
import { unreachable } from '../base/invariant.ts';
import type { JobCondition, JobManifestSpec, JobStatusDocument } from '../spec/manifest.ts';
import { chunkOf } from './board.ts';
import { type Settled, chunksForSettled, settledIndexes } from './settled-indexes.ts';
import { type Status, endOf, isEnding, podCount, tally, tallyWithin } from './status.ts';
import type { WorkingBoard } from './working-board.ts';

/** What a Job's status is made of. `board`: with the chunks that its indexes depend on. */
type Standing = { readonly spec: JobManifestSpec; readonly status: Status; readonly board: WorkingBoard };

/** Status of a Job that Muster runs, as `batch/v1` has it. */
export const statusDocument = (job: Standing): JobStatusDocument => ({
  ...counts(job),
  ...(job.status.startTime === null ? {} : { startTime: asTime(job.status.startTime) }),
  ...completionTime(job.status),
  ...indexes(job),
  uncountedTerminatedPods: {},
  ...orNothing(conditions(job.status)),
});

/**
 * The chunks that `completedIndexes` and `failedIndexes` depend on: those in which some records match and some do not. For a
 * Job that was made smaller, the one that is cut in two.
 */
export function chunksForStatus(
  status: Pick<Status, 'chunks' | 'size'>,
  { completionMode, completions }: JobManifestSpec,
): readonly number[] {
  if (completionMode === 'NonIndexed') return [];
  const cut = completions !== undefined && completions < status.size ? chunkOf(completions) : null;
  return [...new Set([...chunksForSettled(status, ['succeeded', 'failed']), ...(cut === null ? [] : [cut])])];
}

const orNothing = (conditions: readonly JobCondition[]) => (conditions.length === 0 ? {} : { conditions });

/**
 * Kubernetes' counters. Pods that are being stopped count as `terminating`, not as `active`; zeroes are omitted where
 * Kubernetes omits them.
 */
function counts({ spec, status, board }: Standing) {
  const { completionMode, completions } = spec;
  const all = tally(status.chunks);
  const stopping = isEnding(status.phase) ? all.starting + all.running : all.stopping;
  const active = podCount(all) - stopping;
  const terminating = stopping + status.replacedTasks.length;
  const { running } = all;
  const { succeeded } =
    completionMode === 'Indexed' && completions !== undefined && completions < status.size
      ? tallyWithin(status.chunks, completions, (no) => board.chunk(no))
      : all;
  return {
    ...(active === 0 ? {} : { active }),
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(status.failed === 0 ? {} : { failed: status.failed }),
    ready: Math.min(running, active),
    terminating,
  };
}

function completionTime({ phase }: Status) {
  const ended = endOf(phase);
  return ended?.verdict.kind === 'complete' ? { completionTime: asTime(ended.at) } : {};
}

/** `failedIndexes` is set, even if empty, if each index has a limit of its own. */
function indexes(job: Standing) {
  const { completionMode, backoffLimitPerIndex } = job.spec;
  if (completionMode === 'NonIndexed') return {};
  const completed = indexText(job, 'succeeded');
  return {
    ...(completed === '' ? {} : { completedIndexes: completed }),
    ...(backoffLimitPerIndex === undefined ? {} : { failedIndexes: indexText(job, 'failed') }),
  };
}

/**
 * The Job's indexes in this state. Only chunks in which some records match and some do not were read. For a Job that was made
 * larger, the new indexes are on the board after the next pass, or never if the Job is over.
 */
function indexText({ spec, status, board }: Standing, state: Settled): string {
  return formatIndexSet(settledIndexes(state, spec.completions ?? 0, status, board));
}

const OWN_CONDITIONS = ['Suspended', 'SuccessCriteriaMet', 'Complete', 'FailureTarget', 'Failed'] as const;
type ConditionType = (typeof OWN_CONDITIONS)[number];

/** A condition that Muster never sets: other controllers write it. */
export const isForeign = ({ type }: JobCondition): boolean => !OWN_CONDITIONS.some((own) => own === type);

/** A view of the phase, in the order in which Kubernetes sets conditions; reasons and messages are its own, word for word. */
function conditions({ phase: current, resumedAt, endedSuspendedSince }: Status): readonly JobCondition[] {
  const phase = endOf(current) ?? current;
  const condition = (type: ConditionType, isTrue: boolean, at: EpochMs, reason: string, message: string) => ({
    type,
    status: isTrue ? 'True' : 'False',
    lastProbeTime: asTime(at),
    lastTransitionTime: asTime(at),
    reason,
    message,
  });
  const suspended = (since: EpochMs) => [condition('Suspended', true, since, 'JobSuspended', 'Job suspended')];
  const resumed = resumedAt === null ? [] : [condition('Suspended', false, resumedAt, 'JobResumed', 'Job resumed')];
  switch (phase.kind) {
    case 'running':
    case 'terminating':
    case 'purging':
    case 'deleted':
      return resumed;
    case 'suspended':
      return suspended(phase.since);
    case 'draining':
    case 'finished': {
      const { kind, reason, message } = phase.verdict;
      const [interim, terminal] =
        kind === 'complete' ? (['SuccessCriteriaMet', 'Complete'] as const) : (['FailureTarget', 'Failed'] as const);
      const before = endedSuspendedSince === null ? resumed : suspended(endedSuspendedSince);
      const decided = [...before, condition(interim, true, phase.since, reason, message)];
      return phase.kind === 'draining' ? decided : [...decided, condition(terminal, true, phase.at, reason, message)];
    }
    default:
      return unreachable(phase);
  }
}
