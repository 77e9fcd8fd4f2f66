import type { Deps } from '../../../shared/control/process/deps.ts';
import {
  changeJob,
  changeSpec,
  createJob,
  createJobCommands,
  deleteJob,
  deletePod,
} from '../../../shared/control/lifecycle/job-changes.ts';
import { changeIndexes } from '../../../shared/control/lifecycle/change-indexes.ts';
import type { IndexAction } from '../../../shared/domain/scoreboard/index-changes.ts';
import { ANNOTATIONS } from '../../../shared/domain/manifests/annotations.ts';
import { hasReadyName } from '../../../shared/domain/task/host-names.ts';
import { jobItemsOf } from '../../../shared/domain/items/job-items.ts';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { CHUNK_INDEXES } from '../../../shared/domain/scoreboard/board.ts';
import { readJobView } from '../../../shared/kube/jobs/job-view.ts';
import { attemptsOf } from '../../../shared/kube/pods/read-pods.ts';
import { isAttemptOver, removeEnded } from '../../../shared/kube/pods/ended-pods.ts';
import type { AttemptId } from '../../../shared/domain/base/fact.ts';
import { FOREGROUND_DELETION } from '../../../shared/domain/manifests/job.ts';
import type { JobManifest } from '../../../shared/domain/manifests/manifest.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import { attemptText } from '../in-words.ts';
import { never } from './calls.ts';
import { type SeedList, replaceList } from './lists.ts';
import type { World } from './world.ts';

/** Every act of a user's is a handler of its own, which may die like any other. */
export class Users {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  create(spec: StoredSpec): void {
    this.#do(spec.identity.uid, 'creates the Job', null, (deps) => createJob(spec, deps));
  }

  /** Creates the Job as soon as its name is free (the Job `after` has had it), and again if the call has died. */
  createWhenFree(spec: StoredSpec, everyMs: number, after: StoredSpec | null = null): void {
    const { jobs } = this.#world.watchdog;
    if (jobs.has(spec.identity.uid)) return;
    if (after === null || jobs.has(after.identity.uid)) this.create(spec);
    this.#world.schedule(asEpochMs(this.#world.time + everyMs), () => this.createWhenFree(spec, everyMs, after));
  }

  delete(uid: string, propagation: 'Background' | 'Foreground'): void {
    this.#do(uid, `deletes the Job (${propagation})`, null, (deps) => deleteJob(asJobUid(uid), deps, propagation));
  }

  /** Only where nobody deletes it already. Every third one is evicted. */
  deletePod(uid: string, id: AttemptId): void {
    const how = id.index % 3 === 0 ? 'evicted' : 'deleted';
    const what = how === 'evicted' ? 'evicts' : 'deletes';
    this.#do(uid, `${what} the Pod of ${attemptText(id)}`, [id.index], (deps) =>
      deletePod(asJobUid(uid), id, deps, how),
    );
  }

  /** Of the Pods of a Job that have ended, one, or (null) all. `hangs`: its process does not come to publish that. */
  deleteEnded(uid: string, which: number | null, hangs = false): void {
    this.#do(uid, `deletes Pods that have ended${hangs ? ', and hangs' : ''}`, null, async (deps) => {
      const view = await readJobView(asJobUid(uid), deps, ({ chunks }) => (chunks.length > 0 ? [0] : []));
      if (view === null) return;
      const first = Array.from({ length: Math.min(view.board.size, CHUNK_INDEXES) }, (_, index) => index);
      const over = first.flatMap((index) => attemptsOf(view, index)).filter((pod) => isAttemptOver(view, pod));
      const some = which === null ? over : over.slice(Math.floor(which * over.length)).slice(0, 1);
      const publisher = hangs ? { ...deps.publisher, publish: never } : deps.publisher;
      const removing = createJobCommands({ ...deps, publisher });
      const jobCommands = {
        ...createJobCommands(deps),
        removePods: async (...wanted: Parameters<typeof removing.removePods>) => removing.removePods(...wanted),
      };
      await removeEnded(asJobUid(uid), 0, some, { ...deps, jobCommands });
    });
  }

  /** A Job that is being deleted loses finalizers, but gains none: the API sees to that. */
  changeFinalizers(uid: string, finalizers: readonly string[]): void {
    this.#do(uid, `sets finalizers ${finalizers.join(', ') || '(none)'}`, null, async (deps) => {
      const [spec, status] = [await deps.jobs.readSpec(asJobUid(uid)), await deps.jobs.readStatus(asJobUid(uid))];
      if (spec === null || status === null || (status.phase.kind === 'terminating' && finalizers.length > 0)) return;
      const { manifest } = spec;
      const others = (manifest.metadata.finalizers ?? []).filter((each) => each === FOREGROUND_DELETION);
      const metadata = { ...manifest.metadata, finalizers: [...finalizers, ...others] };
      await changeJob({ spec, status }, { manifest: { ...manifest, metadata } }, 'metadata', deps);
    });
  }

  suspend(uid: string): void {
    this.changeManifest(uid, 'suspends the Job', (spec) => (spec.suspend ? spec : { ...spec, suspend: true }));
  }

  resume(uid: string): void {
    this.changeManifest(uid, 'resumes the Job', (spec) => (spec.suspend ? { ...spec, suspend: false } : spec));
  }

  /** `change` answers with what it was given where there is nothing to change. */
  changeManifest(uid: string, what: string, change: (spec: JobManifest['spec']) => JobManifest['spec']): void {
    this.#do(uid, what, null, (deps) =>
      changeSpec(
        asJobUid(uid),
        (stored) => {
          const spec = change(stored.manifest.spec);
          // The API refuses another number of indexes while some are named, or a list says how many there are.
          const annotations = stored.manifest.metadata.annotations ?? {};
          const isFixed = annotations[ANNOTATIONS.indexes] !== undefined || jobItemsOf(stored.manifest) !== null;
          // It also refuses a gang that has not a place for each index.
          if (hasReadyName(stored.manifest) && spec.parallelism < (spec.completions ?? 0)) return null;
          if (isFixed && spec.completions !== stored.manifest.spec.completions) return null;
          return spec === stored.manifest.spec ? null : { ...stored, manifest: { ...stored.manifest, spec } };
        },
        deps,
      ),
    );
  }

  /** Doing it twice, as a user does who got no answer, must change nothing more. */
  changeIndexes(uid: string, action: IndexAction, first: number, last: number): void {
    this.#do(uid, `does ${action} to indexes ${first} to ${last}`, null, async (deps) => {
      const spec = await deps.jobs.readSpec(asJobUid(uid));
      const after = Math.min(last + 1, spec?.manifest.spec.completions ?? 0);
      if (first < after)
        await changeIndexes(asJobUid(uid), { action, indexes: { edges: [first, after] }, isDry: false }, deps);
    });
  }

  replaceList(list: SeedList): void {
    this.#do(list.uid, 'deletes the list, and makes another under its name', null, (deps) => replaceList(list, deps));
  }

  #do(uid: string, what: string, indexes: readonly number[] | null, work: (deps: Deps) => Promise<unknown>): void {
    this.#world.handlers.user(what, { uids: [uid], indexes }, work);
  }
}
