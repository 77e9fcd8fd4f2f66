import type { EpochMs } from '../../../domain/base/time.ts';
import type { JobManifest } from '../../../domain/manifests/manifest.ts';
import type { Status } from '../../../domain/scoreboard/status.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { badRequest, invalidObject } from '../../../kube/http/status-error.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import { admitJobUpdate, documentOf } from '../../../schema/job/job-update.ts';
import { mergePatch } from '../../../kube/patch/merge-patch.ts';

/** What the API makes of a merge patch of a Job. */
export type Patched =
  | { readonly kind: 'changed'; readonly manifest: JobManifest }
  | { readonly kind: 'same' }
  /** With the `reason` and the `message` of the Status that it answers with. */
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string };

/** Applies a merge patch to a stored Job and asks whether that may be. */
export function admitPatched(
  { identity, manifest }: StoredSpec,
  patch: Readonly<Record<string, unknown>>,
  { startTime }: Pick<Status, 'startTime'>,
  now: EpochMs,
): Patched {
  const stored = { manifest, uid: identity.uid, started: startTime !== null, deleting: false, now };
  const update = admitJobUpdate(stored, mergePatch(documentOf(stored), patch), { fieldValidation: 'Strict' });
  switch (update.kind) {
    case 'ok':
      return update.changed === 'nothing' ? { kind: 'same' } : { kind: 'changed', manifest: update.manifest };
    case 'invalid': {
      const { reason, message } = invalidObject(API_KINDS.Job, identity.name, update.errors);
      return { kind: 'refused', reason, message };
    }
    case 'undecodable': {
      const { reason, message } = badRequest(update.message);
      return { kind: 'refused', reason, message };
    }
  }
}
