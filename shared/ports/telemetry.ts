import type { JobMetric } from '../domain/job-metrics.ts';
import type { MetricName } from '../names/metrics.ts';

/** What operators see. Never fails, never waits. */
export type Telemetry = {
  count(metric: MetricName, value: number): void;
  /** Kubernetes' own metrics of a pass. Told of what is committed only, so that no counter shows what no Job does. */
  record(metrics: readonly JobMetric[]): void;
  /** A constant message, and values beside it. */
  info(message: string, values: Readonly<Record<string, unknown>>): void;
  warn(message: string, values: Readonly<Record<string, unknown>>): void;
};
