import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { has, parseStatusIndexes } from '../../../shared/domain/base/index-set.ts';
import { isBarePod } from '../../../shared/domain/manifests/bare-pod.ts';
import type { JobStatusDocument } from '../../../shared/domain/manifests/manifest.ts';
import type { Feed } from '../../../shared/ports/feed.ts';
import type { JobStore } from '../../../shared/ports/job-store.ts';
import { type JobView, type Reads, chunksForSummary, readJobView } from '../../../shared/kube/jobs/job-view.ts';
import { renderJob } from '../../../shared/kube/jobs/render-job.ts';
import { podFactsOf } from '../../../shared/kube/pods/read-pods.ts';
import { renderPod } from '../../../shared/kube/pods/render-pod.ts';
import type { Forbid, Law } from './law.ts';

/** Rendering all Pods at each commit is worth it for small Jobs only. */
const SIZE_MAX = 60;

/** After each commit, published or not: what users see of a Job says what they see of its Pods. */
export class ShownNumbers {
  readonly #reads: Reads;
  readonly #law: Law;

  constructor(reads: Reads, law: Law) {
    this.#reads = reads;
    this.#law = law;
  }

  watchJobs(jobs: JobStore): JobStore {
    return {
      ...jobs,
      createJob: async (spec, status) => {
        const created = await jobs.createJob(spec, status);
        await this.#check(spec.identity.uid);
        return created;
      },
      commitPass: async (uid, status, chunks) => {
        const committed = await jobs.commitPass(uid, status, chunks);
        await this.#check(uid);
        return committed;
      },
    };
  }

  watchFeed(feed: Feed): Feed {
    return {
      ...feed,
      append: async (entries, at) => {
        const appended = await feed.append(entries, at);
        for (const { uid } of entries) await this.#check(uid);
        return appended;
      },
    };
  }

  async #check(uid: JobUid): Promise<void> {
    const view = await readJobView(uid, this.#reads, chunksForSummary);
    if (view === null || view.version === 0 || view.status.size > SIZE_MAX) return;
    // Nobody sees the Job that a bare Pod is stored as: the Pod says that it is being deleted before the board does.
    if (isBarePod(view.spec.identity)) return;
    const pods = await this.#podsOf(uid);
    // A row that came between the two reads is another version.
    if ((await this.#reads.feed.readMark(uid))?.number !== view.version) return;
    compare(view, renderJob(view).status, pods, this.#law.of(uid));
  }

  async #podsOf(uid: JobUid): Promise<readonly SeenPod[]> {
    const pods: SeenPod[] = [];
    for await (const facts of podFactsOf(uid, { index: 0, attempt: 1 }, this.#reads)) {
      const { metadata, status } = renderPod(facts);
      pods.push({
        index: facts.index,
        phase: status.phase,
        hasSucceeded: facts.state === 'succeeded',
        isDeleting: 'deletionTimestamp' in metadata,
        isReady: status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
        // It is to end for its deadline, which no Pod shows; or its end is not published, and no row has said whether it was to.
        isReplaced: facts.current === null && 'deletionTimestamp' in metadata,
        isUnsure: facts.current === null || facts.current.late !== null,
      });
    }
    return pods;
  }
}

type SeenPod = {
  readonly index: number;
  readonly phase: string;
  readonly hasSucceeded: boolean;
  readonly isDeleting: boolean;
  readonly isReady: boolean;
  readonly isUnsure: boolean;
  /** Its task still stops, and its index may have gone on without it. */
  readonly isReplaced: boolean;
};

function compare(
  { spec, status: { size } }: JobView,
  status: JobStatusDocument,
  pods: readonly SeenPod[],
  forbid: Forbid,
): void {
  const living = pods.filter(({ phase }) => phase === 'Pending' || phase === 'Running');
  const unsure = living.filter(({ isUnsure, isDeleting }) => isUnsure && !isDeleting).length;
  const staying = living.filter(({ isDeleting }) => !isDeleting).length;
  const { active = 0, ready = 0, terminating = 0 } = status;
  const isActive = active <= staying && active >= staying - unsure;
  forbid(!isActive, 'G14', () => `the Job shows ${active} active Pods, and ${staying} are (${unsure} of them may not)`);
  // Of a Pod that is being deleted, rows do not say how far it has come.
  const sure = living.filter(({ isReady, isDeleting, isUnsure }) => isReady && !isDeleting && !isUnsure).length;
  const most = sure + living.filter(({ isDeleting, isUnsure }) => isDeleting || isUnsure).length;
  const what = (): string => `the Job shows ${ready} ready Pods of ${active} active ones, and ${sure} to ${most} are`;
  forbid(ready < Math.min(sure, active) || ready > Math.min(most, active), 'G14', what);
  const ending = living.length - staying;
  const more = `of ${living.length} Pods ${ending} are being deleted, and the Job shows ${terminating}`;
  forbid(terminating < ending || terminating > ending + unsure, 'G14', () => more);
  // Of a Job that was made smaller or larger, the spec may be ahead until its change is published.
  if (spec.manifest.spec.completionMode !== 'Indexed' || spec.manifest.spec.completions !== size) return;
  const completed = parseStatusIndexes(status.completedIndexes ?? '', spec.manifest.spec.completions ?? 0);
  for (const { index, phase, isReplaced } of pods) {
    if (isReplaced || index >= (spec.manifest.spec.completions ?? 0)) continue;
    const isWrong = phase === 'Pending' || phase === 'Running' ? has(completed, index) : false;
    forbid(isWrong, 'G14', () => `index ${index} is completed, and its Pod is ${phase}`, index);
  }
  const done = pods.filter(({ hasSucceeded }) => hasSucceeded).map(({ index }) => index);
  for (const index of done.filter((each) => each < (spec.manifest.spec.completions ?? 0)))
    forbid(
      !has(completed, index),
      'G14',
      () => `the Pod of index ${index} has succeeded, and the index has not`,
      index,
    );
}
