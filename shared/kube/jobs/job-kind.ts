import { ANNOTATIONS } from '../../domain/spec/annotations.ts';
import { asJobUid } from '../../domain/base/ids.ts';
import { initialChunk } from '../../domain/scoreboard/initial-board.ts';
import { WorkingBoard } from '../../domain/scoreboard/working-board.ts';
import type { JobManifest, Labels, ManagedFieldsEntry } from '../../domain/spec/manifest.ts';
import { type Status, freshStatus } from '../../domain/scoreboard/status.ts';
import type { NoHosts } from '../../ports/host-store.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { generatedLabels } from '../../schema/job/job-defaults.ts';
import { USUAL_OFFER, noRoomError } from '../../schema/job/host-name-rules.ts';
import { admitJob } from '../../schema/job/job-manifest.ts';
import { type StoredJob, admitJobUpdate } from '../../schema/job/job-update.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { type JobView, chunksForSummary, readJobView } from './job-view.ts';
import { type JobObject, renderJob } from './render-job.ts';
import { JOBS } from '../http/status-error.ts';
import type { Found, WritableKind } from '../write/writable-kind.ts';
import { at } from '../list/stored-field.ts';
import { findNamedList } from '../../store/named-list.ts';
import { toJob } from '../../store/to-job.ts';

/** An existing Job: as shown and as stored. */
export type FoundJob = Found & { readonly object: JobObject; readonly view: JobView };

/** Jobs as users write them. */
export function jobKind(deps: ApiDeps): WritableKind<FoundJob, StoredSpec> {
  const { jobs, clock, jobCommands, hosts = USUAL_OFFER, needsCommand } = deps;

  const read = async (uid: JobView['spec']['identity']['uid']): Promise<FoundJob | null> => {
    const view = await readJobView(uid, deps, chunksForSummary);
    return view === null ? null : { object: renderJob(view), view };
  };

  return {
    resource: JOBS,
    apiVersion: 'batch/v1',
    type: 'Job',
    orphans: "a Job's tasks are stopped with it",

    async find({ namespace, name }, published) {
      const uid = await jobs.findJob(namespace, name);
      const found = uid === null ? null : await read(uid);
      if (uid === null || found === null || found.view.isPublished || !published) return found;
      // A change that was just committed must show in the version before another change is compared with it.
      await jobCommands.publishJob(found.view.spec, found.view.status);
      return read(uid);
    },

    async admit(document, context) {
      const list = await findNamedList(annotationsIn(document), context.namespace, deps);
      const admission = admitJob(document, { ...context, hosts, needsCommand, list });
      if (admission.kind !== 'ok') return admission;
      const { manifest, warnings } = admission;
      const { name, namespace } = manifest.metadata;
      const identity = { uid: asJobUid(context.uid), namespace, name, createdAt: clock.now() };
      return { kind: 'ok', admitted: { identity, revision: 1, generation: 1, manifest }, name, warnings };
    },

    admitUpdate(found, document, fieldValidation) {
      const update = admitJobUpdate(storedJob(found), document, { fieldValidation, hosts });
      if (update.kind !== 'ok') return update;
      const { warnings, changed } = update;
      return { kind: 'ok', admitted: { ...found.view.spec, manifest: update.manifest }, warnings, changed };
    },

    preview: (spec) => freshJob(spec, deps),
    withoutGenerated,

    async create(spec, managedFields) {
      const stored = { ...spec, manifest: managed(spec.manifest, managedFields) };
      const created = await jobCommands.createJob(stored);
      if (created.kind === 'noHosts') return noRoom('spec.template.spec.subdomain', subdomainOf(spec), created);
      if (created.kind !== 'created') return created;
      const { status } = created;
      const mark = await deps.feed.readMark(spec.identity.uid);
      // Usually nothing has happened to it yet, and all of it is known.
      const found = mark?.version === status.version ? null : await read(spec.identity.uid);
      return { kind: 'created', object: found?.object ?? jobAt(created.spec, status, mark?.number ?? 0) };
    },

    async wouldCreate(spec) {
      const tried = await jobCommands.tryCreation(spec);
      return tried.kind === 'fits' ? { kind: 'fits', object: freshJob(tried.spec, deps) } : tried;
    },

    async replace({ view }, spec, managedFields, changed) {
      const manifest = managed(spec.manifest, managedFields);
      const stored = await jobCommands.changeJob(view, { ...spec, manifest }, changed);
      if (stored.kind === 'noHosts') return noRoom('spec.completions', manifest.spec.completions, stored);
      if (stored.kind !== 'changed') return { kind: stored.kind };
      // Without its last finalizer, a deleted Job is gone.
      const found = await read(spec.identity.uid);
      return { kind: 'replaced', object: found?.object ?? freshJob({ ...spec, manifest }, deps) };
    },

    async remove({ view }, propagation) {
      const { uid } = view.spec.identity;
      const removed = await jobCommands.deleteJob(uid, propagation === 'Foreground' ? propagation : 'Background');
      if (removed.kind !== 'terminating') return { kind: removed.kind };
      const found = await read(uid);
      return found === null ? { kind: 'deleted' } : { kind: 'terminating', object: found.object };
    },
  };
}

