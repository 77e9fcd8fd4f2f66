import { OWN_FIELDS } from './own-annotations.ts';
import type { FieldError } from '../../../schema/object/field-error.ts';

/** Paths of the `batch/v1` Job, and those of the Furiko Job's fields that they were made of; longer ones first. */
const PATHS: readonly (readonly [batch: string, furiko: string])[] = [
  ...OWN_FIELDS.flatMap(([key, { madeOf }]) =>
    madeOf === undefined ? [] : [[`metadata.annotations[${key}]`, `spec.${madeOf}`] as const],
  ),
  ['spec.template', 'spec.template.taskTemplate.pod'],
  ['spec.backoffLimitPerIndex', 'spec.template.maxAttempts'],
  ['spec.maxFailedIndexes', 'spec.template.parallelism.completionStrategy'],
  ['spec.successPolicy', 'spec.template.parallelism.completionStrategy'],
  ['spec.completions', 'spec.template.parallelism'],
  ['spec.parallelism', 'spec.template.parallelism'],
];

/** Faults of the `batch/v1` Job that runs a Furiko Job, as faults of the latter. */
export const furikoErrors = (errors: readonly FieldError[]): readonly FieldError[] =>
  errors.map((error) => ({ ...error, path: furikoPath(error.path) }));

/** The same for warnings, which begin with a path. */
export const furikoWarnings = (warnings: readonly string[]): readonly string[] => warnings.map(furikoPath);

function furikoPath(text: string): string {
  for (const [batch, furiko] of PATHS)
    if (text.startsWith(batch) && !/^\w/.test(text.slice(batch.length))) return furiko + text.slice(batch.length);
  return text;
}
