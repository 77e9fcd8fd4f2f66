/** Every metric with its CloudWatch unit; alarms use these names, so a misspelled one does not compile. */
export const METRICS = {
  IndexesSucceeded: 'Count',
  AttemptsFailed: 'Count',
  AttemptsLost: 'Count',
  TasksLaunched: 'Count',
  LaunchesRefused: 'Count',
  LaunchesThrottled: 'Count',
  TasksStopped: 'Count',
  GhostsStopped: 'Count',
  CommitsLost: 'Count',
  FactsFolded: 'Count',
  MessagesRejected: 'Count',
} as const;

export type MetricName = keyof typeof METRICS;
export const METRIC_NAMESPACE = 'Muster';
