import { formatIndexSet, indexSetOf } from '../../../domain/base/index-set.ts';
import { planningSpec } from '../../../domain/manifests/job.ts';
import type { JobManifestSpec } from '../../../domain/manifests/manifest.ts';
import type { TaskView } from '../../../domain/task/task.ts';
import type { JobView } from '../../../kube/jobs/job-view.ts';
import type { HowEnded } from './virtual-world.ts';

/** Kubernetes counts failed Pods for an index's limit, and a Pod that is restarted has not failed. */
const whyForEver = ({ backoffLimitPerIndex, template }: JobManifestSpec): string =>
  backoffLimitPerIndex !== undefined && template.spec.restartPolicy === 'OnFailure'
    ? ': a restart in the same Pod (OnFailure) does not count for backoffLimitPerIndex'
    : '';

/** What a Job that does not end waits for, in words. */
export function waitsFor({ spec, status }: JobView, tasks: readonly TaskView[], ended: HowEnded): string {
  const { managed, activeDeadlineSec, parallelism } = planningSpec(spec);
  if (ended !== 'still') {
    const hours = Math.floor((status.now - spec.identity.createdAt) / 3_600_000);
    return `after ${tasks.length} tasks in ${hours} hours it still starts new ones${whyForEver(spec.manifest.spec)}`;
  }
  const live = tasks.filter(({ stage }) => stage !== 'stopped');
  const indexes = formatIndexSet(indexSetOf([...new Set(live.map(({ id }) => id.index))].sort((a, b) => a - b)));
  const which = live.length === 1 ? `index ${indexes} runs` : `indexes ${indexes} run`;
  if (!managed) return 'managedBy names another controller, so Muster does nothing about it';
  if (live.length > 0 && status.phase.kind !== 'running') return `${which} on although asked to stop`;
  if (live.length > 0)
    return `${which} until stopped${activeDeadlineSec === null ? ', and there is no activeDeadlineSeconds' : ''}`;
  if (status.phase.kind === 'suspended') return 'it is suspended, and nobody resumes it';
  if (parallelism === 0) return 'parallelism is 0';
  return status.waitReason ?? 'nothing that would make it go on ever happens';
}
