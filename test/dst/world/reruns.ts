import { withoutJudgement } from './judged-jobs.ts';
import { ANNOTATIONS } from '../../../shared/domain/manifests/annotations.ts';
import { formatIndexSet, indexSetOf, size } from '../../../shared/domain/base/index-set.ts';
import { metRule } from '../../../shared/domain/planner/success-policy.ts';
import { initialHits } from '../../../shared/domain/scoreboard/initial-board.ts';
import { neverMet } from '../../../shared/domain/manifests/selection.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import { toJob } from '../../../shared/store/to-job.ts';
import type { Random } from '../random.ts';

/** Of Indexed Jobs. */
const SHARE = 0.3;

/**
 * The Job as it was, or one in which not every index runs: it repeats another, whose successes it inherits, or names the indexes
 * that run, or both. As admission would let it in: at least one index runs, and a success policy has something to decide.
 */
export function rerunByLuck(spec: StoredSpec, random: Random): StoredSpec {
  const { completionMode, completions = 0 } = spec.manifest.spec;
  if (completionMode !== 'Indexed' || completions < 2 || !random.chance(SHARE)) return spec;
  const kind = random.pick(['inherited', 'chosen', 'both'] as const);
  const keeps = random.pick([0.2, 0.5, 0.9]);
  const excludes = random.pick([0.2, 0.5, 0.9]);
  const first = random.between(0, completions - 1);
  const runs: number[] = [];
  const inherited: number[] = [];
  for (let index = 0; index < completions; index++) {
    const isKept = kind !== 'chosen' && random.chance(keeps);
    const isLeftOut = kind !== 'inherited' && random.chance(excludes);
    if (index === first || (!isKept && !isLeftOut)) runs.push(index);
    else if (isKept) inherited.push(index);
  }
  return withoutIdlePolicy(kind === 'inherited' ? spec : withChosen(spec, runs), inherited);
}

function withChosen(spec: StoredSpec, runs: readonly number[]): StoredSpec {
  const { manifest } = spec;
  const annotations = { ...manifest.metadata.annotations, [ANNOTATIONS.indexes]: formatIndexSet(indexSetOf(runs)) };
  return { ...spec, manifest: { ...manifest, metadata: { ...manifest.metadata, annotations } } };
}

function withoutIdlePolicy(chosen: StoredSpec, inherited: readonly number[]): StoredSpec {
  const spec = inherited.length === 0 ? chosen : { ...chosen, inherited: formatIndexSet(indexSetOf(inherited)) };
  const { successPolicy, selection, completions } = toJob(spec).spec;
  const rules = successPolicy ?? [];
  const isMet =
    metRule(rules, initialHits(rules, selection), {
      succeeded: size(selection.inherited),
      base: (completions ?? 0) - size(selection.excluded),
    }) !== null;
  if (!isMet && neverMet(rules, selection, completions ?? 0) === null) return spec;
  const { successPolicy: _, ...rest } = spec.manifest.spec;
  return { ...spec, manifest: { ...withoutJudgement(spec.manifest), spec: rest } };
}
