import type { JobMetric } from '../domain/planner/job-metrics.ts';
import { JOB_METRICS } from '../names/metrics.ts';

/** What one line of the embedded metric format can say: values of several metrics under one set of dimensions. */
export type MetricLine = {
  readonly dimensions: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [name: JobMetric['name'], value: number])[];
};

/** Gathers samples until they are taken: counts are added up, durations kept one by one, for percentiles. */
export class JobMetricLines {
  readonly #groups = new Map<string, Group>();

  add(metrics: readonly JobMetric[]): void {
    for (const { name, dimensions, value } of metrics) {
      const key = JSON.stringify(dimensions);
      const group: Group = this.#groups.get(key) ?? { dimensions, counts: new Map(), durations: [] };
      this.#groups.set(key, group);
      if (JOB_METRICS[name] === 'Count') group.counts.set(name, (group.counts.get(name) ?? 0) + value);
      else group.durations.push([name, value]);
    }
  }

  /** A line for each set of dimensions since the last time, more only where it has more durations than a line takes. */
  take(): readonly MetricLine[] {
    const lines = [...this.#groups.values()].flatMap(({ dimensions, counts, durations }): MetricLine[] => {
      const [first = [], ...rest] = slices(durations);
      return [[...counts, ...first], ...rest].map((values) => ({ dimensions, values }));
    });
    this.#groups.clear();
    return lines;
  }
}

type Group = {
  readonly dimensions: JobMetric['dimensions'];
  readonly counts: Map<JobMetric['name'], number>;
  readonly durations: (readonly [JobMetric['name'], number])[];
};

/** CloudWatch takes 100 values of a metric a line; powertools ends a line by itself, without its dimensions, at the 100th. */
const VALUES_MAX = 99;

/** As many as one line takes. */
export const slices = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / VALUES_MAX) }, (_, i) => all.slice(i * VALUES_MAX, (i + 1) * VALUES_MAX));
