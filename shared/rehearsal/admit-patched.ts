import type { JobManifest } from '../domain/manifest.ts';
import type { Status } from '../domain/status.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import { type Fault, invalid } from '../schema/fault.ts';
import { admitJob } from '../schema/job-manifest.ts';
import { mergePatch } from './merge-patch.ts';

/** The Job with a merge patch applied, if the API would take it. */
export function admitPatched(
  { identity, manifest }: StoredSpec,
  patch: Readonly<Record<string, unknown>>,
  _status: Status,
):
  | { readonly kind: 'ok'; readonly manifest: JobManifest }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] } {
  const { selector, ...spec } = manifest.spec;
  const document = mergePatch({ ...manifest, spec }, patch);
  const { namespace, uid } = identity;
  const admission = admitJob(document, { namespace, uid, nameSuffix: '', fieldValidation: 'Strict' });
  if (admission.kind === 'ok') return admission;
  if (admission.kind === 'invalid') return admission;
  return { kind: 'invalid', faults: [invalid('', undefined, admission.message)] };
}
