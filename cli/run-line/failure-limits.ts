import { usageFailure } from '../shell/failure.ts';
import type { LineFlags } from './line-flags.ts';

/** What a command line says about failures, as fields of the Job. */
export type FailureLimits = {
  readonly restartPolicy: 'OnFailure' | 'Never';
  /** Of the Job's spec. */
  readonly fields: { readonly backoffLimitPerIndex?: number; readonly maxFailedIndexes?: number };
};

/** Each index of a list that fails is tried so often again. */
const RETRIES_DEFAULT = 1;
/** In a list this short, all may fail. */
const SHORT_LIST = 20;
/** Kubernetes' limit for more than 100,000 completions, and enough to see that a list is bad. */
const FAILED_MAX = 10_000;

/**
 * How often an index is tried, and how many may fail. With a list an index that fails leaves the others alone, until half of
 * them have failed: docs/decisions/one-bad-item.md.
 *
 * @param completions how many indexes there are
 * @throws Failure (invalid command line) if two flags contradict each other
 */
export function failureLimits(flags: LineFlags, hasList: boolean, completions: number): FailureLimits {
  const { retries, restart, maxFailed } = flags;
  if (restart === 'OnFailure') {
    if (retries !== undefined)
      throw usageFailure(
        '--retries counts failed Pods, and --restart OnFailure starts them again: leave one of them out',
      );
    if (maxFailed !== undefined)
      throw usageFailure('--max-failed counts failed indexes, and with --restart OnFailure none is: leave one out');
    return { restartPolicy: 'OnFailure', fields: {} };
  }
  if (!hasList && retries === undefined) {
    if (maxFailed !== undefined) throw usageFailure('--max-failed needs a list, or --retries');
    return { restartPolicy: restart ?? 'OnFailure', fields: {} };
  }
  if (maxFailed !== undefined && maxFailed > completions)
    throw usageFailure(`--max-failed ${maxFailed}: there are ${completions} indexes`);
  const most = maxFailed ?? (hasList && completions > SHORT_LIST ? halfOf(completions) : null);
  return {
    restartPolicy: 'Never',
    fields: {
      backoffLimitPerIndex: retries ?? RETRIES_DEFAULT,
      ...(most === null ? {} : { maxFailedIndexes: most }),
    },
  };
}

const halfOf = (completions: number): number => Math.min(Math.ceil(completions / 2), FAILED_MAX);
