import type { MetricName } from '../names/metrics.ts';
import type { FlushedTelemetry } from './lambda-telemetry.ts';

/** Telemetry of one process for people at a terminal: warnings as lines, counts to be asked for, nothing else. */
export function createPlainTelemetry(options: { readonly write: (line: string) => void }): FlushedTelemetry & {
  /** Counts since the process began. */
  counts(): Readonly<Partial<Record<MetricName, number>>>;
} {
  const counts: Partial<Record<MetricName, number>> = {};
  return {
    count(metric, value) {
      counts[metric] = (counts[metric] ?? 0) + value;
    },
    info: () => undefined,
    warn: (message, values) => options.write(`warning: ${message} ${JSON.stringify(values, plain)}\n`),
    flush: () => undefined,
    counts: () => ({ ...counts }),
  };
}

/** An Error has no properties that JSON shows. */
const plain = (_key: string, value: unknown): unknown => (value instanceof Error ? value.message : value);
