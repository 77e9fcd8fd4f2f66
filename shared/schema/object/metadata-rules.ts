import {
  ANNOTATIONS,
  isTaskToken,
  parseDeadline,
  parseDisruptions,
  parseFlag,
  parseGang,
  parseGangRestarts,
  parseMoment,
  parsePendingTimeout,
  parseRetryDelay,
} from '../../domain/spec/annotations.ts';
import {
  WHEN_ACHIEVED,
  parseMessage,
  parseReasons,
  parseShare,
  parseSuccessCount,
  parseWhenAchieved,
} from '../../domain/spec/success-rules.ts';
import { CATCH_UPS, parseCatchUp, parseJitter } from '../../domain/cron/cron-rules.ts';
import { parseObjectPattern } from '../../domain/spec/object-pattern.ts';
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

/** What users may say about a Job with Muster's annotations. */
const OF_JOBS: readonly string[] = [
  ANNOTATIONS.disruptions,
  ANNOTATIONS.pendingTimeout,
  ANNOTATIONS.items,
  ANNOTATIONS.workList,
  ANNOTATIONS.batch,
  ANNOTATIONS.resourcesFromItems,
  ANNOTATIONS.imageFromItems,
  ANNOTATIONS.indexes,
  ANNOTATIONS.rerunOf,
  ANNOTATIONS.taskToken,
  ANNOTATIONS.retryDelay,
  ANNOTATIONS.startTimeout,
  ANNOTATIONS.indexDeadline,
  ANNOTATIONS.startAfter,
  ANNOTATIONS.killAt,
  ANNOTATIONS.successFirst,
  ANNOTATIONS.successPercent,
  ANNOTATIONS.successCount,
  ANNOTATIONS.successReason,
  ANNOTATIONS.successMessage,
  ANNOTATIONS.whenAchieved,
  ANNOTATIONS.maxFailedPercent,
  ANNOTATIONS.gang,
  ANNOTATIONS.gangTimeout,
  ANNOTATIONS.gangRestarts,
  ANNOTATIONS.matrix,
  ANNOTATIONS.after,
  ANNOTATIONS.afterIndexes,
];

/** What the annotations about a Job's success may be. */
const SUCCESS_RULES: readonly (readonly [key: string, parse: (text: string) => unknown, right: string])[] = [
  [
    ANNOTATIONS.successPercent,
    (text) => parseShare(text) || null,
    'must be per cent above 0 and up to 100, such as "80" or "99.5" (three decimals at most), without a sign',
  ],
  [ANNOTATIONS.successCount, parseSuccessCount, 'must be a whole number from 1 to 9999999, without leading zeros'],
  [
    ANNOTATIONS.maxFailedPercent,
    parseShare,
    'must be per cent from 0 to 100, such as "5" or "0.5" (three decimals at most), without a sign',
  ],
  [
    ANNOTATIONS.successReason,
    parseReasons,
    'must be a reason in CamelCase of at most 128 letters and digits, or one for each rule, such as "LeaderSucceeded,WorkersSucceeded"',
  ],
  [ANNOTATIONS.successMessage, parseMessage, 'must be a text of 1 to 1024 characters'],
  [ANNOTATIONS.whenAchieved, parseWhenAchieved, `must be one of ${Object.values(WHEN_ACHIEVED).join(', ')}`],
];

const DEADLINE_RULE = 'must be a duration such as 90m or 1h30m: whole seconds, at least 1s and at most 8760h';
const MOMENT_RULE = 'must be a time as RFC 3339 writes it, such as 2026-01-31T12:00:00Z';

/**
 * The rules for Muster's own annotations on a Job that do not depend on its spec.
 *
 * @param setByServer one that the server has set, and that no user may set; omitted: there is none
 */
