import { asTime } from '../domain/brand.ts';
import type { ChartedFailure } from '../domain/failures.ts';
import { formatIndexSet, indexSetOf } from '../domain/index-set.ts';
import { podName } from '../domain/pod-name.ts';
import type { JobFailures } from '../ports/doctor.ts';
import type { StoredSpec } from '../ports/job-store.ts';

/** What of a Job has failed and why: Muster's own object, which no Kubernetes client knows. */
export function renderFailures({ spec, status, groups, more }: JobFailures) {
  const { namespace, name, uid } = spec.identity;
  return {
    apiVersion: 'muster.run/v1',
    kind: 'JobFailures',
    metadata: { namespace, name, uid },
    /** Failed attempts that count, those of indexes that have succeeded since included. */
    failedAttempts: status.failed,
    /** There is more than was looked at. */
    more,
    groups: groups.map((group) => renderGroup(group, spec)),
  };
}

function renderGroup(group: ChartedFailure, { identity, manifest }: StoredSpec) {
  const { words, cause, exitCode, judgement, stoppedWithJob, indexes, example, log, lastAt } = group;
  const { completionMode } = manifest.spec;
  const isIndexed = completionMode === 'Indexed';
  return {
    /** The kubelet's word. */
    reason: words.reason,
    /** One line. */
    cause,
    exitCode,
    verdict: `${judgement.as}: ${judgement.because}`,
    /** They ran when the Job failed: a consequence, and no cause. */
    stoppedWithJob,
    count: indexes.length,
    ...(isIndexed ? { indexes: formatIndexSet(indexSetOf(indexes)) } : {}),
    lastAt: lastAt === null ? null : asTime(lastAt),
    /** The first that failed so, with the last lines of its log, oldest first. */
    example: {
      pod: podName({ ...identity, completionMode }, example.index, example.attempt),
      ...(isIndexed ? { index: example.index } : {}),
      attempt: example.attempt,
      log: log.kind === 'seen' ? log.value : [],
    },
  };
}
