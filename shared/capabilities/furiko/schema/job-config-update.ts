import type { JobConfigManifest } from '../domain/job-config.ts';
import { USUAL_OFFER } from '../../../schema/job/host-name-rules.ts';
import { addedFinalizerErrors } from '../../../schema/object/object-metadata.ts';
import { type Extent, identityErrors, isSame } from '../../../schema/object/object-update.ts';
import type { FurikoUpdateContext, JobConfigUpdate, StoredJobConfig } from './furiko-admission-context.ts';
import { checkJobConfig, readJobConfig } from './job-config-admission.ts';

/**
 * Admits a document that replaces a stored JobConfig, from a PUT or a patch. The whole spec may change, and existing Jobs keep what
 * they have. A changed schedule forgets the slots that it has missed. Ignores `status` and resourceVersion.
 */
export function admitJobConfigUpdate(
  stored: StoredJobConfig,
  document: unknown,
  { now, fieldValidation, hosts = USUAL_OFFER, needsCommand = false, hostFolders = null }: FurikoUpdateContext,
): JobConfigUpdate {
  const read = readJobConfig(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const old = stored.manifest;
  const context = { former: old.spec, now, hosts, needsCommand, hostFolders };
  const { manifest, errors, warnings } = checkJobConfig(read.object, old.metadata, context);
  const all = [
    ...identityErrors(read.object, stored),
    ...(stored.deleting ? addedFinalizerErrors('metadata', manifest.metadata, old.metadata.finalizers ?? []) : []),
    ...errors,
  ];
  if (all.length > 0) return { kind: 'invalid', name: old.metadata.name, errors: all };
  const changed = extentOf(old, manifest);
  return { kind: 'ok', manifest, changed, warnings: [...read.warnings, ...(changed === 'spec' ? warnings : [])] };
}

/** The generation counts only changes of the spec. */
function extentOf(old: JobConfigManifest, next: JobConfigManifest): Extent {
  if (!isSame(old.spec, next.spec)) return 'spec';
  const { managedFields: _, ...before } = old.metadata;
  return isSame(before, next.metadata) ? 'nothing' : 'metadata';
}
