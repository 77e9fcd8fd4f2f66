import type { JobFailures } from '../../ports/gathered/job-failures.ts';
import { ITEMS_NAMED_MAX, type ItemOf } from '../../domain/base/shown-index.ts';
import { asTime } from '../../domain/base/time.ts';
import type { CollectedFailure } from '../../domain/failures/failures.ts';
import { formatIndexSet, indexSetOf } from '../../domain/base/index-set.ts';
import { mainContainer } from '../../domain/task/pod-template.ts';
import { podName } from '../../domain/task/pod-name.ts';
import { verdictText } from '../../domain/scoreboard/why.ts';
import type { StoredSpec } from '../../ports/job-store.ts';

/** What has failed in a Job and why: Muster's own object, which no Kubernetes client knows. */
export function renderFailures({ spec, status, groups, more, itemOf }: JobFailures) {
  const { namespace, name, uid } = spec.identity;
  return {
    apiVersion: 'muster.run/v1',
    kind: 'JobFailures',
    metadata: { namespace, name, uid },
    /** Failed attempts that count, including those of indexes that have succeeded since. */
    failedAttempts: status.failed,
    /** There is more than was checked. */
    more,
    groups: groups.map((group) => renderGroup(group, spec, itemOf)),
  };
}

function renderGroup(group: CollectedFailure, { identity, manifest }: StoredSpec, itemOf: ItemOf) {
  const { words, cause, exitCode, judgement, stoppedWithJob, indexes, example, log, lastAt } = group;
  const { completionMode } = manifest.spec;
  const isIndexed = completionMode === 'Indexed';
  const item = itemOf(example.index);
  const { container } = example.ending;
  const isMain = container === null || container === mainContainer(manifest).name;
  return {
    /** The kubelet's word. */
    reason: words.reason,
    /** One line. */
    cause,
    exitCode,
    verdict: verdictText(judgement),
    /** The same as data. */
    outcome: judgement.as,
    why: judgement.why,
    /** They ran when the Job failed: a consequence, not a cause. */
    stoppedWithJob,
    count: indexes.length,
    ...(isIndexed ? { indexes: formatIndexSet(indexSetOf(indexes)) } : {}),
    /** Of the first of them. */
    ...(item === null ? {} : { items: indexes.slice(0, ITEMS_NAMED_MAX).flatMap((index) => itemOf(index) ?? []) }),
    lastAt: lastAt === null ? null : asTime(lastAt),
    /** The first with this failure, with the last lines of its log, oldest first. */
    example: {
      pod: podName({ ...identity, completionMode }, example.index, example.attempt),
      ...(isIndexed ? { index: example.index } : {}),
      ...(item === null ? {} : { item }),
      attempt: example.attempt,
      /** Whose log it is, if not the main container's. */
      ...(isMain ? {} : { container }),
      log: log.kind === 'ok' ? log.value : [],
    },
  };
}
