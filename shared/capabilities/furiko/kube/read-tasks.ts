import { indexCount } from '../domain/parallel-index.ts';
import { isRunning } from '../domain/view/index-standing.ts';
import { SHOWN_INDEXES_MAX } from '../domain/view/furiko-status.ts';
import type { TaskFacts } from '../domain/view/task-ref.ts';
import type { EpochMs } from '../../../domain/base/time.ts';
import { podName } from '../../../domain/task/pod-name.ts';
import type { FurikoPart } from '../domain/furiko-job.ts';
import type { JobView, Reads } from '../../../kube/jobs/job-view.ts';
import type { PodFacts } from '../../../kube/pods/pod-facts.ts';
import { attemptsOf, readFacts } from '../../../kube/pods/read-pods.ts';
import { pendingWords } from '../../../kube/pods/render-pod-status.ts';
import { nodeOf, podCreatedAt, stoppingSince, taskOf } from '../../../kube/pods/render-pod.ts';

/**
 * The tasks of a Furiko Job, as far as they are still known; none of a Job that has more indexes than are shown. The view has
 * all chunks.
 */
export async function readTasks(view: JobView, { spec }: FurikoPart, reads: Reads): Promise<readonly TaskFacts[]> {
  const indexes = indexCount(spec.template.parallelism);
  if (indexes > SHOWN_INDEXES_MAX) return [];
  const picks = Array.from({ length: indexes }, (_, index) => attemptsOf(view, index)).flat();
  const found = await readFacts(view, picks, reads);
  return found.flatMap((facts) => taskOfPod(facts) ?? []);
}

/** null: nothing ever ran, or nothing is known any more. */
function taskOfPod(pod: PodFacts): TaskFacts | null {
  const { index, attempt, state, record, current, spec } = pod;
  const task = taskOf(pod);
  const known = {
    index,
    attempt,
    name: podName({ ...spec.identity, completionMode: spec.manifest.spec.completionMode }, index, attempt),
    createdAt: podCreatedAt(pod),
    node: task === null ? null : nodeOf(task),
  };
  if (current === null || state === 'ended') return record === null ? null : { ...known, kind: 'ended', record };
  return {
    ...known,
    kind: 'live',
    runningAt: isRunning(current) ? runningSince(pod) : null,
    stopping: stoppingSince(pod) !== null,
    overdue: current.overdue,
    wait: pendingWords(pod),
  };
}

/** As far as is known: a task's own start is reported when it has ended. */
function runningSince(pod: PodFacts): EpochMs {
  const { before, record, launch } = pod;
  const launchedAt = launch?.state === 'launched' ? launch.since : null;
  return (before ?? record)?.times.startedAt ?? launchedAt ?? podCreatedAt(pod);
}
