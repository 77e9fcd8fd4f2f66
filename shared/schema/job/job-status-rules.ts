import { type IndexSet, NO_INDEXES, intersect, parseIndexesStrict, union } from '../../domain/base/index-set.ts';
import type { JobManifestSpec, JobStatusDocument } from '../../domain/manifests/manifest.ts';
import { type FieldError, duplicate, invalid, required } from '../object/field-error.ts';

type Condition = 'Complete' | 'Failed' | 'FailureTarget' | 'SuccessCriteriaMet' | 'Suspended';

/** A status before and after a client's write, and facts about both that several rules need. */
type Change = {
  readonly spec: JobManifestSpec;
  readonly before: JobStatusDocument;
  readonly after: JobStatusDocument;
  readonly was: (type: Condition) => boolean;
  readonly is: (type: Condition) => boolean;
  /** Whether one of these fields or conditions differs. */
  readonly changes: (...what: readonly (keyof JobStatusDocument | Condition | 'finished')[]) => boolean;
};

/**
 * Kubernetes' rules for a new status of a Job (1.34: `ValidateJobUpdateStatus` with the options of the Job's
 * `getStatusValidationOptions`), in its order and its words. Most check only what changed. So an already invalid status
 * may change elsewhere, and the Job's own controller has time to follow a change of the spec.
 */
export function jobStatusErrors(
  spec: JobManifestSpec,
  before: JobStatusDocument,
  after: JobStatusDocument,
): readonly FieldError[] {
  const was = (type: Condition): boolean => isTrue(before, type);
  const is = (type: Condition): boolean => isTrue(after, type);
  const changes: Change['changes'] = (...what) =>
    what.some((each) => JSON.stringify(partOf(before, each)) !== JSON.stringify(partOf(after, each)));
  const change: Change = { spec, before, after, was, is, changes };
  return [
    ...countErrors(after),
    ...conditionErrors(change),
    ...timeErrors(change),
    ...verdictErrors(change),
    ...finishedErrors(change),
    ...indexErrors(change),
    ...stateErrors(change),
    ...transitionErrors(change),
  ];
}

const CONDITIONS: readonly string[] = ['Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet', 'Suspended'];

const isTrue = ({ conditions = [] }: JobStatusDocument, wanted: Condition): boolean =>
  conditions.some(({ type, status }) => type === wanted && status === 'True');

const isFinished = (status: JobStatusDocument): boolean => isTrue(status, 'Complete') || isTrue(status, 'Failed');

function partOf(status: JobStatusDocument, what: keyof JobStatusDocument | Condition | 'finished'): unknown {
  if (what === 'finished') return isFinished(status);
  if (isCondition(what)) return isTrue(status, what);
  const value = status[what];
  return NUMBERS.includes(what) ? (value ?? 0) : what === 'completedIndexes' ? (value ?? '') : (value ?? null);
}

const isCondition = (what: string): what is Condition => CONDITIONS.includes(what);
/** In Go these are not pointers, so a missing one is zero. */
const NUMBERS: readonly string[] = ['active', 'succeeded', 'failed'];

const at = (field: keyof JobStatusDocument): string => `status.${field}`;
const when = (isBroken: boolean, fieldError: FieldError): readonly FieldError[] => (isBroken ? [fieldError] : []);
const ofConditions = (message: string): FieldError => ({ path: at('conditions'), kind: 'Invalid', message });

function countErrors(after: JobStatusDocument): readonly FieldError[] {
  const { uncountedTerminatedPods = {} } = after;
  const seen = new Set<string>();
  return [
    ...(['active', 'succeeded', 'failed', 'ready', 'terminating'] as const).flatMap((field) =>
      when((after[field] ?? 0) < 0, invalid(at(field), after[field], 'must be greater than or equal to 0')),
    ),
    ...(['succeeded', 'failed'] as const).flatMap((list) =>
      (uncountedTerminatedPods[list] ?? []).flatMap((uid, i) => {
        const path = `${at('uncountedTerminatedPods')}.${list}[${i}]`;
        if (uid === '') return [invalid(path, uid, 'must not be empty')];
        if (seen.has(uid)) return [duplicate(path, uid)];
        seen.add(uid);
        return [];
      }),
    ),
  ];
}

