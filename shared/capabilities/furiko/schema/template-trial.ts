import type { JobConfigSpec } from '../domain/job-config.ts';
import type { HostFolders } from '../../../domain/task/volumes/host-folders.ts';
import type { HostsOffer } from '../../../schema/job/host-name-rules.ts';
import { admitJob } from '../../../schema/job/job-manifest.ts';
import { type FieldError, invalid } from '../../../schema/object/field-error.ts';
import { templateCommandWarnings } from '../../../schema/pod-admission/command-rules.ts';
import { furikoErrors, furikoWarnings } from './batch-paths.ts';
import { compileFurikoJob } from './compile-furiko-job.ts';
import type { FurikoTemplateShape } from './furiko-job-shape.ts';
import { furikoTemplateOf } from './furiko-spec.ts';
import { placeholderOptions } from './option-values.ts';

/** Whose template it is, and the Job that is tried. */
export type TrialOwner = {
  readonly config: string;
  readonly job: string;
  readonly namespace: string;
  readonly hosts: HostsOffer;
  /** Its commands are warned about: each Job without one is refused. */
  readonly needsCommand: boolean;
  readonly hostFolders: HostFolders;
};

/** As long as any. */
const UID = '00000000-0000-4000-8000-000000000000';

/** The faults and warnings of a Job made of a JobConfig's template, as far as the template is to blame. */
export function tryTemplate(
  template: FurikoTemplateShape,
  { option, template: { metadata } }: JobConfigSpec,
  { config, job, namespace, hosts, needsCommand, hostFolders }: TrialOwner,
): { readonly errors: readonly FieldError[]; readonly warnings: readonly string[] } {
  const substitutions = {
    ...placeholderOptions(option?.options ?? []),
    'jobconfig.uid': UID,
    'jobconfig.name': config,
    'jobconfig.namespace': namespace,
  };
  const spec = {
    type: 'Scheduled',
    template: furikoTemplateOf(template),
    substitutions,
    ttlSecondsAfterFinished: 0,
  } as const;
  const compiled = compileFurikoJob({ name: job, namespace, ...metadata }, UID, spec);
  const context = {
    namespace,
    uid: UID,
    nameSuffix: '',
    fieldValidation: 'Strict',
    hosts,
    list: null,
    hostFolders,
  } as const;
  const admitted = admitJob(compiled.document, context);
  if (admitted.kind === 'undecodable')
    return { errors: [invalid(ofConfig('spec.template'), undefined, admitted.message)], warnings: [] };
  const pod = template.taskTemplate?.pod;
  const commands = needsCommand ? templateCommandWarnings('spec.template.taskTemplate.pod.spec', pod?.spec) : [];
  const errors = [...compiled.errors, ...(admitted.kind === 'invalid' ? furikoErrors(admitted.errors) : [])];
  return {
    errors: errors.map((error) => ({ ...error, path: ofConfig(error.path) })),
    warnings: admitted.kind === 'ok' ? [...furikoWarnings(admitted.warnings), ...commands].map(ofConfig) : [],
  };
}

/** A path of the Job, or a text that begins with one, as it is called in the JobConfig. */
const ofConfig = (text: string): string =>
  text
    .replace(/^spec\.template\b/, 'spec.template.spec')
    .replace(/^metadata\.(?=labels|annotations)/, 'spec.template.metadata.');
