import type { FurikoJobSpec } from '../domain/furiko-job.ts';
import { indexCount } from '../domain/parallel-index.ts';
import type { TemplateVariables } from '../domain/template-variables.ts';
import { ANNOTATIONS, DEFAULT_PENDING_TIMEOUT_SEC } from '../../../domain/manifests/annotations.ts';
import { OWN_FIELDS } from './own-annotations.ts';
import type { Labels, ObjectMeta } from '../../../domain/manifests/manifest.ts';
import type { FieldError } from '../../../schema/object/field-error.ts';
import { type CompiledTemplate, compileTemplate } from './compile-template.ts';
import { type IndexColumn, indexColumns } from './index-columns.ts';

/** What a `batch/v1` Job is made of. */
export type CompiledJob = {
  /** As a client would send it. */
  readonly document: {
    readonly apiVersion: 'batch/v1';
    readonly kind: 'Job';
    readonly metadata: object;
    readonly spec: object;
  };
  readonly errors: readonly FieldError[];
};

/** The annotations that follow from the fields of a Furiko Job: only these fields change them. */
export const COMPILED_ANNOTATIONS: readonly string[] = OWN_FIELDS.filter(([, { madeOf }]) => madeOf !== undefined).map(
  ([key]) => key,
);

/**
 * The Indexed Job that runs a Furiko Job: an index for each number, key, or combination, all at once, each with its attempts.
 *
 * @param metadata with the user's own labels and annotations
 * @param path of the spec, for faults: `spec`, or where a JobConfig has it
 */
export function compileFurikoJob(metadata: ObjectMeta, uid: string, spec: FurikoJobSpec, path = 'spec'): CompiledJob {
  const { parallelism, maxAttempts, taskTemplate } = spec.template;
  const columns = indexColumns(parallelism ?? {});
  const variables = variablesOf(metadata, uid, spec, columns);
  const compiled = compileTemplate(taskTemplate.pod, variables, columns, `${path}.template.taskTemplate.pod`);
  const count = indexCount(parallelism);
  const isAny = parallelism?.completionStrategy === 'AnySuccessful';
  return {
    document: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotationsOf(spec, columns, compiled) } },
      spec: {
        completionMode: 'Indexed',
        completions: count,
        parallelism: count,
        backoffLimitPerIndex: maxAttempts - 1,
        ...(isAny ? { successPolicy: { rules: [{ succeededCount: 1 }] } } : { maxFailedIndexes: 0 }),
        podReplacementPolicy: 'Failed',
        ttlSecondsAfterFinished: spec.ttlSecondsAfterFinished,
        template: compiled.template,
      },
    },
    errors: compiled.errors,
  };
}

function annotationsOf(spec: FurikoJobSpec, columns: readonly IndexColumn[], { image }: CompiledTemplate): Labels {
  const matrix = {
    values: columns.map(({ name, values }) => ({ name, values })),
    ...(image === null ? {} : { image }),
  };
  return {
    ...ruleAnnotations(spec),
    ...(columns.length === 0 ? {} : { [ANNOTATIONS.matrix]: JSON.stringify(matrix) }),
  };
}

/** Those that follow from fields which may change. */
export function ruleAnnotations({ startPolicy, template, killTimestamp }: FurikoJobSpec): Labels {
  const { retryDelaySeconds = 0, taskPendingTimeoutSeconds = DEFAULT_PENDING_TIMEOUT_SEC, parallelism } = template;
  return {
    [ANNOTATIONS.retryDelay]: String(retryDelaySeconds),
    ...(taskPendingTimeoutSeconds === 0 ? {} : { [ANNOTATIONS.startTimeout]: String(taskPendingTimeoutSeconds) }),
    ...(startPolicy?.startAfter === undefined ? {} : { [ANNOTATIONS.startAfter]: startPolicy.startAfter }),
    ...(killTimestamp === undefined ? {} : { [ANNOTATIONS.killAt]: killTimestamp }),
    ...(parallelism?.completionStrategy === 'AnySuccessful' ? { [ANNOTATIONS.successFirst]: 'true' } : {}),
  };
}

/** A name's value is the first of: what the Job itself substitutes, what is known of the Job, and what is known of the task. */
function variablesOf(
  { name, namespace }: ObjectMeta,
  uid: string,
  { type, template, substitutions }: FurikoJobSpec,
  columns: readonly IndexColumn[],
): TemplateVariables {
  const ofJob = {
    'job.uid': uid,
    'job.name': name,
    'job.namespace': namespace,
    'job.type': type,
    'job.max_attempts': String(template.maxAttempts),
    'task.namespace': namespace,
  };
  const isNumbered = columns.length === 0;
  return {
    values: new Map(Object.entries({ ...ofJob, ...substitutions })),
    ofTask: new Map([
      ['task.name', 'MUSTER_POD_NAME'],
      ['task.retry_index', 'MUSTER_RETRY_INDEX'],
      ...(isNumbered ? [['task.index_num', 'MUSTER_INDEX'] as const] : []),
      ...columns.map(({ variable, name: column }) => [variable, column] as const),
    ]),
  };
}
