import { type IndexSet, indexSetOf, parseIndexesStrict } from '../../shared/domain/base/index-set.ts';
import type { IndexNames } from '../../shared/capabilities/furiko/domain/furiko-job.ts';
import { parseIndexArgument } from '../../shared/capabilities/furiko/domain/index-argument.ts';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { FurikoJobSchema, type Job } from '../client/api-objects.ts';
import { type KubeClient, furikoJobsPath, readAs } from '../client/kube-client.ts';
import { ApiFailure, usageFailure } from '../shell/failure.ts';

/**
 * Parses `--index`: one index, or several such as `0-3,7`. Of a Job that Furiko's API made also a key, `name=value,…` of its matrix,
 * or either as JSON.
 *
 * @throws Failure when it is no such text, or the Job has no such index
 */
export async function wantedIndexes(text: string, job: Job, client: KubeClient): Promise<IndexSet> {
  const isNumbers = parseIndexesStrict(text, Number.MAX_SAFE_INTEGER).kind === 'ok';
  const isListed = job.metadata.annotations[ANNOTATIONS.matrix] !== undefined;
  if (isNumbers && !isListed) return numberedIndexes(text, job);
  const parallelism = await parallelismOf(job, client);
  if (parallelism === null) return numberedIndexes(text, job);
  const named = parseIndexArgument(text, parallelism);
  if (named.kind === 'ok') return indexSetOf([named.index]);
  if (isNumbers) return numberedIndexes(text, job);
  throw usageFailure(`--index ${JSON.stringify(text)}: ${named.message}`);
}

/** How a Job of Furiko's names its indexes; null: it is none. */
async function parallelismOf({ metadata: { namespace, name } }: Job, client: KubeClient): Promise<IndexNames | null> {
  try {
    const found = readAs(FurikoJobSchema, await client.get(furikoJobsPath(namespace, name)), client.target);
    const { withCount, withKeys, withMatrix } = found.spec.template.parallelism ?? {};
    return {
      ...(withCount === undefined ? {} : { withCount }),
      ...(withKeys === undefined ? {} : { withKeys }),
      ...(withMatrix === undefined ? {} : { withMatrix }),
    };
  } catch (error) {
    if (error instanceof ApiFailure && error.status.code === 404) return null;
    throw error;
  }
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
