import { ANNOTATIONS } from '../../../domain/manifests/annotations.ts';
import { NAMINGS } from '../../../domain/manifests/annotations/lists.ts';
import type { Labels } from '../../../domain/manifests/manifest.ts';
import { type FieldError, forbidden } from '../../../schema/object/field-error.ts';

type OwnField = {
  /** The field that users write instead, below `spec`. */
  readonly instead: string;
  /** The field that the server makes the annotation of; omitted: a Furiko Job never has it. */
  readonly madeOf?: string;
};

const KEYS = { instead: 'template.parallelism.withKeys' };
const MATRIX = 'template.parallelism.withMatrix';
const STRATEGY = 'template.parallelism.completionStrategy';
const itself = (field: string): OwnField => ({ instead: field, madeOf: field });

/** Annotations of Jobs that a Job of Furiko's says with a field of its own. All others work on it, too. */
export const OWN_FIELDS: readonly (readonly [annotation: string, field: OwnField])[] = [
  [ANNOTATIONS.items, KEYS],
  ...NAMINGS.map(({ key }) => [key, KEYS] as const),
  [ANNOTATIONS.batch, KEYS],
  [ANNOTATIONS.resourcesFromItems, { instead: MATRIX }],
  [ANNOTATIONS.imageFromItems, { instead: `${MATRIX}, and \${task.index_matrix.…} in the image` }],
  [ANNOTATIONS.matrix, { instead: MATRIX, madeOf: 'template.parallelism' }],
  [ANNOTATIONS.successFirst, itself(STRATEGY)],
  [ANNOTATIONS.successPercent, { instead: STRATEGY }],
  [ANNOTATIONS.successCount, { instead: STRATEGY }],
  [ANNOTATIONS.successReason, { instead: STRATEGY }],
  [ANNOTATIONS.successMessage, { instead: STRATEGY }],
  [ANNOTATIONS.whenAchieved, { instead: STRATEGY }],
  [ANNOTATIONS.maxFailedPercent, { instead: STRATEGY }],
  [ANNOTATIONS.retryDelay, itself('template.retryDelaySeconds')],
  [ANNOTATIONS.startTimeout, itself('template.taskPendingTimeoutSeconds')],
  [ANNOTATIONS.startAfter, itself('startPolicy.startAfter')],
  [ANNOTATIONS.killAt, itself('killTimestamp')],
];

/** Faults for annotations of Muster's that would say the same as a field, or the contrary. */
export const ownAnnotationErrorsOf = (path: string, annotations: Labels | undefined): readonly FieldError[] =>
  Object.keys(annotations ?? {}).flatMap((given) =>
    OWN_FIELDS.filter(([key]) => key === given).map(([key, { instead }]) =>
      forbidden(`${path}[${key}]`, `a Job of Furiko's says it with spec.${instead}`),
    ),
  );
