import { type Formats, NEW_IN_RELEASE, newFieldsIn } from '../../domain/manifests/new-in-release.ts';
import { type FieldError, forbidden } from './field-error.ts';

/** Why an installation that writes the formats of the release before refuses what only this release knows. */
const ONLY_THIS_RELEASE =
  'only this release of Muster knows it, and this installation may still go back to the one before: it runs with formats=previous';

/**
 * Faults for everything in an object that only this release knows, where the installation must not store it yet.
 *
 * @param before the object as it is stored, which may have it already; null: it is new
 * @param known what only this release knows
 */
export function newFieldErrors(
  object: unknown,
  before: unknown,
  formats: Formats,
  known = NEW_IN_RELEASE,
): readonly FieldError[] {
  if (formats === 'current') return [];
  const had = new Set(newFieldsIn(before, known));
  return newFieldsIn(object, known)
    .filter((path) => !had.has(path))
    .map((path) => forbidden(path, ONLY_THIS_RELEASE));
}
