import { JOB_METRICS, METRICS, type MetricName } from '../names/metrics.ts';
import type { FlushedTelemetry } from './lambda-telemetry.ts';

/** Telemetry of one process for people at a terminal: warnings, counts to be asked for, nothing else. */
export function createPlainTelemetry(options: { readonly warn: FlushedTelemetry['warn'] }): FlushedTelemetry & {
  /** Counts since the process began. */
  counts(): Readonly<Partial<Record<MetricName, number>>>;
  /** The same of Kubernetes' metrics, each written as Prometheus does: `name{label="value"}`. */
  jobCounts(): Readonly<Record<string, number>>;
} {
  const counts: Partial<Record<MetricName, number>> = {};
  const jobCounts: Record<string, number> = {};
  return {
    begin: () => undefined,
    count(metric, value) {
      if (METRICS[metric] !== 'Count') return;
      counts[metric] = (counts[metric] ?? 0) + value;
    },
    record(metrics) {
      for (const { name, dimensions, value } of metrics) {
        if (JOB_METRICS[name] !== 'Count') continue;
        const labels = Object.entries(dimensions).map(([label, text]) => `${label}="${text}"`);
        const series = `${name}{${labels.join(',')}}`;
        jobCounts[series] = (jobCounts[series] ?? 0) + value;
      }
    },
    info: () => undefined,
    warn: (message, values) => options.warn(message, values),
    flush: () => undefined,
    counts: () => ({ ...counts }),
    jobCounts: () => ({ ...jobCounts }),
  };
}