export function ownAnnotationErrors(
  path: string,
  annotations: Labels | undefined,
  setByServer?: string,
): readonly FieldError[] {
  const fieldError = (key: string, parse: (text: string) => unknown, right: string): readonly FieldError[] => {
    const text = annotations?.[key];
    return text === undefined || parse(text) !== null ? [] : [invalid(`${path}[${key}]`, text, right)];
  };
  return [
    ...Object.entries(annotations ?? {})
      .filter(([key]) => key.startsWith(OWN_PREFIX) && !OF_JOBS.includes(key) && key !== setByServer)
      .map(([key, text]) =>
        invalid(
          `${path}[${key}]`,
          text,
          `unknown annotation; a Job may have ${OF_JOBS.slice(0, -1).join(', ')} and ${OF_JOBS.at(-1)}`,
        ),
      ),
    ...fieldError(
      ANNOTATIONS.disruptions,
      parseDisruptions,
      'must be "count", or "losses=10,spot-interruptions=3" with numbers up to 9999 (either part may be omitted)',
    ),
    ...[ANNOTATIONS.pendingTimeout, ANNOTATIONS.startTimeout, ANNOTATIONS.gangTimeout].flatMap((key) =>
      fieldError(
        key,
        parsePendingTimeout,
        'must be a whole number of seconds between 1 and 9999999, without leading zeros',
      ),
    ),
    ...fieldError(
      ANNOTATIONS.retryDelay,
      parseRetryDelay,
      'must be a whole number of seconds between 0 and 9999999, without leading zeros',
    ),
    ...SUCCESS_RULES.flatMap(([key, parse, right]) => fieldError(key, parse, right)),
    ...fieldError(ANNOTATIONS.gang, parseGang, 'must be "all"'),
    ...fieldError(
      ANNOTATIONS.gangRestarts,
      parseGangRestarts,
      'must be a whole number between 0 and 999, without leading zeros',
    ),
    ...fieldError(ANNOTATIONS.indexDeadline, parseDeadline, DEADLINE_RULE),
    ...[ANNOTATIONS.startAfter, ANNOTATIONS.killAt].flatMap((key) => fieldError(key, parseMoment, MOMENT_RULE)),
    ...taskTokenErrors(`${path}[${ANNOTATIONS.taskToken}]`, annotations?.[ANNOTATIONS.taskToken]),
    ...[ANNOTATIONS.resourcesFromItems, ANNOTATIONS.imageFromItems, ANNOTATIONS.successFirst].flatMap((key) =>
      fieldError(key, parseFlag, 'must be "true" or "false"'),
    ),
  ];
}

/** Without its value, which is not for logs. */
const taskTokenErrors = (path: string, token: string | undefined): readonly FieldError[] =>
  token === undefined || isTaskToken(token)
    ? []
    : [invalid(path, undefined, 'must be a task token of Step Functions: 1 to 2048 visible characters')];

const CATCH_UP_RULE = `must be one of ${Object.values(CATCH_UPS).join(', ')}`;
const JITTER_RULE = 'must be a whole number of seconds up to 3600';
const PLACE_RULE = 'must be BUCKET/KEY, where each * in the key stands for any text, such as uploads/incoming/*.csv';

/** The same for CronJobs: those for schedules, and for objects of S3. The others have an effect only on Jobs. */
export const cronAnnotationErrors = (path: string, annotations: Labels | undefined): readonly FieldError[] =>
  Object.entries(annotations ?? {}).flatMap(([key, text]) => {
    const refuse = (why: string): readonly FieldError[] => [invalid(`${path}[${key}]`, text, why)];
    if (key === ANNOTATIONS.catchUp) return parseCatchUp(text) === null ? refuse(CATCH_UP_RULE) : [];
    if (key === ANNOTATIONS.jitterSeconds) return parseJitter(text) === null ? refuse(JITTER_RULE) : [];
    if (key === ANNOTATIONS.onObjectCreated) return parseObjectPattern(text) === null ? refuse(PLACE_RULE) : [];
    if (!key.startsWith(OWN_PREFIX)) return [];
    return refuse('has an effect only on Jobs; put it into spec.jobTemplate.metadata.annotations');
  });

const utf8Bytes = (text: string): number => new TextEncoder().encode(text).length;
