import type { JobUid } from '../../../domain/base/ids.ts';
import { isFailure } from '../../../domain/failures/failures.ts';
import type { AttemptRecord } from '../../../ports/job-store.ts';
import { type JobView, type Reads, readJobView } from '../../../kube/jobs/job-view.ts';
import type { RunEnd } from '../domain/durations.ts';
import { type Span, indexesOf, sampleSpans } from '../domain/sample-plan.ts';

/** At the same time. */
const READS_AT_ONCE = 8;
/** An index may have hundreds of attempts: reading ends where so many were found. */
const ATTEMPTS_MAX = 20_000;

export type SampleReads = Pick<Reads, 'jobs' | 'feed'>;

export type Sample = {
  readonly view: JobView;
  readonly records: readonly AttemptRecord[];
  /** Of how many indexes these are all attempts that have ended, and of how many there are. */
  readonly indexes: number;
  readonly ofIndexes: number;
};

/** The attempts of a Job that have ended: of a large one those of some thousand indexes. null: the Job does not exist. */
export async function readSample(namespace: string, name: string, reads: SampleReads): Promise<Sample | null> {
  const uid = await reads.jobs.findJob(namespace, name);
  const view = uid === null ? null : await readJobView(uid, reads, () => []);
  if (uid === null || view === null) return null;
  const { completionMode, completions = view.status.size } = view.spec.manifest.spec;
  const cells = completionMode === 'Indexed' ? Math.min(completions, view.status.size) : view.status.size;
  const { records, spans } = await recordsIn(uid, inTurns(sampleSpans(view.status.chunks, cells)), reads);
  return { view, records, indexes: indexesOf(spans), ofIndexes: cells };
}

/** In an order in which each beginning is spread over all. */
function inTurns(spans: readonly Span[]): readonly Span[] {
  return Array.from({ length: READS_AT_ONCE }, (_, turn) =>
    spans.filter((_span, nth) => nth % READS_AT_ONCE === turn),
  ).flat();
}

async function recordsIn(uid: JobUid, spans: readonly Span[], { jobs }: SampleReads) {
  const records: AttemptRecord[] = [];
  let read = 0;
  for (; read < spans.length && records.length < ATTEMPTS_MAX; read += READS_AT_ONCE) {
    const some = spans.slice(read, read + READS_AT_ONCE);
    records.push(...(await Promise.all(some.map(({ from, to }) => jobs.readAttempts(uid, from, to)))).flat());
  }
  return { records, spans: spans.slice(0, read) };
}

/** How an attempt ended. What was stopped, or lost by the infrastructure, has neither succeeded nor failed. */
export const endOfRun = (record: AttemptRecord): RunEnd =>
  record.judgement.as === 'succeeded' ? 'succeeded' : isFailure(record) ? 'failed' : 'other';

/** What the numbers are of, as it is said in an answer. */
export const renderSample = ({ records, indexes, ofIndexes }: Sample) => ({
  attempts: records.length,
  indexes,
  ofIndexes,
  /** They are all attempts that have ended. */
  complete: indexes >= ofIndexes,
});
