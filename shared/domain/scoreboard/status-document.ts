import { type EpochMs, asTime } from '../base/time.ts';
import { formatIndexSet } from '../base/index-set.ts';
import { unreachable } from '../base/invariant.ts';
import type { JobCondition, JobManifestSpec, JobStatusDocument } from '../manifests/manifest.ts';
import { chunkOf } from './board.ts';
import { type Settled, chunksForSettled, settledIndexes } from './settled-indexes.ts';
import { HELD_CONDITION } from '../manifests/annotations.ts';
import { type Published, asPublished, publishedIndexes, unpublishedSuccesses } from './shown-status.ts';
import { type Achievement, type Status, endOf, isEnding, podCount, shownReason, tally, tallyWithin } from './status.ts';
import type { WorkingBoard } from './working-board.ts';

/**
 * What a Job's status is made of. `board`: with the chunks that its indexes depend on; `published`: what users see of it;
 * null: all of it.
 */
type Standing = {
  readonly spec: JobManifestSpec;
  readonly status: Status;
  readonly board: WorkingBoard;
  readonly published?: Published | null;
};

type Shown = Standing & { readonly published: Published | null };

/** Status of a Job that Muster runs, as `batch/v1` has it. */
export function statusDocument({ published = null, ...job }: Standing): JobStatusDocument {
  const status = published === null ? job.status : asPublished(job.status, published);
  const shown = { ...job, status, published };
  return {
    ...counts(shown),
    ...(status.startTime === null ? {} : { startTime: asTime(status.startTime) }),
    ...completionTime(status),
    ...indexes(shown),
    uncountedTerminatedPods: {},
    // The verdict is the last condition, as in Kubernetes: it comes last.
    ...orNothing([...heldCondition(status), ...conditions(status)]),
  };
}

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
function counts({ spec, status, board, published }: Shown) {
  const { completionMode, completions } = spec;
  const all = { ...tally(status.chunks), ...published?.shown.pods };
  const stopping = isEnding(status.phase) ? all.starting + all.running : all.stopping;
  const active = podCount(all) - stopping;
  const terminating = stopping + (published?.shown.replaced ?? status.replacedTasks.length);
  const { running } = all;
  const isCut = completionMode === 'Indexed' && completions !== undefined && completions < status.size;
  const succeeded = isCut
    ? tallyWithin(status.chunks, completions, (no) => board.chunk(no)).succeeded -
      (published === null ? 0 : unpublishedSuccesses(status.journal, published, completions))
    : all.succeeded;
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
function indexes(job: Shown) {
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
function indexText({ spec, status, board, published }: Shown, state: Settled): string {
  const now = settledIndexes(state, spec.completions ?? 0, status, board);
  return formatIndexSet(published === null ? now : publishedIndexes(now, state, status.journal, published));
}

const OWN_CONDITIONS = [
  'Suspended',
  'SuccessCriteriaMet',
  'Complete',
  'FailureTarget',
  'Failed',
  HELD_CONDITION,
] as const;
type ConditionType = (typeof OWN_CONDITIONS)[number];

const ownCondition = (type: ConditionType, isTrue: boolean, at: EpochMs, reason: string, message: string) => ({
  type,
  status: isTrue ? 'True' : 'False',
  lastProbeTime: asTime(at),
  lastTransitionTime: asTime(at),
  reason,
  message,
});

/** A condition that Muster never sets: other controllers write it. */
export const isForeign = ({ type }: JobCondition): boolean => !OWN_CONDITIONS.some((own) => own === type);

/**
 * A Job that waits for others says for which. Later the condition says that it has waited, and since when not any more: because
 * it has started, or because it has ended without.
 */
function heldCondition(status: Status): readonly JobCondition[] {
  const { startTime, upstreams } = status;
  const phase = endOf(status.phase) ?? status.phase;
  if (phase.kind === 'suspended' && phase.held === true)
    return [ownCondition(HELD_CONDITION, true, phase.since, 'WaitingForJobs', waitingText(status))];
  if (upstreams.length === 0) return [];
  if (startTime === null) {
    const isEnded = phase.kind === 'draining' || phase.kind === 'finished';
    return isEnded ? [ownCondition(HELD_CONDITION, false, phase.since, 'NeverStarted', NEVER_STARTED)] : [];
  }
  return [ownCondition(HELD_CONDITION, false, startTime, 'JobsAreDone', 'the Jobs that it waited for let it start')];
}

const NEVER_STARTED = 'the Job ended before the Jobs that it waited for let it start';

/** The Jobs that a Job still waits for, as a part of a sentence. */
export function waitingText({ upstreams }: Pick<Status, 'upstreams'>): string {
  const open = upstreams.filter(({ isMet }) => !isMet).map(({ name }) => name);
  return `waits for job${open.length === 1 ? '' : 's'} ${open.join(', ')}`;
}

/** A view of the phase, in the order in which Kubernetes sets conditions; reasons and messages are its own, word for word. */
function conditions({ phase: current, resumedAt, endedSuspendedSince, achieved }: Status): readonly JobCondition[] {
  const phase = endOf(current) ?? current;
  const suspended = (since: EpochMs) => [ownCondition('Suspended', true, since, 'JobSuspended', 'Job suspended')];
  const resumed = resumedAt === null ? [] : [ownCondition('Suspended', false, resumedAt, 'JobResumed', 'Job resumed')];
  const reached = ({ verdict, since }: Achievement) => [
    ownCondition('SuccessCriteriaMet', true, since, shownReason(verdict), verdict.message),
  ];
  const met = achieved === null ? [] : reached(achieved);
  switch (phase.kind) {
    case 'running':
    case 'regrouping':
    case 'terminating':
    case 'purging':
    case 'deleted':
      return [...resumed, ...met];
    case 'suspended':
      return [...(phase.held === true ? resumed : suspended(phase.since)), ...met];
    case 'draining':
    case 'finished': {
      const { kind, message } = phase.verdict;
      const reason = shownReason(phase.verdict);
      const [interim, terminal] =
        kind === 'complete' ? (['SuccessCriteriaMet', 'Complete'] as const) : (['FailureTarget', 'Failed'] as const);
      const before = endedSuspendedSince === null ? resumed : suspended(endedSuspendedSince);
      const decided = [...before, ownCondition(interim, true, phase.since, reason, message)];
      return phase.kind === 'draining'
        ? decided
        : [...decided, ownCondition(terminal, true, phase.at, reason, message)];
    }
    default:
      return unreachable(phase);
  }
}
