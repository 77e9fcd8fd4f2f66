import { type IndexSet, intersect, parseStatusIndexes, size } from '../../shared/domain/base/index-set.ts';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { allIndexes } from '../../shared/domain/manifests/selection.ts';
import { type Job, ProgressSchema } from '../client/api-objects.ts';
import { type KubeClient, progressPath, readAs } from '../client/kube-client.ts';

/**
 * How many of the wanted indexes a Job runs itself: those that it has inherited, leaves out, or has given up have no attempt in it.
 *
 * @param wanted null: all
 * @returns null for a Job without indexes
 */
export async function countRunning(job: Job, wanted: IndexSet | null, client: KubeClient): Promise<number | null> {
  const { metadata, spec } = job;
  if (spec.completionMode !== 'Indexed') return null;
  const all = wanted ?? allIndexes(spec.completions ?? 0);
  const { annotations } = metadata;
  if (annotations[ANNOTATIONS.rerunOf] === undefined && annotations[ANNOTATIONS.indexes] === undefined)
    return size(all);
  const progress = readAs(
    ProgressSchema,
    await client.get(progressPath(metadata.namespace, metadata.name)),
    client.target,
  );
  const others = (state: string): IndexSet =>
    parseStatusIndexes(progress.indexes?.[state] ?? '', spec.completions ?? 0);
  const notRun = (['inherited', 'excluded', 'cancelled'] as const).map((state) => size(intersect(all, others(state))));
  return notRun.reduce((left, count) => left - count, size(all));
}
