import { asTime } from '../../../domain/base/time.ts';
import { RUN_ENDS, type Run, histogramOf, summaryOf } from '../domain/durations.ts';
import { type Sample, endOfRun, renderSample } from './read-sample.ts';

/** How long attempts ran, and how long they waited for their start. */
export function renderDurations(sample: Sample) {
  const { spec, status } = sample.view;
  const { namespace, name, uid } = spec.identity;
  const runs: Run[] = [];
  const starts: number[] = [];
  for (const record of sample.records) {
    const { createdAt, startedAt, stoppedAt } = record.times;
    if (startedAt !== null && stoppedAt !== null)
      runs.push({ end: endOfRun(record), seconds: secondsIn(startedAt, stoppedAt) });
    if (createdAt !== null && startedAt !== null) starts.push(secondsIn(createdAt, startedAt));
  }
  const secondsOf = (end: Run['end']): readonly number[] =>
    runs.flatMap((run) => (run.end === end ? [run.seconds] : []));
  return {
    apiVersion: 'muster.run/v1',
    kind: 'JobDurations',
    metadata: { namespace, name, uid },
    asOf: asTime(status.now),
    sample: renderSample(sample),
    /** Of attempts that ran, by how they ended; null: there was none. */
    runSeconds: Object.fromEntries(RUN_ENDS.map((end) => [end, summaryOf(secondsOf(end))])),
    /** From the creation of a task to its start. */
    startSeconds: summaryOf(starts),
    histogram: histogramOf(runs),
  };
}

/** Clocks differ: nothing takes less than no time. */
const secondsIn = (from: number, to: number): number => Math.max(to - from, 0) / 1000;