const conditionErrors = ({ is, changes }: Change): readonly FieldError[] => [
  ...when(
    changes('Complete', 'Failed') && is('Complete') && is('Failed'),
    ofConditions('cannot set Complete=True and Failed=true conditions'),
  ),
  ...when(
    changes('Complete', 'FailureTarget') && is('Complete') && is('FailureTarget'),
    ofConditions('cannot set Complete=True and FailureTarget=true conditions'),
  ),
];

function timeErrors({ after: { startTime, completionTime }, is, changes }: Change): readonly FieldError[] {
  const path = at('completionTime');
  const asks = changes('Complete', 'completionTime');
  const isEarly =
    startTime !== undefined && completionTime !== undefined && Date.parse(completionTime) < Date.parse(startTime);
  return [
    ...when(
      asks && completionTime !== undefined && !is('Complete'),
      invalid(path, completionTime, 'cannot set completionTime when there is no Complete=True condition'),
    ),
    ...when(
      asks && completionTime === undefined && is('Complete'),
      required(path, 'completionTime is required for Complete jobs'),
    ),
    ...when(
      changes('startTime', 'completionTime') && isEarly,
      invalid(path, completionTime, 'completionTime cannot be set before startTime'),
    ),
  ];
}

const verdictErrors = ({ is, changes }: Change): readonly FieldError[] => [
  ...when(
    changes('Failed', 'FailureTarget') && is('Failed') && !is('FailureTarget'),
    ofConditions('cannot set Failed=True condition without the FailureTarget=true condition'),
  ),
  ...when(
    changes('Complete', 'SuccessCriteriaMet') && is('Complete') && !is('SuccessCriteriaMet'),
    ofConditions('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'),
  ),
];

function finishedErrors({ spec, after, changes }: Change): readonly FieldError[] {
  if (!isFinished(after)) return [];
  const { active = 0, startTime, uncountedTerminatedPods = {} } = after;
  const { succeeded = [], failed = [] } = uncountedTerminatedPods;
  // Such a Job completes without a start.
  const needsNoStart = spec.suspend && spec.completions === 0;
  return [
    ...when(
      changes('finished', 'active') && active > 0,
      invalid(at('active'), active, 'active>0 is invalid for finished job'),
    ),
    ...when(
      changes('finished', 'startTime') && startTime === undefined && !needsNoStart,
      required(at('startTime'), 'startTime is required for finished job'),
    ),
    ...when(
      changes('finished', 'uncountedTerminatedPods') && succeeded.length + failed.length > 0,
      invalid(
        at('uncountedTerminatedPods'),
        uncountedTerminatedPods,
        'uncountedTerminatedPods needs to be empty for finished job',
      ),
    ),
  ];
}

function indexErrors({ spec, after, changes }: Change): readonly FieldError[] {
  const { completions, backoffLimitPerIndex, completionMode } = spec;
  const { completedIndexes = '', failedIndexes } = after;
  const asksOf = (field: 'completedIndexes' | 'failedIndexes', text: string): readonly FieldError[] => {
    const parsed = parseIndexesStrict(text, completions ?? 0);
    return parsed.kind === 'ok' ? [] : [invalid(at(field), text, `error parsing ${field}: ${parsed.reason}`)];
  };
  const isNew = changes('completedIndexes');
  const isNewFailed = changes('failedIndexes') && failedIndexes !== undefined;
  const both =
    changes('completedIndexes', 'failedIndexes') && completions !== undefined
      ? overlap(completedIndexes, failedIndexes ?? '', completions)
      : null;
  return [
    ...(isNew && completions !== undefined ? asksOf('completedIndexes', completedIndexes) : []),
    ...(isNewFailed && completions !== undefined && backoffLimitPerIndex !== undefined
      ? asksOf('failedIndexes', failedIndexes)
      : []),
    ...when(
      isNew && completedIndexes !== '' && completionMode !== 'Indexed',
      invalid(
        at('completedIndexes'),
        completedIndexes,
        'cannot set non-empty completedIndexes when non-indexed completion mode',
      ),
    ),
    ...when(
      isNewFailed && backoffLimitPerIndex === undefined,
      invalid(
        at('failedIndexes'),
        failedIndexes,
        'cannot set non-null failedIndexes when backoffLimitPerIndex is null',
      ),
    ),
    ...(both === null
      ? []
      : [invalid(at('failedIndexes'), failedIndexes, `failedIndexes and completedIndexes overlap at index: ${both}`)]),
  ];
}

