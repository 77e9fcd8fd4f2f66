import type { FieldError } from '../object/field-error.ts';

const TEMPLATE = 'spec.template.';

/**
 * Faults of the Job that a bare Pod is stored as, as faults of the Pod.
 *
 * @param known those that the Pod's own rules have found
 */
export const ofPod = (errors: readonly FieldError[], known: readonly FieldError[]): readonly FieldError[] => {
  const seen = new Set(known.map(({ path }) => path));
  return errors
    .map((error) => (error.path.startsWith(TEMPLATE) ? { ...error, path: error.path.slice(TEMPLATE.length) } : error))
    .filter(({ path }) => !seen.has(path));
};
