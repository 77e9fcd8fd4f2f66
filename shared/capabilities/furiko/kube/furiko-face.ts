import { chunksFor } from '../../../domain/scoreboard/board.ts';
import { invariant } from '../../../domain/base/invariant.ts';
import { asTime } from '../../../domain/base/time.ts';
import { FURIKO_API_VERSION, type FurikoPart } from '../domain/furiko-job.ts';
import { furikoStatus } from '../domain/view/furiko-status.ts';
import type { TaskFacts } from '../domain/view/task-ref.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import type { JobFace } from '../../../kube/jobs/job-face.ts';
import type { JobView } from '../../../kube/jobs/job-view.ts';
import { deletionOf, managedThrough } from '../../../kube/jobs/render-job.ts';
import { readTasks } from './read-tasks.ts';

/** Jobs of `execution.furiko.io`: those stored Jobs that were written as such. */
export const FURIKO_FACE: JobFace<FurikoJobObject> = {
  resource: API_KINDS.FurikoJob,
  apiVersion: FURIKO_API_VERSION,
  chunks: ({ size }, { furiko }) =>
    furiko === undefined ? [] : Array.from({ length: chunksFor(size) }, (_, no) => no),
  async render(view, reads) {
    const { furiko } = view.spec;
    return furiko === undefined ? null : renderFurikoJob(view, furiko, await readTasks(view, furiko, reads));
  },
  renderNew(view) {
    const { furiko } = view.spec;
    invariant(furiko !== undefined, 'a Job that was admitted as this kind has what its users see');
    return renderFurikoJob(view, furiko, []);
  },
  showsAll: false,
  fields: [],
  fieldsOf: () => ({}),
};

export type FurikoJobObject = ReturnType<typeof renderFurikoJob>;

/** A Job as Furiko's users see it. The view has all chunks. */
export function renderFurikoJob(
  { spec, status, version, board }: JobView,
  part: FurikoPart,
  tasks: readonly TaskFacts[],
) {
  const { identity, manifest, generation } = spec;
  const { labels: _labels, annotations: _annotations, managedFields, ...metadata } = manifest.metadata;
  return {
    apiVersion: FURIKO_API_VERSION,
    kind: 'Job',
    metadata: {
      ...metadata,
      name: identity.name,
      namespace: identity.namespace,
      uid: identity.uid,
      resourceVersion: String(version),
      generation,
      creationTimestamp: asTime(identity.createdAt),
      ...deletionOf(status),
      ...part.metadata,
      ...managedThrough(FURIKO_API_VERSION, managedFields),
    },
    spec: part.spec,
    status: furikoStatus({
      part,
      createdAt: identity.createdAt,
      status,
      record: (index) => board.record(index),
      tasks,
    }),
  };
}
