import { ANNOTATIONS, parseDisruptions, parsePendingTimeout } from '../../domain/spec/annotations.ts';
import type { Labels } from '../../domain/spec/manifest.ts';
import { labelValueErrors, qualifiedNameErrors } from './dns-names.ts';
import { type FieldError, invalid, tooLong } from './field-error.ts';

/** Kubernetes' `TotalAnnotationSizeLimitB`. */
const ANNOTATIONS_BYTES_MAX = 256 * 1024;

/** Kubernetes' rules for labels. */
export function labelErrors(path: string, labels: Labels | undefined): readonly FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...qualifiedNameErrors(key).map((fieldError) => invalid(path, key, fieldError)),
    ...labelValueErrors(value).map((fieldError) => invalid(path, value, fieldError)),
  ]);
}

/** Kubernetes' rules for annotations: keys as for labels (in either case), and at most 256 KiB in total. */
export function annotationErrors(path: string, annotations: Labels | undefined): readonly FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const errors = entries.flatMap(([key]) =>
    qualifiedNameErrors(key.toLowerCase()).map((fieldError) => invalid(path, key, fieldError)),
  );
  const bytes = entries.reduce((sum, [key, value]) => sum + utf8Bytes(key) + utf8Bytes(value), 0);
  return bytes > ANNOTATIONS_BYTES_MAX ? [...errors, tooLong(path, ANNOTATIONS_BYTES_MAX)] : errors;
}

const OWN_PREFIX = ANNOTATIONS.disruptions.replace(/[^/]*$/, '');

/** The rules for Muster's own annotations on a Job. */
export function ownAnnotationErrors(path: string, annotations: Labels | undefined): readonly FieldError[] {
  const fieldError = (key: string, parse: (text: string) => unknown, right: string): readonly FieldError[] => {
    const text = annotations?.[key];
    return text === undefined || parse(text) !== null ? [] : [invalid(`${path}[${key}]`, text, right)];
  };
  const known: readonly string[] = [ANNOTATIONS.disruptions, ANNOTATIONS.pendingTimeout];
  return [
    ...Object.entries(annotations ?? {})
      .filter(([key]) => key.startsWith(OWN_PREFIX) && !known.includes(key))
      .map(([key, text]) =>
        invalid(`${path}[${key}]`, text, `unknown annotation; a Job may have ${known.join(' and ')}`),
      ),
    ...fieldError(
      ANNOTATIONS.disruptions,
      parseDisruptions,
      'must be "count", or "losses=10,spot-interruptions=3" with numbers up to 9999 (either part may be omitted)',
    ),
    ...fieldError(
      ANNOTATIONS.pendingTimeout,
      parsePendingTimeout,
      'must be a whole number of seconds between 1 and 9999999, without leading zeros',
    ),
  ];
}

/** The same for other objects: Muster's annotations have an effect only on Jobs. */
export const strayAnnotationErrors = (path: string, annotations: Labels | undefined): readonly FieldError[] =>
  Object.entries(annotations ?? {})
    .filter(([key]) => key.startsWith(OWN_PREFIX))
    .map(([key, text]) =>
      invalid(`${path}[${key}]`, text, 'has an effect only on Jobs; put it into spec.jobTemplate.metadata.annotations'),
    );

const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length;
