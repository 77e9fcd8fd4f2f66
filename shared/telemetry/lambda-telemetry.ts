import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { METRICS, METRIC_NAMESPACE, type MetricName } from '../names/metrics.ts';
import type { Telemetry } from '../ports/telemetry.ts';

/** Telemetry that gathers counts until it is told to write them. */
export type FlushedTelemetry = Telemetry & {
  /** Writes what was counted since the last time; called at the end of every invocation. */
  flush(): void;
};

/**
 * Logs as JSON lines and metrics as CloudWatch's embedded metric format, both on standard output. The only dimension is
 * the service: a Job's name would be billed as a metric of its own.
 */
export function createLambdaTelemetry(): FlushedTelemetry {
  const logger = new Logger({ serviceName: SERVICE });
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: SERVICE });
  const counts = new Map<MetricName, number>();
  return {
    count: (metric, value) => void counts.set(metric, (counts.get(metric) ?? 0) + value),
    info: (message, values) => logger.info(message, { values }),
    warn: (message, values) => logger.warn(message, { values }),
    flush() {
      if (counts.size === 0) return;
      for (const [metric, value] of counts) metrics.addMetric(metric, METRICS[metric], value);
      counts.clear();
      metrics.publishStoredMetrics();
    },
  };
}

const SERVICE = 'muster';
