import { CHUNK_INDEXES, STATES } from '../domain/board.ts';
import type { EpochMs } from '../domain/brand.ts';
import { formatIndexSet, indexSetWhere } from '../domain/index-set.ts';
import { unreachable } from '../domain/invariant.ts';
import { type Status, chunkLength, isEnding, tally } from '../domain/status.ts';
import type { JobView } from './read-job.ts';

/** RFC 3339 in whole seconds, as all of Kubernetes' times. */
export const asTime = (at: EpochMs): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');

/** The `batch/v1` Job that a user sees. */
export function renderJob(view: JobView) {
  const { spec, status, version } = view;
  const { identity, manifest, generation } = spec;
  const { labels, annotations } = manifest.metadata;
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
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: manifest.spec,
    status: {
      ...counts(status),
      ...(status.startTime === null ? {} : { startTime: asTime(status.startTime) }),
      ...completionTime(status),
      ...completedIndexes(view),
      uncountedTerminatedPods: {},
      ...conditions(status),
    },
  };
}

export type JobObject = ReturnType<typeof renderJob>;

/**
 * Kubernetes' counters. What is being stopped is `terminating`, no more `active`; zeroes are left out where Kubernetes
 * leaves them out.
 */
function counts(status: Status) {
  const { starting, running, stopping, succeeded } = tally(status.chunks);
  const live = starting + running;
  const terminating = isEnding(status.phase) ? live : stopping;
  const active = live - terminating;
  return {
    ...(active === 0 ? {} : { active }),
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(status.failed === 0 ? {} : { failed: status.failed }),
    ready: Math.min(running, active),
    terminating,
  };
}

function completionTime({ phase }: Status) {
  return phase.kind === 'finished' && phase.verdict.kind === 'complete' ? { completionTime: asTime(phase.at) } : {};
}

const SUCCEEDED = STATES.indexOf('succeeded');

function completedIndexes({ spec, status, board }: JobView) {
  const { completionMode, completions = 0 } = spec.manifest.spec;
  if (completionMode === 'NonIndexed') return {};
  const set = indexSetWhere(completions, (index) => {
    const no = Math.floor(index / CHUNK_INDEXES);
    const succeeded = status.chunks[no]?.succeeded ?? 0;
    if (succeeded === 0 || succeeded === chunkLength(status.size, no)) return succeeded > 0;
    return board.chunk(no)?.states[index % CHUNK_INDEXES] === SUCCEEDED;
  });
  const text = formatIndexSet(set);
  return text === '' ? {} : { completedIndexes: text };
}

type ConditionType = 'Suspended' | 'SuccessCriteriaMet' | 'Complete' | 'FailureTarget' | 'Failed';

/** A view of the phase, in the order in which Kubernetes sets them; reasons and messages are its own, word for word. */
function conditions({ phase, resumedAt }: Status) {
  const condition = (type: ConditionType, isTrue: boolean, at: EpochMs, reason: string, message: string) => ({
    type,
    status: isTrue ? 'True' : 'False',
    lastProbeTime: asTime(at),
    lastTransitionTime: asTime(at),
    reason,
    message,
  });
  const resumed = resumedAt === null ? [] : [condition('Suspended', false, resumedAt, 'JobResumed', 'Job resumed')];
  const list = (() => {
    switch (phase.kind) {
      case 'running':
      case 'deleting':
      case 'deleted':
        return resumed;
      case 'suspended':
        return [condition('Suspended', true, phase.since, 'JobSuspended', 'Job suspended')];
      case 'draining':
      case 'finished': {
        const { kind, reason, message } = phase.verdict;
        const [interim, terminal] =
          kind === 'complete' ? (['SuccessCriteriaMet', 'Complete'] as const) : (['FailureTarget', 'Failed'] as const);
        const decided = [...resumed, condition(interim, true, phase.since, reason, message)];
        return phase.kind === 'draining' ? decided : [...decided, condition(terminal, true, phase.at, reason, message)];
      }
      default:
        return unreachable(phase);
    }
  })();
  return list.length === 0 ? {} : { conditions: list };
}
