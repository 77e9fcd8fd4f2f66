import { ANNOTATION_ROWS } from '../../../domain/manifests/annotations/rows.ts';
import type { Labels } from '../../../domain/manifests/manifest.ts';
import { type FieldError, forbidden } from '../../../schema/object/field-error.ts';

/** Faults for annotations of Muster's that would say the same as a field, or the contrary. */
export const ownAnnotationErrorsOf = (path: string, annotations: Labels | undefined): readonly FieldError[] =>
  Object.keys(annotations ?? {}).flatMap((key) => {
    const field = ANNOTATION_ROWS.Job.find((row) => row.key === key)?.furiko ?? null;
    return field === null ? [] : [forbidden(`${path}[${key}]`, `a Job of Furiko's says it with spec.${field.instead}`)];
  });
