import { type EpochMs, asTime } from '../../domain/base/time.ts';
import { isOwn } from '../../domain/spec/job.ts';
import type { JobCondition, JobStatusDocument } from '../../domain/spec/manifest.ts';
import { formatIndexSet } from '../../domain/base/index-set.ts';
import { type Settled, settledIndexes } from '../../domain/scoreboard/settled-indexes.ts';
import { unreachable } from '../../domain/base/invariant.ts';
import { type Status, endOf, isEnding, podCount, tally, tallyWithin } from '../../domain/scoreboard/status.ts';
import type { JobView } from './job-view.ts';

/** The `batch/v1` Job that a user sees. */
export function renderJob(view: JobView) {
  const { spec, status, version } = view;
  const { identity, manifest, generation } = spec;
  const { name: _name, namespace: _namespace, ...metadata } = manifest.metadata;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: identity.name,
      namespace: identity.namespace,
      uid: identity.uid,
      resourceVersion: String(version),
      generation,
      creationTimestamp: asTime(identity.createdAt),
      ...deletion(status),
      ...metadata,
    },
    spec: manifest.spec,
    status: statusOf(view),
  };
}

/** For a Job that another controller manages, it is whatever that controller has written. */
function statusOf(view: JobView): JobStatusDocument {
  const { spec, status } = view;
  if (!isOwn(spec.manifest)) return spec.said ?? {};
  const all = [...conditions(status), ...(spec.said?.conditions ?? [])];
  return {
    ...counts(view),
    ...(status.startTime === null ? {} : { startTime: asTime(status.startTime) }),
    ...completionTime(status),
    ...indexes(view),
    uncountedTerminatedPods: {},
    ...(all.length === 0 ? {} : { conditions: all }),
  };
}

export type JobObject = ReturnType<typeof renderJob>;

/**
 * Kubernetes' counters. Pods that are being stopped count as `terminating`, not as `active`; zeroes are omitted where
 * Kubernetes omits them.
 */
function counts({ spec, status, board }: JobView) {
  const { completionMode, completions } = spec.manifest.spec;
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

/** A deleted Job that a finalizer holds. */
const deletion = ({ phase }: Status) =>
  phase.kind === 'terminating' ? { deletionTimestamp: asTime(phase.since), deletionGracePeriodSeconds: 0 } : {};

function completionTime({ phase }: Status) {
  const ended = endOf(phase);
  return ended?.verdict.kind === 'complete' ? { completionTime: asTime(ended.at) } : {};
}

/** `failedIndexes` is set, even if empty, if each index has a limit of its own. */
function indexes(view: JobView) {
  const { completionMode, backoffLimitPerIndex } = view.spec.manifest.spec;
  if (completionMode === 'NonIndexed') return {};
  const completed = indexText(view, 'succeeded');
  return {
    ...(completed === '' ? {} : { completedIndexes: completed }),
    ...(backoffLimitPerIndex === undefined ? {} : { failedIndexes: indexText(view, 'failed') }),
  };
}

/**
 * The Job's indexes in this state. Only chunks in which some records match and some do not were read. For a Job that was made
 * larger, the new indexes are on the board after the next pass, or never if the Job is over.
 */
function indexText({ spec, status, board }: JobView, state: Settled): string {
  return formatIndexSet(settledIndexes(state, spec.manifest.spec.completions ?? 0, status, board));
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
