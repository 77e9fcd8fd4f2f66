import { asEpochMs } from '../../../domain/base/time.ts';
import { fieldErrorText } from '../../../schema/object/field-error.ts';
import type {
  FurikoAdmissionContext,
  FurikoJobAdmission,
  FurikoJobUpdate,
  JobConfigAdmission,
  JobConfigUpdate,
} from '../schema/furiko-admission-context.ts';
import { admitFurikoJob } from '../schema/furiko-job-admission.ts';
import { admitJobConfig } from '../schema/job-config-admission.ts';

const API_VERSION = 'execution.furiko.io/v1alpha1';
export const JOB_UID = 'uid-1';
export const CONFIG_UID = '7172ef3a-7754-4e73-a99a-d7e8a8e9fe5b';
const NOW = asEpochMs(Date.parse('2021-02-09T04:06:00Z'));

/** The least Pod that is admitted. */
export const pod = (container: object = {}, spec: object = {}) => ({
  spec: { containers: [{ name: 'container', image: 'hello-world', ...container }], ...spec },
});

export const furikoDocument = (template: object = {}, spec: object = {}, metadata: object = {}) => ({
  apiVersion: API_VERSION,
  kind: 'Job',
  metadata: { name: 'job', ...metadata },
  spec: { template: { taskTemplate: { pod: pod() }, ...template }, ...spec },
});

/** A Job that names its JobConfig. */
export const jobOfConfig = (spec: object = {}, metadata: object = {}) => ({
  apiVersion: API_VERSION,
  kind: 'Job',
  metadata: { name: 'job', ...metadata },
  spec: { configName: 'config', ...spec },
});

export const configDocument = (spec: object = {}, template: object = {}, metadata: object = {}) => ({
  apiVersion: API_VERSION,
  kind: 'JobConfig',
  metadata: { name: 'config', ...metadata },
  spec: {
    template: { spec: { taskTemplate: { pod: pod() }, ...template } },
    concurrency: { policy: 'Forbid' },
    ...spec,
  },
});

const CONTEXT = { namespace: 'default', nameSuffix: 'x7k2z', fieldValidation: 'Strict', now: NOW } as const;

export const admitFuriko = (document: unknown, context: Partial<FurikoAdmissionContext> = {}): FurikoJobAdmission =>
  admitFurikoJob(document, { ...CONTEXT, uid: JOB_UID, config: null, ...context });

export const admitConfig = (document: unknown): JobConfigAdmission =>
  admitJobConfig(document, { ...CONTEXT, uid: CONFIG_UID });

type Answer = FurikoJobAdmission | FurikoJobUpdate | JobConfigAdmission | JobConfigUpdate;

/** `path: kind: message` of each fault; empty when there is none. */
export function furikoFaults(answer: Answer): readonly string[] {
  if (answer.kind === 'ok') return [];
  if (answer.kind === 'undecodable') return [`400 ${answer.message}`];
  return answer.errors.map((fault) => `${fault.path}: ${fieldErrorText(fault)}`);
}

export function admittedFuriko(document: unknown, context: Partial<FurikoAdmissionContext> = {}) {
  const answer = admitFuriko(document, context);
  if (answer.kind !== 'ok') throw new Error(furikoFaults(answer).join('\n'));
  return answer;
}

/** A stored JobConfig, as a Job that names it finds it. */
export function namedConfig(document: unknown = configDocument()) {
  const answer = admitConfig(document);
  if (answer.kind !== 'ok') throw new Error(furikoFaults(answer).join('\n'));
  return { manifest: answer.manifest, uid: CONFIG_UID };
}
