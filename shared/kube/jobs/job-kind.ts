import { ANNOTATIONS } from '../../domain/manifests/annotations.ts';
import { asJobUid } from '../../domain/base/ids.ts';
import type { JobManifest, Labels } from '../../domain/manifests/manifest.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { BATCH_UPDATES } from '../../capabilities/lists/job-forms.ts';
import { partsOf } from '../../ports/job-store.ts';
import { generatedLabels } from '../../schema/job/job-defaults.ts';
import { USUAL_OFFER } from '../../schema/job/host-name-rules.ts';
import { admitJob } from '../../schema/job/job-manifest.ts';
import { admitJobUpdate } from '../../schema/job/job-update.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { at } from '../list/stored-field.ts';
import { findNamedList } from '../../store/named-list.ts';
import type { WritableKind } from '../write/writable-kind.ts';
import { BATCH_FACE } from './job-face.ts';
import { type FoundJob, jobWrites, storedJob } from './job-writes.ts';
import type { JobObject } from './render-job.ts';

/** Jobs of `batch/v1` as users write them. */
export function jobKind(deps: ApiDeps): WritableKind<FoundJob<JobObject>, StoredSpec> {
  const { clock, hosts = USUAL_OFFER, needsCommand, hostFolders } = deps;
  return {
    ...jobWrites(BATCH_FACE, 'spec.template.spec.subdomain', deps),
    type: 'Job',

    async admit(document, context) {
      const list = await findNamedList(annotationsIn(document), context.namespace, deps);
      const admission = admitJob(document, { ...context, hosts, needsCommand, hostFolders, list });
      if (admission.kind !== 'ok') return admission;
      const { manifest, warnings } = admission;
      const { name, namespace } = manifest.metadata;
      const identity = { uid: asJobUid(context.uid), namespace, name, createdAt: clock.now() };
      return { kind: 'ok', admitted: { identity, revision: 1, generation: 1, manifest }, name, warnings };
    },

    admitUpdate({ view }, document, fieldValidation) {
      const now = clock.now();
      const stored = { ...storedJob(view, now), ...partsOf(view.spec) };
      const context = { now, fieldValidation, hosts };
      const ofPart = BATCH_UPDATES.map((admit) => admit(stored, document, context)).find((each) => each !== null);
      const update = ofPart ?? admitJobUpdate(stored, document, context);
      if (update.kind !== 'ok') return update;
      const { kind, manifest, warnings, changed, ...parts } = update;
      return { kind, admitted: { ...view.spec, manifest, ...parts }, warnings, changed };
    },

    withoutGenerated,
  };
}

function annotationsIn(document: unknown): Readonly<Record<string, unknown>> {
  const annotations = at(document, 'metadata', 'annotations');
  return typeof annotations === 'object' && annotations !== null ? { ...annotations } : {};
}

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
