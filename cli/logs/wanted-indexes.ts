import { type IndexSet, parseIndexesStrict } from '../../shared/domain/base/index-set.ts';
import { OTHER_JOBS } from '../../shared/capabilities/lists/cli/command-line.ts';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import type { Job } from '../client/api-objects.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { usageFailure } from '../shell/failure.ts';

/**
 * Parses `--index`: one index, or several such as `0-3,7`. Of a Job that another API made also what names an index there.
 *
 * @throws Failure when it is no such text, or the Job has no such index
 */
export async function wantedIndexes(text: string, job: Job, client: KubeClient): Promise<IndexSet> {
  const isNumbers = parseIndexesStrict(text, Number.MAX_SAFE_INTEGER).kind === 'ok';
  const isListed = job.metadata.annotations[ANNOTATIONS.matrix] !== undefined;
  if (isNumbers && !isListed) return numberedIndexes(text, job);
  for (const { namedIndex } of OTHER_JOBS) {
    const named = await namedIndex(text, job, client);
    if (named?.kind === 'ok') return named.indexes;
    if (named !== null && !isNumbers) throw usageFailure(`--index ${JSON.stringify(text)}: ${named.message}`);
  }
  return numberedIndexes(text, job);
}

function numberedIndexes(text: string, { metadata, spec }: Job): IndexSet {
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
