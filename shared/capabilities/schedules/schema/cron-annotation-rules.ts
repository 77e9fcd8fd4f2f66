import { OWN_PREFIX } from '../../../domain/manifests/annotations.ts';
import type { Labels } from '../../../domain/manifests/manifest.ts';
import { type FieldError, invalid } from '../../../schema/object/field-error.ts';
import { valueErrors } from '../../../schema/object/metadata-rules.ts';
import { CRON_JOB_ANNOTATIONS } from '../annotations/index.ts';

const ROWS = Object.values(CRON_JOB_ANNOTATIONS);
const KNOWN: readonly string[] = ROWS.map(({ key }) => key);

/** The rules for Muster's own annotations on a CronJob: those for schedules, and for objects of S3. The others have an effect only on Jobs. */
export const cronAnnotationErrors = (path: string, annotations: Labels = {}): readonly FieldError[] => [
  ...valueErrors(ROWS, path, annotations),
  ...Object.entries(annotations)
    .filter(([key]) => key.startsWith(OWN_PREFIX) && !KNOWN.includes(key))
    .map(([key, text]) =>
      invalid(`${path}[${key}]`, text, 'has an effect only on Jobs; put it into spec.jobTemplate.metadata.annotations'),
    ),
];
