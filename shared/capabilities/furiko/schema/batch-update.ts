import type { FurikoPart } from '../domain/furiko-job.ts';
import { CONFIG_UID_LABEL } from '../domain/furiko-labels.ts';
import type { JobParts } from '../../../domain/manifests/job-parts.ts';
import type { Labels } from '../../../domain/manifests/manifest.ts';
import { type StoredJob, admitJobUpdate } from '../../../schema/job/job-update.ts';
import { type FieldError, forbidden } from '../../../schema/object/field-error.ts';
import { immutableErrors, isSame } from '../../../schema/object/object-update.ts';
import { COMPILED_ANNOTATIONS } from './compile-furiko-job.ts';
import type { FurikoJobUpdate, FurikoUpdateContext, StoredFurikoJob } from './furiko-admission-context.ts';
import { labelParts } from '../../../schema/object/object-metadata.ts';

const INSTEAD = 'change it as jobs.execution.furiko.io';

/**
 * Admits a `batch/v1` document that replaces the Job that runs a Furiko Job: its metadata and its parallelism may change. The rest
 * follows from the Furiko Job. null: it is none of Furiko's.
 */
export function admitBatchUpdateOfFuriko(
  { furiko, ...job }: StoredJob & JobParts,
  document: unknown,
  { now, ...context }: FurikoUpdateContext,
): FurikoJobUpdate | null {
  if (furiko === undefined) return null;
  const stored = { ...job, furiko };
  const standing = { ...stored, now };
  const admitted = admitJobUpdate(standing, document, context);
  if (admitted.kind !== 'ok') return admitted;
  const { metadata: before, spec: old } = stored.manifest;
  const { metadata, spec } = admitted.manifest;
  const label = `metadata.labels[${CONFIG_UID_LABEL}]`;
  const errors: readonly FieldError[] = [
    ...immutableErrors(label, metadata.labels?.[CONFIG_UID_LABEL], before.labels?.[CONFIG_UID_LABEL]),
    ...COMPILED_ANNOTATIONS.flatMap((key) =>
      metadata.annotations?.[key] === before.annotations?.[key]
        ? []
        : [forbidden(`metadata.annotations[${key}]`, INSTEAD)],
    ),
    ...changedFields(old, spec)
      .filter((field) => field !== 'parallelism')
      .map((field) => forbidden(`spec.${field}`, INSTEAD)),
  ];
  if (errors.length > 0) return { kind: 'invalid', name: before.name, errors };
  const { changed, manifest, warnings } = admitted;
  return { kind: 'ok', manifest, furiko: withMetadata(stored, metadata), changed, warnings };
}

const changedFields = (old: object, next: object): readonly string[] => {
  const [before, after] = [
    new Map<string, unknown>(Object.entries(old)),
    new Map<string, unknown>(Object.entries(next)),
  ];
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (field) => !isSame(before.get(field), after.get(field)),
  );
};

/** What users of the Furiko Job see of new labels and annotations. */
function withMetadata(
  { furiko, manifest }: StoredFurikoJob,
  { labels, annotations }: { readonly labels?: Labels; readonly annotations?: Labels },
): FurikoPart {
  const { metadata: before } = manifest;
  // What runs it has more of both: what the server has added is not the Furiko Job's.
  return {
    ...furiko,
    metadata: labelParts({
      labels: withChanges(furiko.metadata.labels, before.labels, labels),
      annotations: withChanges(furiko.metadata.annotations, before.annotations, annotations),
    }),
  };
}

/** `own`, with the changes from `before` to `after`. */
function withChanges(own: Labels = {}, before: Labels = {}, after: Labels = {}): Labels {
  const kept = Object.entries(own).filter(([key]) => Object.hasOwn(after, key) || !Object.hasOwn(before, key));
  const changed = Object.entries(after).filter(([key, value]) => before[key] !== value);
  return Object.fromEntries([...kept, ...changed]);
}
