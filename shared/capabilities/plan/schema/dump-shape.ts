import * as z from 'zod';
import { asEpochMs } from '../../../domain/base/time.ts';
import { type FieldError, fieldPath, invalid, notSupported, required } from '../../../schema/object/field-error.ts';
import { INT32_MAX } from '../../../schema/job/job-defaults.ts';

// The fields of a cluster's Jobs and Pods that planning needs. All other fields are ignored: a dump is not a request,
// and a newer cluster prints more fields. Null means an absent field, as in Go's JSON.

const opt = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? null);
const or = <S extends z.ZodType>(schema: S, absent: z.output<S>) =>
  schema.nullish().transform((value) => value ?? absent);

const wholeNumber = z.int({ error: 'must be a whole number' });
const count = wholeNumber
  .min(0, { error: 'must be greater than or equal to 0' })
  .max(INT32_MAX, { error: `must be less than or equal to ${INT32_MAX}` });
const seconds = wholeNumber.min(0, { error: 'must be greater than or equal to 0' });
const text = z.string({ error: 'must be a string' });
const flag = z.boolean({ error: 'must be true or false' });
const moment = z.iso
  .datetime({ offset: true, error: 'must be a time in RFC 3339, such as 2026-01-31T12:00:00Z' })
  .transform((time) => asEpochMs(Date.parse(time)));
const list = <S extends z.ZodType>(item: S) =>
  opt(z.array(item, { error: 'must be a list' })).transform((items): readonly z.output<S>[] => items ?? []);
const object = <S extends z.core.$ZodLooseShape>(shape: S) => z.object(shape, { error: 'must be an object' });
const textMap = or(z.record(z.string(), or(text, ''), { error: 'must be an object of strings' }), {});
const optText = opt(text);

const owner = object({ uid: or(text, ''), controller: or(flag, false) });

const metadata = object({
  name: text.min(1, { error: 'must not be empty' }),
  namespace: optText,
  uid: optText,
  generation: opt(wholeNumber),
  creationTimestamp: opt(moment),
  deletionTimestamp: opt(moment),
  deletionGracePeriodSeconds: opt(seconds),
  labels: textMap,
  annotations: textMap,
  finalizers: list(text),
  ownerReferences: list(owner),
});

const onExitCodes = object({ containerName: optText, operator: text, values: list(wholeNumber) });

const onPodCondition = object({
  type: text,
  status: or(z.enum(['True', 'False', 'Unknown']), 'True' as const),
});

/** A newer cluster may have other actions and operators. As 1.34's controller does, we skip such a rule. */
const failureRule = object({
  action: text,
  onExitCodes: opt(onExitCodes),
  onPodConditions: opt(z.array(onPodCondition, { error: 'must be a list' })),
});

const successRule = object({ succeededIndexes: optText, succeededCount: opt(count) });

const initContainer = object({ name: or(text, ''), restartPolicy: optText });

const jobSpec = object({
  parallelism: opt(count),
  completions: opt(count),
  completionMode: optText,
  backoffLimit: opt(count),
  backoffLimitPerIndex: opt(count),
  maxFailedIndexes: opt(count),
  podFailurePolicy: opt(object({ rules: list(failureRule) })),
  successPolicy: opt(object({ rules: list(successRule) })),
  activeDeadlineSeconds: opt(seconds),
  ttlSecondsAfterFinished: opt(seconds),
  suspend: or(flag, false),
  podReplacementPolicy: opt(z.enum(['TerminatingOrFailed', 'Failed'])),
  managedBy: optText,
  selector: opt(object({ matchLabels: textMap })),
  template: opt(
    object({
      spec: opt(
        object({
          restartPolicy: opt(z.enum(['OnFailure', 'Never'])),
          initContainers: list(initContainer),
        }),
      ),
    }),
  ),
});

const condition = object({
  type: text,
  status: text,
  reason: or(text, ''),
  message: or(text, ''),
  lastProbeTime: opt(moment),
  lastTransitionTime: opt(moment),
});

const NOTHING_UNCOUNTED = { succeeded: [], failed: [] };

const jobStatus = object({
  conditions: list(condition),
  startTime: opt(moment),
  completionTime: opt(moment),
  active: or(count, 0),
  ready: or(count, 0),
  terminating: or(count, 0),
  succeeded: or(count, 0),
  failed: or(count, 0),
  completedIndexes: or(text, ''),
  failedIndexes: optText,
  uncountedTerminatedPods: or(object({ succeeded: list(text), failed: list(text) }), NOTHING_UNCOUNTED),
});

export const DumpedJobShape = object({
  metadata,
  spec: opt(jobSpec).transform((spec) => spec ?? jobSpec.parse({})),
  status: opt(jobStatus).transform((status) => status ?? jobStatus.parse({})),
});
export type DumpedJobShape = z.output<typeof DumpedJobShape>;

const containerStatus = object({
  name: text,
  restartCount: or(count, 0),
  state: opt(
    object({
      terminated: opt(object({ exitCode: or(wholeNumber, 0), finishedAt: opt(moment) })),
    }),
  ),
});

const podStatus = object({
  phase: or(z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']), 'Pending' as const),
  conditions: list(object({ type: text, status: text, lastTransitionTime: opt(moment) })),
  containerStatuses: list(containerStatus),
  initContainerStatuses: list(containerStatus),
});

export const DumpedPodShape = object({
  metadata,
  spec: or(object({ nodeName: or(text, ''), initContainers: list(initContainer) }), {
    nodeName: '',
    initContainers: [],
  }),
  status: opt(podStatus).transform((status) => status ?? podStatus.parse({})),
});
export type DumpedPodShape = z.output<typeof DumpedPodShape>;

/** The faults, with their paths in the whole document. `prefix`: the object's own path, '' at the top. */
export function shapeErrors(
  issues: readonly z.core.$ZodIssue[],
  object: unknown,
  prefix: string,
): readonly FieldError[] {
  return issues.map((issue) => {
    const path = fieldPath(issue.path, prefix);
    const value = valueAt(object, issue.path);
    if (value === undefined || value === null) return required(path === '' ? 'the document' : path);
    return issue.code === 'invalid_value'
      ? notSupported(path, value, issue.values.map(String))
      : invalid(path, value, issue.message);
  });
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : null),
    value,
  );
