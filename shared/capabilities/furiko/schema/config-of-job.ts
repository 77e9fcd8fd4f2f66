import { FURIKO_API_VERSION, FURIKO_GROUP } from '../domain/furiko-job.ts';
import { CONFIG_UID_LABEL } from '../domain/furiko-labels.ts';
import type { OwnerReference } from '../../../domain/manifests/manifest.ts';
import { type FieldError, invalid, notFound, required } from '../../../schema/object/field-error.ts';
import { objectMetadataShape, tiesOf } from '../../../schema/object/object-metadata.ts';
import type { FurikoAdmissionContext, NamedConfig } from './furiko-admission-context.ts';
import { type FurikoJobShape, furikoTemplateShape } from './furiko-job-shape.ts';

/** A new Job with all that its JobConfig gives it. */
export type ConfigOfJob = {
  readonly job: FurikoJobShape;
  /** null: the Job is independent. */
  readonly named: NamedConfig | null;
  readonly warnings: readonly string[];
};

/**
 * The JobConfig that a new Job names, in `spec.configName` or as the owner that controls it, so that it can be looked up; null: the
 * Job is independent, or unreadable.
 */
export function configNameIn(document: unknown): string | null {
  const { spec, metadata } = recordOf(document);
  const { configName } = recordOf(spec);
  if (typeof configName === 'string' && configName !== '') return configName;
  const { ownerReferences } = recordOf(metadata);
  const owners: readonly unknown[] = Array.isArray(ownerReferences) ? ownerReferences : [];
  const owner = owners.map(recordOf).find(isConfig);
  return typeof owner?.['name'] === 'string' && owner['name'] !== '' ? owner['name'] : null;
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

const isConfig = ({ apiVersion, kind, controller }: Readonly<Record<string, unknown>>): boolean =>
  controller === true && kind === 'JobConfig' && String(apiVersion).startsWith(`${FURIKO_GROUP}/`);

/**
 * Expands `spec.configName`, or finds the JobConfig that controls the Job.
 *
 * @param config what was found under the name of {@link configNameIn}
 */
export function configOfJob(
  job: FurikoJobShape,
  config: FurikoAdmissionContext['config'],
): ConfigOfJob & { readonly errors: readonly FieldError[] } {
  const { configName = '' } = job.spec;
  const bad = (...errors: readonly FieldError[]) => ({ job, named: null, warnings: [], errors });
  if (configName !== '')
    return config === null || config === 'absent'
      ? bad(notFound('spec.configName', configName))
      : expanded(job, config);
  const { ownerReferences = [] } = tiesOf(job.metadata);
  const nth = ownerReferences.findIndex((owner) => isConfig({ ...owner }));
  const owner = ownerReferences[nth];
  if (owner === undefined) return { job, named: null, warnings: [], errors: [] };
  const path = `metadata.ownerReferences[${nth}]`;
  if (config === null || config === 'absent') return bad(notFound(path, owner.name));
  if (owner.uid !== config.uid)
    return bad(invalid(`${path}.uid`, owner.uid, `the JobConfig ${owner.name} has the uid ${config.uid}`));
  if (job.metadata?.labels?.[CONFIG_UID_LABEL] !== config.uid)
    return bad(
      required(`metadata.labels[${CONFIG_UID_LABEL}]`, 'label must be specified if ownerReferences is specified'),
    );
  return { job, named: config, warnings: [], errors: [] };
}

/** The Job with the template, labels, and annotations of its JobConfig; its own labels and annotations win. */
function expanded(job: FurikoJobShape, named: NamedConfig): ConfigOfJob & { readonly errors: readonly FieldError[] } {
  const { metadata = objectMetadataShape.parse({}), spec } = job;
  const { template, concurrency } = named.manifest.spec;
  const policy = spec.startPolicy?.concurrencyPolicy ?? '';
  return {
    job: {
      ...job,
      metadata: {
        ...metadata,
        labels: { ...template.metadata?.labels, ...metadata.labels, [CONFIG_UID_LABEL]: named.uid },
        annotations: { ...template.metadata?.annotations, ...metadata.annotations },
        ownerReferences: [controllerReference(named)],
      },
      spec: {
        ...spec,
        configName: undefined,
        template: furikoTemplateShape.parse(template.spec),
        startPolicy: {
          startAfter: spec.startPolicy?.startAfter,
          concurrencyPolicy: policy === '' ? concurrency.policy : policy,
        },
      },
    },
    named,
    warnings: spec.template === undefined ? [] : ["spec.template: the JobConfig's template is used instead"],
    errors: [],
  };
}

/** The reference from a Job to the JobConfig that it was made from. */
const controllerReference = ({ manifest, uid }: NamedConfig): Required<OwnerReference> => ({
  apiVersion: FURIKO_API_VERSION,
  kind: 'JobConfig',
  name: manifest.metadata.name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});
