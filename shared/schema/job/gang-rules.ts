import { ANNOTATIONS } from '../../domain/spec/annotations.ts';
import type { Labels } from '../../domain/spec/manifest.ts';
import { type FieldError, forbidden, invalid } from '../object/field-error.ts';
import { RUN_ANEW, immutableErrors } from '../object/object-update.ts';
import type { DefaultedSpec } from './job-defaults.ts';
import { annotationPath } from './selection-rules.ts';

const { gang, gangTimeout, gangRestarts, afterIndexes } = ANNOTATIONS;

type Needed = Pick<
  DefaultedSpec,
  'completionMode' | 'completions' | 'parallelism' | 'backoffLimitPerIndex' | 'template'
>;

/** What a Job whose indexes belong together needs of its spec, with paths that begin at the Job. */
export function gangErrors(annotations: Labels | undefined, spec: Needed): readonly FieldError[] {
  if (annotations?.[gang] === undefined)
    return [gangTimeout, gangRestarts]
      .filter((key) => annotations?.[key] !== undefined)
      .map((key) => forbidden(annotationPath(key), `needs the annotation ${gang}: "all"`));
  const { completionMode, completions = 0, parallelism, backoffLimitPerIndex, template } = spec;
  const errors: FieldError[] = [];
  if (completionMode !== 'Indexed') errors.push(forbidden(annotationPath(gang), 'needs spec.completionMode: Indexed'));
  if ((template?.spec?.subdomain ?? '') === '')
    errors.push(
      forbidden(
        annotationPath(gang),
        'needs spec.template.spec.subdomain: the name that says that all indexes run is a name below it',
      ),
    );
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

/** Its names are reserved and its tasks are given the name when the Job is created; its limits may change. */
export const gangChangeErrors = (annotations: Labels | undefined, was: Labels | undefined): readonly FieldError[] =>
  immutableErrors(annotationPath(gang), annotations?.[gang], was?.[gang], RUN_ANEW);
