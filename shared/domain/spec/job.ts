import {
  ANNOTATIONS,
  DEFAULT_DISRUPTIONS,
  DEFAULT_GANG_RESTARTS,
  DEFAULT_GANG_TIMEOUT_SEC,
  DEFAULT_PENDING_TIMEOUT_SEC,
  type Disruptions,
  parseDeadline,
  parseDisruptions,
  parseFlag,
  parseGang,
  parseGangRestarts,
  parseMoment,
  parsePendingTimeout,
  parseRetryDelay,
} from './annotations.ts';
import type { EpochMs } from '../base/time.ts';
import type { JobUid } from '../base/ids.ts';
import { type After, type AfterIndexes, parseAfter, parseAfterIndexes } from './dependencies.ts';
import type { JobManifest, Labels, PodFailurePolicy } from './manifest.ts';
import { type Selection, selectionOf } from './selection.ts';
import {
  type Share,
  type SuccessRule,
  WHEN_ACHIEVED,
  type WhenAchieved,
  parseMessage,
  parseShare,
  parseWhenAchieved,
  successRulesOf,
} from './success-rules.ts';

export type CompletionMode = 'Indexed' | 'NonIndexed';

/** What planning needs from a Job's spec, with every default filled in. The manifest itself is stored separately, whole. */
export type JobSpec = {
  readonly completionMode: CompletionMode;
  readonly parallelism: number;
  /** null: a work queue, complete when one Pod has succeeded and none is left. */
  readonly completions: number | null;
  readonly backoffLimit: number;
  /** null: failures of all indexes count against `backoffLimit`. */
  readonly backoffLimitPerIndex: number | null;
  readonly maxFailedIndexes: number | null;
  readonly podFailurePolicy: PodFailurePolicy | null;
  readonly successPolicy: readonly SuccessRule[] | null;
  readonly activeDeadlineSec: number | null;
  readonly ttlSecAfterFinished: number | null;
  readonly suspend: boolean;
  readonly podReplacementPolicy: 'TerminatingOrFailed' | 'Failed';
  readonly restartPolicy: 'Never' | 'OnFailure';
  /** true: Muster runs it; false: `managedBy` names another controller. */
  readonly managed: boolean;
  /** It has finalizers, so a deleted Job stays until their owners have removed them. */
  readonly held: boolean;
  readonly disruptions: Disruptions;
  readonly pendingTimeoutSec: number;
  /** Which indexes never run in it. */
  readonly selection: Selection;
} & AddedRules;

/** The rules that `batch/v1` has no field for. */
export type AddedRules = {
  /** How long an index waits after each of its failures; null: longer each time. */
  readonly retryDelaySec: number | null;
  /** A Pod that has not run so long after its claim has failed; null: it may wait. */
  readonly startTimeoutSec: number | null;
  /** A Pod that has run so long has failed; null: it may run on. */
  readonly podDeadlineSec: number | null;
  /** An index that has not succeeded so long after its first claim has failed for good; null: it may be tried on. */
  readonly indexDeadlineSec: number | null;
  /** It does not start before. */
  readonly startAfter: EpochMs | null;
  /** It has failed then, unless it is over. */
  readonly killAt: EpochMs | null;
  /** Success is decided before failure. */
  readonly successFirst: boolean;
  /** The Jobs that must have come to something before it starts. */
  readonly after: readonly After[];
  /** The Jobs whose indexes must have succeeded before those of this one start. */
  readonly afterIndexes: readonly AfterIndexes[];
  /** What becomes of its other Pods when its success policy is met. */
  readonly whenAchieved: WhenAchieved;
  /** The message of its end by its success policy; null: which rule was met. */
  readonly successMessage: string | null;
  /** The share of its completions that may fail; null: only `maxFailedIndexes` says. */
  readonly maxFailedShare: Share | null;
  /** All of its indexes run together; null: each on its own. */
  readonly gang: GangRule | null;
};

/** All must run `timeoutSec` after the first claim; otherwise all are stopped and started again, `restartsMax` times at most. */
export type GangRule = { readonly timeoutSec: number; readonly restartsMax: number };

/** Until when a Job that has not started must not start; null: it may. */
export const startsAt = (
  { startAfter }: Pick<AddedRules, 'startAfter'>,
  startTime: EpochMs | null,
  now: EpochMs,
): EpochMs | null => (startTime === null && startAfter !== null && now < startAfter ? startAfter : null);

/** None of them: a Job as `batch/v1` alone describes it. */
export const NO_ADDED_RULES: AddedRules = {
  retryDelaySec: null,
  startTimeoutSec: null,
  podDeadlineSec: null,
  indexDeadlineSec: null,
  startAfter: null,
  killAt: null,
  successFirst: false,
  after: [],
  afterIndexes: [],
  whenAchieved: WHEN_ACHIEVED.terminate,
  successMessage: null,
  maxFailedShare: null,
  gang: null,
};

/** A Job's identity, which never changes. */
export type JobIdentity = {
  readonly uid: JobUid;
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: EpochMs;
};

/** A Job as a pass sees it: identity and the spec of one revision. */
export type Job = JobIdentity & {
  readonly revision: number;
  readonly spec: JobSpec;
  /** The user who has last changed `suspend`, as Events show the name; omitted: nobody has, or it is not known who. */
  readonly suspendSetBy?: string;
};

/** An int64 of seconds is longer than any time that can be formatted; three centuries are enough. */
const DEADLINE_MAX_SEC = 10_000_000_000;

