import { ANNOTATIONS } from '../../domain/spec/annotations.ts';
import type { Labels } from '../../domain/spec/manifest.ts';
import { type FieldError, forbidden } from '../object/field-error.ts';

/** What a Furiko Job says with fields of its own; COMPILED are set by the server. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  [ANNOTATIONS.retryDelay, 'template.retryDelaySeconds'],
  [ANNOTATIONS.startTimeout, 'template.taskPendingTimeoutSeconds'],
  [ANNOTATIONS.startAfter, 'startPolicy.startAfter'],
  [ANNOTATIONS.killAt, 'killTimestamp'],
  [ANNOTATIONS.successFirst, 'template.parallelism.completionStrategy'],
  ...[
    ANNOTATIONS.successPercent,
    ANNOTATIONS.successCount,
    ANNOTATIONS.successReason,
    ANNOTATIONS.successMessage,
    ANNOTATIONS.whenAchieved,
    ANNOTATIONS.maxFailedPercent,
  ].map((key) => [key, 'template.parallelism.completionStrategy'] as const),
  [ANNOTATIONS.matrix, 'template.parallelism.withMatrix'],
  [ANNOTATIONS.items, 'template.parallelism.withKeys'],
  [ANNOTATIONS.workList, 'template.parallelism.withKeys'],
  [ANNOTATIONS.batch, 'template.parallelism.withKeys'],
  [ANNOTATIONS.resourcesFromItems, 'template.parallelism.withMatrix'],
  [ANNOTATIONS.imageFromItems, 'template.parallelism.withMatrix, and ${task.index_matrix.…} in the image'],
]);

/** Faults for annotations of Muster's that would say the same as a field, or the contrary. */
export const ownAnnotationErrorsOf = (path: string, annotations: Labels | undefined): readonly FieldError[] =>
  Object.keys(annotations ?? {}).flatMap((key) => {
    const field = FIELDS.get(key);
    return field === undefined ? [] : [forbidden(`${path}[${key}]`, `a Job of Furiko's says it with spec.${field}`)];
  });
