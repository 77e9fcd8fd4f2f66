import { chunkOf } from '../../../domain/scoreboard/board.ts';
import { isFailure } from '../../../domain/failures/failures.ts';
import type { Status } from '../../../domain/scoreboard/status.ts';
import type { AttemptRecord, StoredSpec } from '../../../ports/job-store.ts';
import { type JobView, type Reads, readJobView } from '../../../kube/jobs/job-view.ts';
import type { RunEnd } from '../domain/durations.ts';
import { boundedReads, sampleSpans } from '../domain/sample-plan.ts';

/** At the same time. */
const READS_AT_ONCE = 8;

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
  const spansOf = (status: Status, spec: StoredSpec) => sampleSpans(status.chunks, cellCount({ status, spec }));
  const chunksOf = (status: Status, spec: StoredSpec) => spansOf(status, spec).map(({ from }) => chunkOf(from));
  const view = uid === null ? null : await readJobView(uid, reads, (...of) => [...new Set(chunksOf(...of))]);
  if (uid === null || view === null) return null;
  const { spec, status, board } = view;
  const bounded = boundedReads(spansOf(status, spec), (index) => board.record(index)?.attempt ?? 0);
  const records: AttemptRecord[] = [];
  for (let read = 0; read < bounded.reads.length; read += READS_AT_ONCE) {
    const some = bounded.reads.slice(read, read + READS_AT_ONCE);
    records.push(...(await Promise.all(some.map(({ from, to }) => reads.jobs.readAttempts(uid, from, to)))).flat());
  }
  return { view, records, indexes: bounded.indexes, ofIndexes: cellCount(view) };
}

/** Indexes, or slots where Pods have none. A smaller Job no longer has the indexes beyond. */
export function cellCount({ spec, status }: Pick<JobView, 'spec' | 'status'>): number {
  const { completionMode, completions = status.size } = spec.manifest.spec;
  return completionMode === 'Indexed' ? Math.min(completions, status.size) : status.size;
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
