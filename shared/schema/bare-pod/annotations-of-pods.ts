import { ANNOTATIONS, OWN_PREFIX } from '../../domain/manifests/annotations.ts';
import type { Labels } from '../../domain/manifests/manifest.ts';
import { type FieldError, invalid } from '../object/field-error.ts';

const isOwn = (key: string): boolean => key.startsWith(OWN_PREFIX);

/** Muster's annotations say how a Job goes on. A Pod is one attempt, and shows some that the server has written. */
export const ownAnnotationErrors = (annotations: Labels): readonly FieldError[] =>
  Object.entries(annotations)
    .filter(([key]) => isOwn(key))
    .map(([key, value]) =>
      invalid(
        `metadata.annotations[${key}]`,
        value,
        'a Pod has none of these: make it the template of a Job that has the annotation',
      ),
    );

/** The annotations of a document that a client has read and sends back, without those that the server has written. */
export const withoutShown = (annotations: Labels, shown: Labels): Labels =>
  Object.fromEntries(Object.entries(annotations).filter(([key, value]) => !isOwn(key) || shown[key] !== value));

/** What only the server writes, about one attempt. */
const WRITTEN_OF_ATTEMPTS: ReadonlySet<string> = new Set([
  ANNOTATIONS.item,
  ANNOTATIONS.taskArn,
  ANNOTATIONS.cause,
  ANNOTATIONS.verdict,
]);

/** The annotations of a new Pod that was copied from another one, without what the server has written about that. */
export const withoutAttempts = (annotations: Labels): Labels =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => !WRITTEN_OF_ATTEMPTS.has(key)));
