import type { JobManifestSpec, Labels, ObjectMeta, PodTemplate } from '../../../domain/manifests/manifest.ts';

/** A CronJob as it was admitted: `batch/v1`, its own defaults filled in, without any field that Muster would ignore. */
export type CronJobManifest = {
  readonly apiVersion: 'batch/v1';
  readonly kind: 'CronJob';
  readonly metadata: ObjectMeta;
  readonly spec: CronJobSpec;
};

export type CronJobSpec = {
  readonly schedule: string;
  /** Of tzdata; without it the schedule is in UTC. */
  readonly timeZone?: string;
  readonly startingDeadlineSeconds?: number;
  readonly concurrencyPolicy: 'Allow' | 'Forbid' | 'Replace';
  readonly suspend: boolean;
  readonly jobTemplate: JobTemplate;
  readonly successfulJobsHistoryLimit: number;
  readonly failedJobsHistoryLimit: number;
};

/** A CronJob's status, as `batch/v1` writes it; times are RFC 3339. */
export type CronJobStatusDocument = {
  readonly active?: readonly { readonly [field: string]: string }[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
};

/** The template of its Jobs. */
export type JobTemplate = {
  readonly metadata: { readonly labels?: Labels; readonly annotations?: Labels };
  readonly spec: TemplatedJobSpec;
};

/** A Job's spec as its author wrote it: a Job's defaults are filled in when it is created, as in Kubernetes. */
export type TemplatedJobSpec = Partial<Omit<JobManifestSpec, 'selector' | 'template'>> & {
  readonly template: TemplatedPod;
};

type TemplatedPod = {
  readonly metadata: Partial<PodTemplate['metadata']>;
  readonly spec: PodTemplate['spec'];
};
