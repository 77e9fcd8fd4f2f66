import type { JobMetric } from '../domain/planner/job-metrics.ts';
import type { MetricName } from '../names/metrics.ts';

/** What operators see. Never fails, never waits. */
export type Telemetry = {
  /** Counts are added up. Seconds are kept one by one, for percentiles. */
  count(metric: MetricName, value: number): void;
  /** Kubernetes' own metrics of a pass. Reports only what is committed, so no counter exceeds what the Jobs show. */
  record(metrics: readonly JobMetric[]): void;
  /** A constant message and its values. */
  info(message: string, values: Readonly<Record<string, unknown>>): void;
  warn(message: string, values: Readonly<Record<string, unknown>>): void;
};