/** A smaller Job no longer has this index; in a NonIndexed Job, slot numbers do not matter. */
export const isOutOfRange = (
  { completionMode, completions }: Pick<JobSpec, 'completionMode' | 'completions'>,
  index: number,
): boolean => completionMode === 'Indexed' && completions !== null && index >= completions;

/** The finalizer that a Job has while its tasks are stopped by a foreground deletion; Muster removes it. */
export const FOREGROUND_DELETION = 'foregroundDeletion';

/** The value of `managedBy` that means the Job controller itself. */
export const OWN_MANAGER = 'kubernetes.io/job-controller';

/** true: Muster runs it; false: `managedBy` names another controller. */
export const isOwn = ({ spec }: Pick<JobManifest, 'spec'>): boolean => (spec.managedBy ?? OWN_MANAGER) === OWN_MANAGER;

/** A stored Job's part that planning uses. */
export type Planned = {
  readonly manifest: Pick<JobManifest, 'metadata' | 'spec'>;
  /** The indexes that count as succeeded from the start, as text; omitted: none. */
  readonly inherited?: string;
};

/** A stored Job as planning needs it. */
export const planningSpec = ({ manifest: { metadata, spec }, inherited }: Planned): JobSpec => ({
  completionMode: spec.completionMode,
  parallelism: spec.parallelism,
  completions: spec.completions ?? null,
  backoffLimit: spec.backoffLimit,
  backoffLimitPerIndex: spec.backoffLimitPerIndex ?? null,
  maxFailedIndexes: spec.maxFailedIndexes ?? null,
  podFailurePolicy: spec.podFailurePolicy ?? null,
  successPolicy: successRulesOf(spec, metadata.annotations),
  activeDeadlineSec:
    spec.activeDeadlineSeconds === undefined ? null : Math.min(spec.activeDeadlineSeconds, DEADLINE_MAX_SEC),
  ttlSecAfterFinished: spec.ttlSecondsAfterFinished ?? null,
  suspend: spec.suspend,
  podReplacementPolicy: spec.podReplacementPolicy,
  restartPolicy: spec.template.spec.restartPolicy,
  managed: isOwn({ spec }),
  held: metadata.finalizers?.some((finalizer) => finalizer !== FOREGROUND_DELETION) ?? false,
  disruptions: parseDisruptions(metadata.annotations?.[ANNOTATIONS.disruptions] ?? '') ?? DEFAULT_DISRUPTIONS,
  pendingTimeoutSec:
    parsePendingTimeout(metadata.annotations?.[ANNOTATIONS.pendingTimeout] ?? '') ?? DEFAULT_PENDING_TIMEOUT_SEC,
  selection: selectionOf(
    spec.completionMode === 'Indexed' ? (spec.completions ?? null) : null,
    metadata.annotations?.[ANNOTATIONS.indexes],
    inherited,
  ),
  podDeadlineSec: spec.template.spec.activeDeadlineSeconds ?? null,
  ...addedRules(metadata.annotations ?? {}),
});

const addedRules = (annotations: Labels): Omit<AddedRules, 'podDeadlineSec'> => ({
  retryDelaySec: parseRetryDelay(annotations[ANNOTATIONS.retryDelay] ?? ''),
  startTimeoutSec: parsePendingTimeout(annotations[ANNOTATIONS.startTimeout] ?? ''),
  indexDeadlineSec: parseDeadline(annotations[ANNOTATIONS.indexDeadline] ?? ''),
  startAfter: parseMoment(annotations[ANNOTATIONS.startAfter] ?? ''),
  killAt: parseMoment(annotations[ANNOTATIONS.killAt] ?? ''),
  successFirst: parseFlag(annotations[ANNOTATIONS.successFirst] ?? '') ?? false,
  after: afterOf(annotations[ANNOTATIONS.after]),
  afterIndexes: afterIndexesOf(annotations[ANNOTATIONS.afterIndexes]),
  whenAchieved: parseWhenAchieved(annotations[ANNOTATIONS.whenAchieved] ?? '') ?? WHEN_ACHIEVED.terminate,
  successMessage: parseMessage(annotations[ANNOTATIONS.successMessage] ?? ''),
  maxFailedShare: parseShare(annotations[ANNOTATIONS.maxFailedPercent] ?? ''),
  gang:
    parseGang(annotations[ANNOTATIONS.gang] ?? '') === null
      ? null
      : {
          timeoutSec: parsePendingTimeout(annotations[ANNOTATIONS.gangTimeout] ?? '') ?? DEFAULT_GANG_TIMEOUT_SEC,
          restartsMax: parseGangRestarts(annotations[ANNOTATIONS.gangRestarts] ?? '') ?? DEFAULT_GANG_RESTARTS,
        },
});

/** Texts that were checked when they were set; omitted: it waits for no Job. */
function afterOf(text: string | undefined): readonly After[] {
  const parsed = text === undefined ? null : parseAfter(text);
  return parsed?.kind === 'ok' ? parsed.after : [];
}

function afterIndexesOf(text: string | undefined): readonly AfterIndexes[] {
  const parsed = text === undefined ? null : parseAfterIndexes(text);
  return parsed?.kind === 'ok' ? parsed.afterIndexes : [];
}

/**
 * How many slots the board has for this spec: one for each completion index; a work queue has one for each Pod that may run at
 * once. It never shrinks below `sizeSoFar`, because attempt numbers outlive a resize.
 */
export function boardSize(spec: JobSpec, sizeSoFar: number): number {
  return Math.max(sizeSoFar, spec.completions ?? spec.parallelism);
}
