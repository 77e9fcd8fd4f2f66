import type { EpochMs } from '../../domain/base/time.ts';
import { initialChunk } from '../../domain/scoreboard/initial-board.ts';
import { WorkingBoard } from '../../domain/scoreboard/working-board.ts';
import type { JobManifest, ManagedFieldsEntry } from '../../domain/manifests/manifest.ts';
import { type Status, freshStatus } from '../../domain/scoreboard/status.ts';
import type { NoHosts } from '../../ports/host-store.ts';
import { type StoredSpec, isPlain } from '../../ports/job-store.ts';
import { noRoomError } from '../../schema/job/host-name-rules.ts';
import type { StoredJob } from '../../schema/job/job-update.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { askerOf } from '../http/caller.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { toJob } from '../../store/to-job.ts';
import { type RunsAs, accountObjection } from '../write/account-objection.ts';
import type { FoundObject, WritableKind } from '../write/writable-kind.ts';
import type { JobFace } from './job-face.ts';
import { type JobView, type Reads, readJobView } from './job-view.ts';

const runsAs = ({ spec: { template } }: JobManifest): RunsAs => ({
  account: template.spec.serviceAccountName ?? null,
  program: template,
});

/** An existing Job: as shown and as stored. */
export type FoundJob<T extends KubeObject> = FoundObject & { readonly object: T; readonly view: JobView };

type JobWrites<T extends KubeObject> = Omit<
  WritableKind<FoundJob<T>, StoredSpec>,
  'type' | 'admit' | 'admitUpdate' | 'withoutGenerated'
>;

/** What storing Jobs asks. */
export type WriteDeps = Reads & Pick<ApiDeps, 'jobCommands' | 'clock' | 'authorizer'>;

/**
 * How Jobs are stored that users write as one kind.
 *
 * @param subdomain the path of the field whose names may be used up
 */
export function jobWrites<T extends KubeObject>(face: JobFace<T>, subdomain: string, deps: WriteDeps): JobWrites<T> {
  const { jobs, jobCommands } = deps;

  const read = async (uid: JobView['spec']['identity']['uid']): Promise<FoundJob<T> | null> => {
    const view = await readJobView(uid, deps, face.chunks);
    const object = view === null ? null : await face.render(view, deps);
    return view === null || object === null ? null : { object, view };
  };

  return {
    resource: face.resource,
    apiVersion: face.apiVersion,
    orphans: "a Job's tasks are stopped with it",
    objection: accountObjection(
      face.resource,
      subdomain.replace(/subdomain$/, 'serviceAccountName'),
      { runs: ({ manifest }) => runsAs(manifest), ran: ({ view }) => runsAs(view.spec.manifest) },
      deps,
    ),

    async find({ namespace, name }, published) {
      const uid = await jobs.findJob(namespace, name);
      const found = uid === null ? null : await read(uid);
      if (uid === null || found === null || found.view.isPublished || !published) return found;
      // A change that was just committed must show in the version before another change is compared with it.
      await jobCommands.publishJob(found.view.spec, found.view.status);
      return read(uid);
    },

    preview: (spec) => freshJob(face, spec, deps),

    async create(spec, managedFields) {
      const stored = { ...spec, manifest: managed(spec.manifest, managedFields) };
      const created = await jobCommands.createJob(stored);
      if (created.kind === 'noHosts') return noRoom(subdomain, subdomainOf(spec), created);
      if (created.kind !== 'created') return created;
      const { status } = created;
      const mark = await deps.feed.readMark(spec.identity.uid);
      // Usually nothing has happened to it since, and all of it is known; only what shows its Pods, too, has to read them.
      const isKnown = mark?.version === status.version && (face.showsAll || status.inFlight.length === 0);
      const found = isKnown ? null : await read(spec.identity.uid);
      return { kind: 'created', object: found?.object ?? jobAt(face, created.spec, status, mark?.number ?? 0) };
    },

    async wouldCreate(spec) {
      const tried = await jobCommands.tryCreation(spec);
      if (tried.kind === 'noHosts') return noRoom(subdomain, subdomainOf(spec), tried);
      return tried.kind === 'fits' ? { kind: 'fits', object: freshJob(face, tried.spec, deps) } : tried;
    },

    async replace({ view }, spec, managedFields, changed, user) {
      const manifest = managed(spec.manifest, [...othersFields(view.spec, face.apiVersion), ...managedFields]);
      const stored = await jobCommands.changeJob(view, { ...spec, manifest }, changed, askerOf(user, deps));
      if (stored.kind === 'noHosts') return noRoom('spec.completions', manifest.spec.completions, stored);
      if (stored.kind === 'forbidden') return stored;
      if (stored.kind !== 'changed') return { kind: stored.kind };
      // Without its last finalizer, a deleted Job is gone.
      const found = await read(spec.identity.uid);
      return { kind: 'replaced', object: found?.object ?? freshJob(face, { ...spec, manifest }, deps) };
    },

    wouldReplace: async ({ view }, spec) => jobCommands.tryChange(view, spec),

    async remove({ view }, propagation, user) {
      const { uid } = view.spec.identity;
      const how = propagation === 'Foreground' ? propagation : 'Background';
      const removed = await jobCommands.deleteJob(uid, how, askerOf(user, deps));
      if (removed.kind !== 'terminating') return { kind: removed.kind };
      const found = await read(uid);
      return found === null ? { kind: 'deleted' } : { kind: 'terminating', object: found.object };
    },
  };
}

/** What decides how it may be changed. */
export const storedJob = ({ spec, status }: JobView, now: EpochMs): StoredJob => ({
  manifest: spec.manifest,
  uid: spec.identity.uid,
  started: status.startTime !== null,
  deleting: status.phase.kind === 'terminating',
  now,
});

const managed = (manifest: JobManifest, managedFields: readonly ManagedFieldsEntry[]): JobManifest => {
  const { managedFields: _before, ...metadata } = manifest.metadata;
  return { ...manifest, metadata: managedFields.length === 0 ? metadata : { ...metadata, managedFields } };
};

/** The managers of what another kind shows of the same Job. */
const othersFields = (spec: StoredSpec, apiVersion: string): readonly ManagedFieldsEntry[] =>
  isPlain(spec) ? [] : (spec.manifest.metadata.managedFields ?? []).filter((entry) => entry.apiVersion !== apiVersion);

const subdomainOf = ({ manifest }: StoredSpec): string => manifest.spec.template.spec.subdomain ?? '';

const noRoom = (path: string, value: unknown, noHosts: NoHosts) =>
  ({ kind: 'invalid', errors: [noRoomError(path, value, noHosts)] }) as const;

/** A Job before anything has happened to it. */
const freshJob = <T extends KubeObject>(face: JobFace<T>, spec: StoredSpec, { clock }: Pick<ApiDeps, 'clock'>): T =>
  jobAt(face, spec, freshStatus(toJob(spec), clock.now()), 0);

/** A Job whose board is not stored yet: what STATUS was stored with is in its journal. */
function jobAt<T extends KubeObject>(face: JobFace<T>, spec: StoredSpec, status: Status, version: number): T {
  const { selection } = toJob(spec).spec;
  const chunks = new Map(face.chunks(status, spec).map((no) => [no, initialChunk(selection, no)]));
  return face.renderNew({ spec, status, version, isPublished: version > 0, board: new WorkingBoard(status, chunks) });
}
