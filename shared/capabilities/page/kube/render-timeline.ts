import { type EpochMs, asTime } from '../../../domain/base/time.ts';
import { endOf, tally } from '../../../domain/scoreboard/status.ts';
import { type Parsed, bad, countOf, ok } from '../../../kube/http/query.ts';
import { timelineOf } from '../domain/run-timeline.ts';
import { type Sample, endOfRun, renderSample } from './read-sample.ts';

const BUCKETS = 60;
const BUCKETS_MAX = 500;

export type TimelineQuery = { readonly from: number | null; readonly to: number | null; readonly buckets: number };

/** Reads `from`, `to` (moments as Kubernetes writes them), and `buckets`. */
export function parseTimelineQuery(query: Readonly<Record<string, string>>): Parsed<TimelineQuery> {
  const [from, to] = [momentIn(query['from']), momentIn(query['to'])];
  if (from === undefined || to === undefined) return bad('from, to: must be moments such as 2026-11-28T20:00:00Z');
  if (from !== null && to !== null && from >= to) return bad('from: must be before to');
  const buckets = countOf('buckets', query['buckets']);
  if (buckets.kind === 'bad') return buckets;
  const { value: count } = buckets;
  if (count !== null && (count < 1 || count > BUCKETS_MAX))
    return bad(`buckets: Invalid value: ${count}: must be from 1 to ${BUCKETS_MAX}`);
  return ok({ from, to, buckets: count ?? BUCKETS });
}

/** null: it is not given; undefined: it is none. */
function momentIn(text: string | undefined): number | null | undefined {
  if (text === undefined || text === '') return null;
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** When attempts started and ended. Without a range: from the Job's start to its end, or to now. */
export function renderTimeline(sample: Sample, query: TimelineQuery, now: EpochMs) {
  const { spec, status } = sample.view;
  const { namespace, name, uid } = spec.identity;
  const to = query.to ?? endOf(status.phase)?.at ?? now;
  const first = sample.records.reduce<number>(
    (soonest, { times }) => Math.min(soonest, times.startedAt ?? soonest),
    to,
  );
  const from = Math.min(query.from ?? Math.min(status.startTime ?? first, first), to - 1);
  const runs = sample.records.map((record) => ({
    startedAt: record.times.startedAt,
    endedAt: record.times.stoppedAt,
    end: endOfRun(record),
  }));
  const { running } = tally(status.chunks);
  return {
    apiVersion: 'muster.run/v1',
    kind: 'JobTimeline',
    metadata: { namespace, name, uid },
    asOf: asTime(status.now),
    sample: renderSample(sample),
    /** Of all indexes, those that run now: their attempts are in no bucket. */
    running,
    buckets: timelineOf(runs, { from, to, buckets: query.buckets }).map((bucket) => ({
      ...bucket,
      from: new Date(bucket.from).toISOString(),
      to: new Date(bucket.to).toISOString(),
    })),
  };
}
