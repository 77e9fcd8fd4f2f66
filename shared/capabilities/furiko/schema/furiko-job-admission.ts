import { FURIKO_API_VERSION, type FurikoPart } from '../domain/furiko-job.ts';
import { DEPENDENTS_FINALIZER, OPTION_SPEC_HASH } from '../domain/furiko-labels.ts';
import { optionSpecHash } from '../domain/option-spec-hash.ts';
import type { Labels, ObjectMeta } from '../../../domain/manifests/manifest.ts';
import { admitJob } from '../../../schema/job/job-manifest.ts';
import { type FieldError, forbidden, invalid } from '../../../schema/object/field-error.ts';
import { type ObjectMetadataShape, labelParts, tiesOf } from '../../../schema/object/object-metadata.ts';
import { nameErrors, nameOf } from '../../../schema/object/object-name.ts';
import {
  type FieldValidation,
  type ReadObject,
  readObject,
  misplacedReading,
} from '../../../schema/object/read-object.ts';
import { furikoErrors, furikoWarnings } from './batch-paths.ts';
import { compileFurikoJob } from './compile-furiko-job.ts';
import { type ConfigOfJob, configOfJob } from './config-of-job.ts';
import type { FurikoAdmissionContext, FurikoJobAdmission } from './furiko-admission-context.ts';
import { FurikoJobShape } from './furiko-job-shape.ts';
import { furikoSpecOf } from './furiko-spec.ts';
import { forcedDeletionWarnings, furikoSpecErrors } from './furiko-spec-rules.ts';
import { evaluateOptions } from './option-values.ts';
import { ownAnnotationErrorsOf } from './own-annotations.ts';

/** A task's name adds a number and two dashes. */
const NAME_CHARS_MAX = 60;

/** Reads an external document as a Furiko Job, without judging its values. */
export const readFurikoJob = (document: unknown, fieldValidation: FieldValidation): ReadObject<FurikoJobShape> =>
  readObject(document, fieldValidation, { apiVersion: FURIKO_API_VERSION, kind: 'Job', shape: FurikoJobShape });

/**
 * Admits an external document as a new Furiko Job, as upstream's webhooks do: it takes the template of its JobConfig, evaluates the
 * options, and must then be valid. What runs it is an Indexed Job, for whose template all rules of `batch/v1` hold.
 */
export function admitFurikoJob(document: unknown, context: FurikoAdmissionContext): FurikoJobAdmission {
  const { namespace, nameSuffix, fieldValidation } = context;
  const read = readFurikoJob(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata } = read.object;
  const misplaced = misplacedReading(metadata, namespace);
  if (misplaced !== null) return misplaced;
  const name = nameOf(metadata, nameSuffix);
  const config = configOfJob(read.object, context.config);
  const errors = [
    ...nameErrors(name, metadata),
    ...lengthErrors(name, NAME_CHARS_MAX),
    ...ownAnnotationErrorsOf('metadata.annotations', config.job.metadata?.annotations),
    ...config.errors,
    ...(config.errors.length === 0 ? furikoSpecErrors(config.job.spec) : []),
  ];
  if (errors.length > 0) return { kind: 'invalid', name, errors };
  const admitted = admitWhole(name, config, context);
  return admitted.kind === 'ok'
    ? { ...admitted, warnings: [...read.warnings, ...config.warnings, ...admitted.warnings] }
    : admitted;
}

export const lengthErrors = (name: string, charsMax: number): readonly FieldError[] =>
  name.length > charsMax ? [invalid('metadata.name', name, `cannot be more than ${charsMax} characters`)] : [];

/** The rest, for a spec without faults. */
function admitWhole(name: string, { job, named }: ConfigOfJob, context: FurikoAdmissionContext): FurikoJobAdmission {
  const options = optionsOf({ job, named });
  if (options.kind === 'bad') return { kind: 'invalid', name, errors: options.errors };
  const spec = furikoSpecOf(job.spec, options);
  const { metadata } = job;
  const { generateName = '', labels = {} } = metadata ?? {};
  const annotations = { ...metadata?.annotations, ...options.annotations };
  const own: ObjectMeta = {
    name,
    namespace: context.namespace,
    ...(generateName === '' ? {} : { generateName }),
    labels,
    annotations,
    ...tiesWithoutFurikos(metadata),
  };
  const compiled = compileFurikoJob(own, context.uid, spec);
  const admitted = admitJob(compiled.document, { ...context, fieldValidation: 'Strict', list: null });
  if (admitted.kind === 'undecodable') return admitted;
  const errors = [...compiled.errors, ...(admitted.kind === 'invalid' ? furikoErrors(admitted.errors) : [])];
  if (errors.length > 0 || admitted.kind === 'invalid') return { kind: 'invalid', name, errors };
  const furiko: FurikoPart = {
    metadata: labelParts({ labels, annotations }),
    spec,
    config: named === null ? null : { name: named.manifest.metadata.name, uid: named.uid },
  };
  const warnings = [
    ...(job.spec.template === undefined ? [] : forcedDeletionWarnings('spec.template', job.spec.template)),
    ...furikoWarnings(admitted.warnings),
  ];
  return { kind: 'ok', manifest: admitted.manifest, furiko, warnings };
}

/** Furiko's own finalizer would hold the Job for ever: nobody here removes it. */
export function tiesWithoutFurikos(
  metadata: ObjectMetadataShape | undefined,
): Pick<ObjectMeta, 'finalizers' | 'ownerReferences'> {
  const { finalizers = [], ...ties } = tiesOf(metadata);
  const others = finalizers.filter((finalizer) => finalizer !== DEPENDENTS_FINALIZER);
  return others.length === 0 ? ties : { ...ties, finalizers: others };
}

type Options =
  | {
      readonly kind: 'ok';
      readonly optionValues: string | null;
      /** Options and `jobconfig.*`. */
      readonly variables: Labels;
      readonly annotations: Labels;
    }
  | { readonly kind: 'bad'; readonly errors: readonly FieldError[] };

function optionsOf({ job, named }: Pick<ConfigOfJob, 'job' | 'named'>): Options {
  const text = job.spec.optionValues ?? '';
  if (named === null)
    return text === ''
      ? { kind: 'ok', optionValues: null, variables: {}, annotations: {} }
      : {
          kind: 'bad',
          errors: [
            forbidden('spec.optionValues', 'only a Job of a JobConfig has options: write substitutions instead'),
          ],
        };
  const { metadata, spec } = named.manifest;
  const options = spec.option?.options ?? [];
  const evaluated = evaluateOptions(text, options);
  if (evaluated.kind === 'bad') return evaluated;
  return {
    kind: 'ok',
    optionValues: evaluated.given,
    variables: {
      ...evaluated.values,
      'jobconfig.uid': named.uid,
      'jobconfig.name': metadata.name,
      'jobconfig.namespace': metadata.namespace,
    },
    annotations: evaluated.given === null ? {} : { [OPTION_SPEC_HASH]: optionSpecHash(options) },
  };
}
