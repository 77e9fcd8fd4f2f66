import type { MetricName } from '../names/metrics.ts';

/** What operators see. Never fails, never waits. */
export type Telemetry = {
  count(metric: MetricName, value: number): void;
  /** A constant message, and values beside it. */
  info(message: string, values: Readonly<Record<string, unknown>>): void;
  warn(message: string, values: Readonly<Record<string, unknown>>): void;
};
