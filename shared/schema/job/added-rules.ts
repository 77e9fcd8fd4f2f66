import { type EpochMs, asTime } from '../../domain/base/time.ts';
import { ANNOTATIONS, parseMoment } from '../../domain/spec/annotations.ts';
import type { JobManifest, Labels } from '../../domain/spec/manifest.ts';
import { type FieldError, forbidden, invalid } from '../object/field-error.ts';
import { RUN_ANEW, immutableErrors } from '../object/object-update.ts';
import type { JobSpecShape } from './job-shape.ts';
import { annotationPath } from './selection-rules.ts';
import { SUCCESS_ANNOTATIONS, successAnnotationErrors } from './success-annotation-rules.ts';

// The rules of Jobs for which `batch/v1` has no field. `ownAnnotationErrors` checks their values.

/** What these rules need of a Job's spec, with paths that begin at the Job. */
export function addedRuleErrors(
  annotations: Labels | undefined,
  spec: Pick<JobSpecShape, 'completions' | 'parallelism' | 'backoffLimitPerIndex' | 'successPolicy'>,
): readonly FieldError[] {
  const { retryDelay, indexDeadline } = ANNOTATIONS;
  const isDelayed = annotations?.[retryDelay] !== undefined;
  return [
    ...(isDelayed && spec.backoffLimitPerIndex === undefined
      ? [forbidden(annotationPath(retryDelay), 'needs spec.backoffLimitPerIndex: the delay is that of each index')]
      : []),
    ...(annotations?.[indexDeadline] !== undefined && spec.backoffLimitPerIndex === undefined
      ? [
          forbidden(
            annotationPath(indexDeadline),
            'needs spec.backoffLimitPerIndex: without it, no index can fail for good while its Job goes on',
          ),
        ]
      : []),
    ...successAnnotationErrors(annotations, spec),
  ];
}

/** A Job that is stored, as far as these rules depend on it. */
type Standing = {
  readonly manifest: Pick<JobManifest, 'metadata'>;
  readonly started: boolean;
  readonly now?: EpochMs | undefined;
};

/** How an index is tried never changes; a moment may be moved until it has come. */
export function addedRuleChangeErrors(
  annotations: Labels | undefined,
  { manifest: { metadata }, started, now }: Standing,
): readonly FieldError[] {
  const was = metadata.annotations;
  const { retryDelay, startTimeout, indexDeadline, successFirst, startAfter, killAt } = ANNOTATIONS;
  const killedAt = parseMoment(was?.[killAt] ?? '');
  const isChanged = (key: string): boolean => annotations?.[key] !== was?.[key];
  const refuse = (key: string, why: string): readonly FieldError[] =>
    isChanged(key) ? [invalid(annotationPath(key), annotations?.[key] ?? null, why)] : [];
  return [
    ...[retryDelay, startTimeout, indexDeadline, successFirst, ...SUCCESS_ANNOTATIONS].flatMap((key) =>
      immutableErrors(annotationPath(key), annotations?.[key], was?.[key], RUN_ANEW),
    ),
    ...(started ? refuse(startAfter, 'field is immutable: the Job has started') : []),
    ...(killedAt !== null && now !== undefined && now >= killedAt
      ? refuse(killAt, `field is immutable: ${asTime(killedAt)} has passed`)
      : []),
  ];
}
