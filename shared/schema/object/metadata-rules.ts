import { OWN_PREFIX } from '../../domain/manifests/annotations.ts';
import type { Annotation } from '../../domain/manifests/annotations/annotation.ts';
import { annotationKeys } from '../../domain/manifests/annotations/explained.ts';
import { ANNOTATION_ROWS } from '../../domain/manifests/annotations/rows.ts';
import type { Labels } from '../../domain/manifests/manifest.ts';
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

/**
 * The rules for Muster's own annotations on a Job that do not depend on its spec.
 *
 * @param setByServer those that the server has set, and that no user may set, are there
 */
export function ownAnnotationErrors(
  path: string,
  annotations: Labels = {},
  { setByServer = false }: { readonly setByServer?: boolean } = {},
): readonly FieldError[] {
  const known = ANNOTATION_ROWS.Job.filter(({ setBy }) => setBy === undefined || setByServer).map(({ key }) => key);
  return [
    ...Object.entries(annotations)
      .filter(([key]) => key.startsWith(OWN_PREFIX) && !known.includes(key))
      .map(([key, text]) =>
        invalid(`${path}[${key}]`, text, `unknown annotation; a Job may have ${annotationKeys('Job')}`),
      ),
    ...valueErrors(ANNOTATION_ROWS.Job, path, annotations),
  ];
}

/** What each row says that a value must be; without a value that is not for logs. */
export const valueErrors = (rows: readonly Annotation[], path: string, annotations: Labels): readonly FieldError[] =>
  rows.flatMap(({ key, parse, rule = '', isSecret = false }) => {
    const text = annotations[key];
    if (text === undefined || parse === undefined || parse(text) !== null) return [];
    return [invalid(`${path}[${key}]`, isSecret ? undefined : text, typeof rule === 'string' ? rule : rule(text))];
  });

const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length;
