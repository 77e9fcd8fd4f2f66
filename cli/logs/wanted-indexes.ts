import { type IndexSet, parseIndexesStrict } from '../../shared/domain/base/index-set.ts';
import type { Job } from '../client/api-objects.ts';
import { usageFailure } from '../failure.ts';

/**
 * Parses `--index`: one index, or several such as `0-3,7`.
 *
 * @throws Failure when it is no such text, or the Job has no such index
 */
export function wantedIndexes(text: string, { metadata, spec }: Job): IndexSet {
  if (spec.completionMode === 'NonIndexed')
    throw usageFailure(`Job ${metadata.name} is NonIndexed: its Pods have no index`);
  const completions = spec.completions ?? 0;
  const parsed = parseIndexesStrict(text, Number.MAX_SAFE_INTEGER);
  if (parsed.kind === 'invalid') throw usageFailure(`--index ${JSON.stringify(text)}: ${parsed.reason}`);
  const after = parsed.set.edges.at(-1) ?? 0;
  if (after > completions)
    throw usageFailure(`index ${after - 1}: ${completions === 0 ? 'none exist' : `0 to ${completions - 1} exist`}`);
  return parsed.set;
}
