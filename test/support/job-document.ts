import { fieldErrorText } from '../../shared/schema/object/field-error.ts';
import { type Admission, type AdmissionContext, admitJob } from '../../shared/schema/job/job-manifest.ts';
import type { JobUpdate } from '../../shared/schema/job/job-update.ts';

/** The least of a Job's document that is admitted, and what a test says about it. */
export const jobDocument = (spec: object = {}, metadata: object = {}, pod: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'sums', ...metadata },
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }], ...pod } },
    ...spec,
  },
});

export const UID = 'uid-1';

type Tasks = Pick<AdmissionContext, 'needsCommand' | 'hostFolders'>;

/** @param tasks omitted: as on AWS */
export const admitDocument = (document: unknown, tasks: Tasks = {}): Admission =>
  admitJob(document, { namespace: 'default', uid: UID, nameSuffix: 'x7k2z', fieldValidation: 'Strict', ...tasks });

/** `path: kind: message` of each fault; empty when there is none. */
export function faultLines(admission: Admission | JobUpdate): readonly string[] {
  if (admission.kind === 'ok') return [];
  if (admission.kind === 'undecodable') return [`400 ${admission.message}`];
  return admission.errors.map((fault) => `${fault.path}: ${fieldErrorText(fault)}`);
}

export function admitted(document: unknown, tasks: Tasks = {}) {
  const admission = admitDocument(document, tasks);
  if (admission.kind !== 'ok') throw new Error(faultLines(admission).join('\n'));
  return admission;
}
