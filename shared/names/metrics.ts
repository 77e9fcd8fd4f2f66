import type { JobMetric } from '../domain/planner/job-metrics.ts';

/** All our metrics with their CloudWatch units. Alarms use these names, so a misspelled one does not compile. */
export const METRICS = {
  IndexesSucceeded: 'Count',
  AttemptsFailed: 'Count',
  AttemptsLost: 'Count',
  TasksLaunched: 'Count',
  LaunchesRefused: 'Count',
  LaunchesThrottled: 'Count',
  LaunchesMisconfigured: 'Count',
  TasksStopped: 'Count',
  GhostsStopped: 'Count',
  DefinitionsDeregistered: 'Count',
  CommitsLost: 'Count',
  ChangesAnnounced: 'Count',
  AnnouncementsFailed: 'Count',
  FactsFolded: 'Count',
  StoppedToCounted: 'Seconds',
  EndsFoundByLookUp: 'Count',
  FindingsError: 'Count',
  MessagesRejected: 'Count',
  DeadLetters: 'Count',
} as const;

export type MetricName = keyof typeof METRICS;
export const METRIC_NAMESPACE = 'Muster';
/** Our only dimension. */
export const METRIC_SERVICE = 'muster';

/** Kubernetes' metrics of the Job controller; their labels are dimensions. */
export const JOB_METRICS = {
  job_syncs_total: 'Count',
  job_sync_duration_seconds: 'Seconds',
  jobs_finished_total: 'Count',
  job_pods_finished_total: 'Count',
  pod_failures_handled_by_failure_policy_total: 'Count',
  terminated_pods_tracking_finalizer_total: 'Count',
  job_finished_indexes_total: 'Count',
  job_pods_creation_total: 'Count',
  jobs_by_external_controller_total: 'Count',
} as const satisfies Record<JobMetric['name'], 'Count' | 'Seconds'>;