/** The first index that is in both texts. Another rule reports unreadable texts. */
function overlap(completed: string, failed: string, completions: number): number | null {
  const setOf = (text: string): IndexSet => {
    const parts = text.split(',').map((part) => parseIndexesStrict(part, completions));
    return parts.reduce((all, part) => (part.kind === 'ok' ? union(all, part.set) : all), NO_INDEXES);
  };
  return intersect(setOf(completed), setOf(failed)).edges[0] ?? null;
}

function stateErrors({ spec, after, is, changes }: Change): readonly FieldError[] {
  const { active = 0, ready = 0, terminating = 0 } = after;
  return [
    ...when(
      changes('finished', 'terminating') && terminating > 0 && isFinished(after),
      invalid(at('terminating'), terminating, 'terminating>0 is invalid for finished job'),
    ),
    ...when(
      changes('ready', 'active') && ready > active,
      invalid(at('ready'), ready, 'cannot set more ready pods than active'),
    ),
    ...when(
      is('SuccessCriteriaMet') && is('Failed'),
      ofConditions('cannot set SuccessCriteriaMet=True and Failed=true conditions'),
    ),
    ...when(
      is('SuccessCriteriaMet') && is('FailureTarget'),
      ofConditions('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'),
    ),
    ...when(
      spec.successPolicy !== undefined && is('Complete') && !is('SuccessCriteriaMet'),
      ofConditions('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True'),
    ),
  ];
}

function transitionErrors({ spec, before, after, was, is, changes }: Change): readonly FieldError[] {
  const mayShrink = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  const less = (field: 'failed' | 'succeeded'): boolean => (after[field] ?? 0) < (before[field] ?? 0);
  const resumes = was('Suspended') && conditionOf(after, 'Suspended') === 'False';
  return [
    ...(['Failed', 'Complete', 'FailureTarget'] as const).flatMap((type) =>
      when(was(type) && !is(type), ofConditions(`cannot disable the terminal ${type}=True condition`)),
    ),
    ...when(less('failed'), invalid(at('failed'), after.failed ?? 0, 'cannot decrease the failed counter')),
    ...when(
      !mayShrink && less('succeeded'),
      invalid(at('succeeded'), after.succeeded ?? 0, 'cannot decrease the succeeded counter'),
    ),
    ...when(
      before.completionTime !== undefined && after.completionTime !== undefined && changes('completionTime'),
      invalid(at('completionTime'), after.completionTime, 'completionTime cannot be mutated'),
    ),
    ...when(
      before.startTime !== undefined && changes('startTime') && !spec.suspend && !resumes,
      required(at('startTime'), 'startTime cannot be removed for unsuspended job'),
    ),
    ...when(
      was('SuccessCriteriaMet') && !is('SuccessCriteriaMet'),
      ofConditions('cannot disable the SuccessCriteriaMet=True condition'),
    ),
    ...when(
      was('Complete') && !was('SuccessCriteriaMet') && is('SuccessCriteriaMet'),
      ofConditions('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'),
    ),
  ];
}

const conditionOf = ({ conditions = [] }: JobStatusDocument, wanted: Condition): string | undefined =>
  conditions.find(({ type }) => type === wanted)?.status;
