import { ANNOTATIONS } from '../../domain/manifests/annotations.ts';
import { type IndexSet, formatIndexSet, parseStatusIndexes, size } from '../../domain/base/index-set.ts';
import { type JobItems, isSameList, jobItemsOf } from '../../domain/items/job-items.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { metRule } from '../../domain/planner/success-policy.ts';
import { initialHits } from '../../domain/scoreboard/initial-board.ts';
import { chunksForSettled, settledIndexes } from '../../domain/scoreboard/settled-indexes.ts';
import { type Status, endOf, isHidden } from '../../domain/scoreboard/status.ts';
import { WorkingBoard } from '../../domain/scoreboard/working-board.ts';
import { isOwn } from '../../domain/manifests/job.ts';
import { rerunOf } from '../../domain/manifests/selection.ts';
import type { Unfit } from '../../ports/job-commands.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { type FieldError, invalid } from '../../schema/object/field-error.ts';
import { annotationPath, placeOf, policyErrors } from '../../schema/job/selection-rules.ts';
import { isOneRevision, readJob } from '../../store/read-job.ts';
import { toJob } from '../../store/to-job.ts';
import type { Deps } from '../process/deps.ts';

/** As much as all annotations of an object may have. */
const INHERITED_BYTES_MAX = 256 * 1024;

/** How the Job that is to be run again has ended. */
export type EndedJob = {
  readonly completions: number;
  readonly succeeded: IndexSet;
  /** What its indexes have worked on; null: it has no work list. */
  readonly items: JobItems | null;
};

type Inheriting = { readonly kind: 'ok'; readonly spec: StoredSpec } | Unfit;

/**
 * A Job that is about to be stored, with what it inherits: the successes of the Job that `muster.run/rerun-of` names, as they
 * are now. That Job is over, so they do not change, and later it may be deleted. A Job that has inherited already stays as it is.
 *
 * @returns `invalid` with the faults, if it cannot run again what has not succeeded there
 */
export async function withInherited(spec: StoredSpec, deps: Pick<Deps, 'jobs' | 'cache'>): Promise<Inheriting> {
  const name = nameOfOther(spec);
  if (name === undefined || spec.inherited !== undefined) return { kind: 'ok', spec };
  const before = await readEnded(spec.identity.namespace, name, deps);
  return typeof before === 'string' ? unfit(spec, before) : inheriting(spec, before);
}

/** The same, when it is known how the other Job has ended. */
export function inheriting(spec: StoredSpec, before: EndedJob): Inheriting {
  const inherited = inheritedOf(spec, before);
  if (typeof inherited === 'string') return unfit(spec, inherited);
  const errors = policyFaults(inherited);
  return errors.length > 0 ? { kind: 'invalid', errors } : { kind: 'ok', spec: inherited };
}

const nameOfOther = ({ manifest }: StoredSpec): string | undefined =>
  manifest.metadata.annotations?.[ANNOTATIONS.rerunOf];

const unfit = (spec: StoredSpec, why: string): Unfit => ({
  kind: 'invalid',
  errors: [invalid(annotationPath(ANNOTATIONS.rerunOf), nameOfOther(spec), why)],
});

/** What a Job has come to; text: why nothing can be inherited from it. */
async function readEnded(
  namespace: string,
  name: string,
  { jobs, cache }: Pick<Deps, 'jobs' | 'cache'>,
): Promise<EndedJob | string> {
  const uid = await jobs.findJob(namespace, name);
  const read = uid === null ? null : await readWhole(uid, { jobs, cache });
  if (read === null || isHidden(read.status.phase)) return 'there is no Job of this name in the namespace';
  const { spec, status, chunks } = read;
  const { completionMode, completions = 0 } = spec.manifest.spec;
  if (completionMode !== 'Indexed') return 'that Job is not Indexed: its Pods have no indexes that could run again';
  if (!isOwn(spec.manifest)) return 'another controller runs that Job, so it is not known which indexes have succeeded';
  if (endOf(status.phase) === null) return 'that Job is not over: it is neither Complete nor Failed yet';
  const succeeded = settledIndexes('succeeded', completions, status, new WorkingBoard(status, chunks));
  return { completions, succeeded, items: jobItemsOf(spec.manifest) };
}

const readWhole = async (uid: JobUid, { jobs, cache }: Pick<Deps, 'jobs' | 'cache'>) =>
  readJob(
    uid,
    async (): Promise<{ readonly spec: StoredSpec; readonly status: Status } | null | 'conflict'> => {
      const [spec, status] = await Promise.all([jobs.readSpec(uid), jobs.readStatus(uid)]);
      if (spec === null || status === null) return null;
      return isOneRevision(spec, status) ? { spec, status } : 'conflict';
    },
    ({ spec, status }) => ({
      nos: chunksForSettled(status, ['succeeded']),
      selection: toJob(spec).spec.selection,
    }),
    { jobs, cache: cache.chunks },
  );

/** The Job with what it inherits; text: why it cannot. */
function inheritedOf(spec: StoredSpec, before: EndedJob): StoredSpec | string {
  const { completions = 0 } = spec.manifest.spec;
  if (before.completions !== completions)
    return `that Job has ${before.completions} completions and this one ${completions}: they must be the same`;
  if (!isSameList(before.items, jobItemsOf(spec.manifest)))
    return 'that Job has another work list, so its indexes have worked on other items';
  const chosen = spec.manifest.metadata.annotations?.[ANNOTATIONS.indexes];
  const rerun = rerunOf(
    completions,
    before.succeeded,
    chosen === undefined ? null : parseStatusIndexes(chosen, completions),
  );
  if (rerun.kind === 'nothingToRun')
    return `nothing is left to run: all of its indexes have succeeded; ${ANNOTATIONS.indexes} can name some to run again`;
  const inherited = formatIndexSet(rerun.inherited);
  return inherited.length > INHERITED_BYTES_MAX
    ? `what has succeeded there takes ${inherited.length} bytes as a list of indexes, and may take ${INHERITED_BYTES_MAX}: too many gaps`
    : { ...spec, inherited };
}

/** A success policy must be able to decide: neither before anything has run, nor never. */
function policyFaults(spec: StoredSpec): readonly FieldError[] {
  const { successPolicy, completions = 0 } = spec.manifest.spec;
  const { successPolicy: policy, selection } = toJob(spec).spec;
  const [rules, shown] = [policy ?? [], successPolicy?.rules ?? []];
  const met = metRule(rules, initialHits(rules, selection), {
    succeeded: size(selection.inherited),
    base: completions - size(selection.excluded),
  });
  const rule = met === null ? undefined : rules[met];
  if (met === null || rule === undefined) return policyErrors(selection, completions, rules, shown);
  const { path, value } = placeOf(rule, met, shown);
  return [invalid(path, value, 'is met by the indexes that have succeeded before: nothing would run')];
}
