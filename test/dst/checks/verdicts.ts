import type { EpochMs } from '../../../shared/domain/base/time.ts';
import { has, size } from '../../../shared/domain/base/index-set.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import type { SuccessRule } from '../../../shared/domain/manifests/success-rules.ts';
import type { Verdict } from '../../../shared/domain/scoreboard/status.ts';
import type { ShadowBoard } from './shadow.ts';

/** What a verdict may rest on. */
export type Evidence = {
  readonly spec: JobSpec;
  readonly board: ShadowBoard;
  /** The most that the Pods' restarts came to while the pass went on. */
  readonly restarts: number;
  readonly startTime: EpochMs | null;
  /** It is too soon for it to start. */
  readonly isHeld: boolean;
  readonly now: EpochMs;
  /** An attempt that this commit counts has met a FailJob rule. */
  readonly failJob: boolean;
};

type Reason = Verdict['reason'];

/** Shares are thousandths of a per cent. */
const WHOLE = 100_000;

/** Why this Job must fail now; empty: it must not. */
export function reasonsToFail({ spec, board, restarts, startTime, isHeld, now, failJob }: Evidence): readonly Reason[] {
  const { backoffLimit, completions, maxFailedIndexes, maxFailedShare } = spec;
  const failed = within(board.failed, completions);
  const succeeded = within(board.succeeded, completions);
  const excluded = within(board.excluded, completions);
  const perIndex = spec.backoffLimitPerIndex !== null;
  const restartsMax = spec.restartPolicy === 'OnFailure' && !spec.barePod ? Math.max(backoffLimit, 1) : Infinity;
  const deadline = spec.activeDeadlineSec === null || spec.suspend ? Infinity : spec.activeDeadlineSec * 1000;
  const all: readonly (readonly [Reason, boolean])[] = [
    ['PodFailurePolicy', failJob],
    ['BackoffLimitExceeded', board.failures > backoffLimit || restarts >= restartsMax],
    ['DeadlineExceeded', !isHeld && now - (startTime ?? now) >= deadline],
    ['MaxFailedIndexesExceeded', perIndex && failed > (maxFailedIndexes ?? Infinity)],
    [
      'MaxFailedIndexesExceeded',
      perIndex && maxFailedShare !== null && failed * WHOLE > maxFailedShare * ((completions ?? 0) - excluded),
    ],
    ['FailedIndexes', perIndex && failed > 0 && failed + succeeded + excluded >= (completions ?? Infinity)],
  ];
  return all.filter(([, holds]) => holds).map(([reason]) => reason);
}

/** Why it has succeeded; CompletionsReached also waits for the Pods that there are. */
export function reasonsToSucceed({ spec, board }: Evidence): readonly Reason[] {
  const { completions, successPolicy } = spec;
  const succeeded = within(board.succeeded, completions);
  const excluded = within(board.excluded, completions);
  const base = (completions ?? 0) - excluded;
  const policy = successPolicy?.some((rule) => isMet(rule, board, succeeded, base)) ?? false;
  const reached = completions === null ? succeeded > 0 : succeeded + excluded >= completions;
  return [...(policy ? (['SuccessPolicy'] as const) : []), ...(reached ? (['CompletionsReached'] as const) : [])];
}

function isMet(rule: SuccessRule, board: ShadowBoard, succeeded: number, base: number): boolean {
  const hits = hitsOf(rule, board);
  if (succeeded === 0) return false;
  const share = rule.own?.share ?? null;
  if (share !== null) return succeeded * WHOLE >= share * base;
  if (rule.indexes === null) return rule.count !== null && succeeded >= rule.count;
  return hits > 0 && hits >= (rule.count ?? size(rule.indexes));
}

/** How many of the indexes that a rule lists have succeeded. */
export const hitsOf = ({ indexes }: SuccessRule, { succeeded }: ShadowBoard): number =>
  indexes === null ? 0 : [...succeeded].filter((index) => has(indexes, index)).length;

/** How many of these indexes the Job has (still). */
function within(indexes: ReadonlySet<number>, completions: number | null): number {
  if (completions === null) return indexes.size;
  let count = 0;
  for (const index of indexes) if (index < completions) count++;
  return count;
}
