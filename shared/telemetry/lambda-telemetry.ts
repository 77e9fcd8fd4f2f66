import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { JOB_METRICS, METRICS, METRIC_NAMESPACE, METRIC_SERVICE, type MetricName } from '../names/metrics.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { JobMetricLines, slices } from './job-metric-lines.ts';

/** Whose log lines these are. */
export type InvocationNames = {
  readonly function_name?: string;
  readonly function_request_id?: string;
  /** API Gateway's, which is in the access log. */
  readonly api_request_id?: string;
};

/** Telemetry that collects counts until it is flushed. */
export type FlushedTelemetry = Telemetry & {
  /** Each log line has these names until the next invocation begins: an environment has one at a time. */
  begin(names: InvocationNames): void;
  /** Writes what was counted since the last time; called at the end of every invocation. */
  flush(): void;
};

/**
 * Logs as JSON lines and metrics as CloudWatch's embedded metric format, both on standard output. Our metrics have one
 * dimension, the service; Kubernetes' also have their labels, with one line for each set of labels that the invocation has met.
 */
export function createLambdaTelemetry(): FlushedTelemetry {
  const logger = new Logger({ serviceName: METRIC_SERVICE });
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: METRIC_SERVICE });
  const counts = new Map<MetricName, number>();
  const seconds: (readonly [MetricName, number])[] = [];
  const lines = new JobMetricLines();
  return {
    begin(names) {
      logger.resetKeys();
      logger.appendKeys({ ...names });
    },
    count(metric, value) {
      if (METRICS[metric] === 'Seconds') seconds.push([metric, value]);
      else counts.set(metric, (counts.get(metric) ?? 0) + value);
    },
    record: (samples) => lines.add(samples),
    info: (message, values) => logger.info(message, { values }),
    warn: (message, values) => logger.warn(message, { values }),
    flush() {
      const [first = [], ...rest] = slices(seconds);
      for (const values of [[...counts, ...first], ...rest]) {
        for (const [metric, value] of values) metrics.addMetric(metric, METRICS[metric], value);
        if (values.length > 0) metrics.publishStoredMetrics();
      }
      counts.clear();
      seconds.length = 0;
      for (const { dimensions, values } of lines.take()) {
        for (const [label, value] of Object.entries(dimensions)) metrics.addDimension(label, value);
        for (const [name, value] of values) metrics.addMetric(name, JOB_METRICS[name], value);
        metrics.publishStoredMetrics(); // and forgets the dimensions
      }
    },
  };
}
