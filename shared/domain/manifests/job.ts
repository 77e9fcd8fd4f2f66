import { DEFAULT_GANG_RESTARTS, DEFAULT_GANG_TIMEOUT_SEC, parseGang, parseGangRestarts } from './annotations/gangs.ts';
import { parsePendingTimeout } from './annotations/annotation-values.ts';
import { ANNOTATIONS, type AnnotatedFields, annotatedFields } from './annotations/rows.ts';
import type { EpochMs } from '../base/time.ts';
import type { JobUid } from '../base/ids.ts';
import { isBarePod } from './bare-pod.ts';
import type { JobManifest, Labels, PodFailurePolicy } from './manifest.ts';
import { type IndexSelection, selectionOf } from './selection.ts';
import { type SuccessRule, successRulesOf } from './success-rules.ts';

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
  /** It is a bare Pod: it is restarted for as long as it fails, and its deadline may be set while it runs. */
  readonly barePod: boolean;
  /** true: Muster runs it; false: `managedBy` names another controller. */
  readonly managed: boolean;
  /** It has finalizers, so a deleted Job stays until their owners have removed them. */
  readonly held: boolean;
  /** Which indexes never run in it. */
  readonly selection: IndexSelection;
} & AddedRules;

/** The rules that `batch/v1` has no field for: {@link AnnotatedFields} are said by one annotation each. */
export type AddedRules = AnnotatedFields & {
  /** A Pod that has run so long has failed; null: it may run on. */
  readonly podDeadlineSec: number | null;
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
export const NO_ADDED_RULES: AddedRules = { ...annotatedFields({}), podDeadlineSec: null, gang: null };

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
  barePod: isBarePod(metadata),
  managed: isOwn({ spec }),
  held: metadata.finalizers?.some((finalizer) => finalizer !== FOREGROUND_DELETION) ?? false,
  selection: selectionOf(
    spec.completionMode === 'Indexed' ? (spec.completions ?? null) : null,
    metadata.annotations?.[ANNOTATIONS.indexes],
    inherited,
  ),
  podDeadlineSec: spec.template.spec.activeDeadlineSeconds ?? null,
  gang: gangOf(metadata.annotations ?? {}),
  ...annotatedFields(metadata.annotations ?? {}),
  // What infrastructure takes is not started again: a bare Pod is one attempt, in Kubernetes as here.
  ...(isBarePod(metadata) ? { disruptions: { kind: 'count' } as const } : {}),
});

const gangOf = (annotations: Labels): GangRule | null =>
  parseGang(annotations[ANNOTATIONS.gang] ?? '') === null
    ? null
    : {
        timeoutSec: parsePendingTimeout(annotations[ANNOTATIONS.gangTimeout] ?? '') ?? DEFAULT_GANG_TIMEOUT_SEC,
        restartsMax: parseGangRestarts(annotations[ANNOTATIONS.gangRestarts] ?? '') ?? DEFAULT_GANG_RESTARTS,
      };

/**
 * How many slots the board has for this spec: one for each completion index; a work queue has one for each Pod that may run at
 * once. It never shrinks below `sizeSoFar`, because attempt numbers outlive a resize.
 */
export function boardSize(spec: JobSpec, sizeSoFar: number): number {
  return Math.max(sizeSoFar, spec.completions ?? spec.parallelism);
}
