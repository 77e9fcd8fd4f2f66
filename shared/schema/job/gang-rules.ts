import { ANNOTATIONS } from '../../domain/manifests/annotations.ts';
import type { Labels } from '../../domain/manifests/manifest.ts';
import { type FieldError, forbidden, invalid } from '../object/field-error.ts';
import type { DefaultedSpec } from './job-defaults.ts';
import { annotationPath } from './selection-rules.ts';

const { gang, afterIndexes } = ANNOTATIONS;

type Needed = Pick<DefaultedSpec, 'completionMode' | 'completions' | 'parallelism' | 'backoffLimitPerIndex'>;

/** What cannot be in a Job whose indexes belong together, with paths that begin at the Job. */
export function gangErrors(annotations: Labels | undefined, spec: Needed): readonly FieldError[] {
  if (annotations?.[gang] === undefined) return [];
  const { completionMode, completions = 0, parallelism, backoffLimitPerIndex } = spec;
  const errors: FieldError[] = [];
  if (completionMode === 'Indexed' && parallelism < completions)
    errors.push(
      invalid(
        'spec.parallelism',
        parallelism,
        `must be at least spec.completions, which is ${completions}: with the annotation ${gang}, all indexes run together`,
      ),
    );
  if (annotations[afterIndexes] !== undefined)
    errors.push(
      forbidden(
        annotationPath(afterIndexes),
        `must not be set with the annotation ${gang}: its indexes would start one after another; use ${ANNOTATIONS.after}`,
      ),
    );
  if (backoffLimitPerIndex !== undefined)
    errors.push(
      forbidden(
        'spec.backoffLimitPerIndex',
        `must not be set with the annotation ${gang}: the others would wait for an index that is given up; use spec.backoffLimit`,
      ),
    );
  return errors;
}
