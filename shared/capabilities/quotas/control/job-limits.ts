import { takesResources } from '../../../domain/items/job-items.ts';
import { withLimitDefaults } from '../domain/limit-defaults.ts';
import type { LimitRange } from '../domain/limit-range.ts';
import { limitViolation, limitedBy } from '../domain/limit-violation.ts';
import type { JobManifest } from '../../../domain/manifests/manifest.ts';
import type { NotAllowed, Unfit } from '../../../ports/job-commands.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import { filledInErrors } from '../schema/limited-rules.ts';
import { toJob } from '../../../store/to-job.ts';
import type { Deps } from '../../../control/process/deps.ts';

export type Limited = { readonly kind: 'limited'; readonly spec: StoredSpec } | NotAllowed | Unfit;

/**
 * A new Job with what the LimitRanges of its namespace say where its containers say nothing; or why they do not allow it. In
 * Kubernetes they act on Pods; all Pods of a Job are alike, so here they act once, on their template. A Job that another controller
 * runs has its Pods elsewhere.
 */
export async function withinLimits(spec: StoredSpec, { state: { quotas } }: Deps): Promise<Limited> {
  const ranges = await quotas.limitRanges(spec.identity.namespace);
  if (ranges.length === 0 || !toJob(spec).spec.managed) return { kind: 'limited', spec };
  const manifest = filledIn(spec.manifest, ranges);
  const errors = manifest === spec.manifest ? [] : filledInErrors(manifest);
  if (errors.length > 0) return { kind: 'invalid', errors };
  const why = unseenLimits(manifest, ranges) ?? limitViolation(manifest.spec.template.spec, ranges);
  return why === null ? { kind: 'limited', spec: { ...spec, manifest } } : { kind: 'forbidden', why };
}

function filledIn(manifest: JobManifest, ranges: readonly LimitRange[]): JobManifest {
  const template = withLimitDefaults(manifest.spec.template, ranges);
  return template === manifest.spec.template ? manifest : { ...manifest, spec: { ...manifest.spec, template } };
}

/** Where each item says what its task needs, the template does not. */
function unseenLimits(manifest: JobManifest, ranges: readonly LimitRange[]): string | null {
  const limited = takesResources(manifest) ? limitedBy(ranges) : [];
  return limited.length === 0 ? null : `cannot check what the items of the Job request: ${limited.join(',')}`;
}