function annotationsIn(document: unknown): Readonly<Record<string, unknown>> {
  const annotations = at(document, 'metadata', 'annotations');
  return typeof annotations === 'object' && annotations !== null ? { ...annotations } : {};
}

/** What decides how it may be changed. */
export const storedJob = ({ object, view: { spec, status } }: FoundJob): StoredJob => ({
  manifest: spec.manifest,
  uid: spec.identity.uid,
  started: object.status.startTime !== undefined,
  deleting: status.phase.kind === 'terminating',
});

const managed = (manifest: JobManifest, managedFields: readonly ManagedFieldsEntry[]): JobManifest => {
  const { managedFields: _before, ...metadata } = manifest.metadata;
  return { ...manifest, metadata: managedFields.length === 0 ? metadata : { ...metadata, managedFields } };
};

/** A Job without the selector, the labels, and the pin of its items, which the server has made for it. */
function withoutGenerated({ manifest: whole }: StoredSpec): object {
  const manifest = withoutPin(whole);
  const { metadata, spec } = manifest;
  if (spec.manualSelector === true) return manifest;
  const generated = generatedLabels(metadata.name, '');
  const own = <M extends { readonly labels?: Labels }>({ labels = {}, ...others }: M) => {
    const kept = Object.entries(labels).filter(([key]) => !Object.hasOwn(generated, key));
    return { ...others, ...(kept.length === 0 ? {} : { labels: Object.fromEntries(kept) }) };
  };
  const { selector: _selector, template, ...rest } = spec;
  const ofPods = own(template.metadata);
  const said = { spec: template.spec, ...(Object.keys(ofPods).length === 0 ? {} : { metadata: ofPods }) };
  return { ...manifest, metadata: own(metadata), spec: { ...rest, template: said } };
}

function withoutPin(manifest: JobManifest): JobManifest {
  const { [ANNOTATIONS.pinnedItems]: pin, ...annotations } = manifest.metadata.annotations ?? {};
  return pin === undefined ? manifest : { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

const subdomainOf = ({ manifest }: StoredSpec): string => manifest.spec.template.spec.subdomain ?? '';

const noRoom = (path: string, value: unknown, noHosts: NoHosts) =>
  ({ kind: 'invalid', errors: [noRoomError(path, value, noHosts)] }) as const;

/** A Job before anything has happened to it. */
function freshJob(spec: StoredSpec, { clock }: ApiDeps): JobObject {
  return jobAt(spec, freshStatus(toJob(spec), clock.now()), 0);
}

/** A Job whose board is not stored yet. */
function jobAt(spec: StoredSpec, status: Status, version: number): JobObject {
  const { selection } = toJob(spec).spec;
  const chunks = new Map(chunksForSummary(status, spec).map((no) => [no, initialChunk(selection, no)]));
  return renderJob({ spec, status, version, isPublished: version > 0, board: new WorkingBoard(status, chunks) });
}
