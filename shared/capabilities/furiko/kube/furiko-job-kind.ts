import { asJobUid } from '../../../domain/base/ids.ts';
import { asEpochMs } from '../../../domain/base/time.ts';
import type { FurikoPart } from '../domain/furiko-job.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import { OBJECT_BYTES_MAX } from '../../../ports/object-store.ts';
import { configNameIn } from '../schema/config-of-job.ts';
import type { NamedConfig } from '../schema/furiko-admission-context.ts';
import { admitFurikoJob } from '../schema/furiko-job-admission.ts';
import { admitFurikoJobUpdate } from '../schema/furiko-job-update.ts';
import { storedJobConfig } from '../schema/job-config-admission.ts';
import { USUAL_OFFER } from '../../../schema/job/host-name-rules.ts';
import { type FieldError, forbidden, notFound, tooLong } from '../../../schema/object/field-error.ts';
import type { ApiDeps } from '../../../kube/http/api-deps.ts';
import { type FoundJob, jobWrites, storedJob } from '../../../kube/jobs/job-writes.ts';
import type { WritableKind } from '../../../kube/write/writable-kind.ts';
import { FURIKO_FACE, type FurikoJobObject } from './furiko-face.ts';

const SUBDOMAIN = 'spec.template.taskTemplate.pod.spec.subdomain';

/** Jobs of `execution.furiko.io` as users write them. A Job of a JobConfig takes its place there before it is stored. */
export function furikoJobKind(deps: ApiDeps): WritableKind<FoundJob<FurikoJobObject>, StoredSpec> {
  const { clock, hosts = USUAL_OFFER, needsCommand, hostFolders } = deps;
  const writes = jobWrites(FURIKO_FACE, SUBDOMAIN, deps);

  return {
    ...writes,
    type: 'FurikoJob',

    async admit(document, context) {
      const config = await namedConfig(context.namespace, configNameIn(document), deps);
      const now = clock.now();
      const admission = admitFurikoJob(document, { ...context, hosts, needsCommand, hostFolders, now, config });
      if (admission.kind !== 'ok') return admission;
      const { manifest, furiko, warnings } = admission;
      const { name, namespace } = manifest.metadata;
      const errors = sizeErrors({ manifest, furiko });
      if (errors.length > 0) return { kind: 'invalid', name, errors };
      const identity = { uid: asJobUid(context.uid), namespace, name, createdAt: now };
      return { kind: 'ok', admitted: { identity, revision: 1, generation: 1, manifest, furiko }, name, warnings };
    },

    admitUpdate({ view }, document, fieldValidation) {
      const now = clock.now();
      const stored = { ...storedJob(view, now), furiko: partOf(view.spec) };
      const update = admitFurikoJobUpdate(stored, document, { now, fieldValidation, hosts });
      if (update.kind !== 'ok') return update;
      const { manifest, furiko, warnings, changed } = update;
      const errors = sizeErrors({ manifest, furiko });
      if (errors.length > 0) return { kind: 'invalid', name: manifest.metadata.name, errors };
      return { kind: 'ok', admitted: { ...view.spec, manifest, furiko }, warnings, changed };
    },

    async create(spec, managedFields, user) {
      const { config } = partOf(spec);
      if (config === null) return writes.create(spec, managedFields, user);
      const placed = await withPlace(spec, config, deps);
      if (placed.kind !== 'placed') return placed;
      const created = await writes.create(placed.spec, managedFields, user);
      if (created.kind === 'created') await deps.owners('JobConfig').wake(config.uid);
      else await deps.commands.places.givePlaceBack(config.uid, spec.identity.uid);
      return created;
    },
  };
}

/** What users see of a Job that was read or admitted as one of this kind. */
function partOf({ furiko, identity }: StoredSpec): FurikoPart {
  if (furiko === undefined) throw new Error(`Job ${identity.uid} is none of Furiko's`);
  return furiko;
}

/** A JobConfig that is being deleted makes no more Jobs. */
async function namedConfig(
  namespace: string,
  name: string | null,
  { objects }: ApiDeps,
): Promise<NamedConfig | 'absent' | null> {
  if (name === null) return null;
  const found = await objects.read('JobConfig', { namespace, name });
  if (found === null) return 'absent';
  const { manifest, uid, deleting } = storedJobConfig(found.document);
  return deleting ? 'absent' : { manifest, uid };
}

/** What runs it and what is shown of it are stored in one row. */
const sizeErrors = (parts: Pick<StoredSpec, 'manifest' | 'furiko'>): readonly FieldError[] =>
  new TextEncoder().encode(JSON.stringify(parts)).length <= OBJECT_BYTES_MAX
    ? []
    : [tooLong('spec', Math.floor(OBJECT_BYTES_MAX / 2))];

/** The Job as it is to be stored: suspended if it has to wait for its turn. */
async function withPlace(spec: StoredSpec, config: NonNullable<FurikoPart['config']>, { commands, clock }: ApiDeps) {
  const { identity, manifest } = spec;
  const { startPolicy } = partOf(spec).spec;
  const place = await commands.places.takePlace(
    config.uid,
    { namespace: identity.namespace, name: config.name },
    {
      uid: identity.uid,
      name: identity.name,
      policy: startPolicy?.concurrencyPolicy ?? 'Allow',
      startAfter: startPolicy?.startAfter === undefined ? null : asEpochMs(Date.parse(startPolicy.startAfter)),
      at: clock.now(),
    },
  );
  switch (place.kind) {
    case 'gone':
      return { kind: 'invalid', errors: [notFound('spec.configName', config.name)] } as const;
    case 'refused':
      return {
        kind: 'invalid',
        errors: [forbidden('spec.startPolicy.concurrencyPolicy', place.message)],
      } as const;
    case 'active':
      return { kind: 'placed', spec } as const;
    case 'queued':
      return {
        kind: 'placed',
        spec: { ...spec, manifest: { ...manifest, spec: { ...manifest.spec, suspend: true } } },
      } as const;
  }
}
