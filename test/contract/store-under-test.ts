import { emptyChunk, setRecord } from '../../shared/domain/scoreboard/board.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../shared/domain/base/time.ts';
import { type JobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import { FRESH, type IndexRecord } from '../../shared/domain/scoreboard/index-record.ts';
import { type Status, chunkLength, freshStatus } from '../../shared/domain/scoreboard/status.ts';
import type { Feed, FeedEntry } from '../../shared/ports/feed.ts';
import type { AttemptRecord, ChunkWrite, JobStore, StoredSpec } from '../../shared/ports/job-store.ts';
import type { CronStore } from '../../shared/ports/cron-store.ts';
import type { HostStore } from '../../shared/ports/host-store.ts';
import type { ItemStore } from '../../shared/ports/item-store.ts';
import type { Limits } from '../../shared/ports/limits.ts';
import type { Waiters } from '../../shared/ports/waiters.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import { type JobWish, aJob } from '../support/a-job.ts';
import { openNamespace } from '../support/a-namespace.ts';
import { toJob } from '../../shared/store/to-job.ts';

/** A whole number of minutes, so that alarms are easily placed. */
export const T0 = asEpochMs(1_800_000_000_000);
export const at = (ms: number): EpochMs => plusMs(T0, ms);
export const MINUTE_MS = 60_000;

/** A clock that stands still until a test moves it. */
export class HandClock {
  #now: EpochMs = T0;
  readonly now = (): EpochMs => this.#now;

  advance(ms: number): void {
    this.#now = plusMs(this.#now, ms);
  }
}

export type Stores = {
  readonly jobs: JobStore;
  readonly feed: Feed;
  readonly limits: Limits;
  readonly objects: ObjectStore;
  readonly hosts: HostStore;
  readonly items: ItemStore;
  readonly crons: CronStore;
  readonly waiters: Waiters;
};

/** An empty store with the test's clock. */
export type StoreUnderTest = Stores & { readonly clock: HandClock };

/** One promise of the ports. It is data, so that a test can run it against a broken store and expect it to fail. */
export type StoreCase = { readonly name: string; run(store: StoreUnderTest): Promise<void> };

/** How long a row of the feed can be read in these tests. */
export const RETENTION_MS = 10 * MINUTE_MS;

/** A Job that is not stored yet, with its first status. */
export function aNewJob(wish: JobWish = {}): {
  readonly spec: StoredSpec;
  readonly status: Status;
  readonly uid: JobUid;
} {
  const spec = aJob(wish);
  return { spec, status: freshStatus(toJob(spec), T0), uid: spec.identity.uid };
}

/** A stored Job in an existing namespace. */
export async function aStoredJob({ jobs, objects }: Stores, wish: JobWish = {}): Promise<ReturnType<typeof aNewJob>> {
  const job = aNewJob(wish);
  await openNamespace(objects, job.spec.identity.namespace);
  await jobs.createJob(job.spec, job.status);
  return job;
}

/** The next status, identified by `mark`. */
export const following = (status: Status, mark = '', change: Partial<Status> = {}): Status => ({
  ...status,
  version: status.version + 1,
  waitReason: mark,
  ...change,
});

/** Chunk `no` with one changed record. */
export function aChunk(status: Status, no: number, expectedVersion: number, record: Partial<IndexRecord>): ChunkWrite {
  const chunk = emptyChunk();
  setRecord(chunk, 1, { ...FRESH, ...record });
  return { no, expectedVersion, chunk, length: chunkLength(status.size, no) };
}

export const anArn = (nth: number) =>
  asTaskArn(`arn:aws:ecs:eu-central-1:123456789012:task/muster/${nth.toString(16).padStart(32, '0')}`);

export const anAttempt = (index: number, attempt = 1, exitCode = 0): AttemptRecord => ({
  index,
  attempt,
  nonce: 0,
  taskArn: anArn(index),
  ending: {
    cause: exitCode === 0 ? 'Completed' : 'Error',
    exitCode,
    container: 'main',
    reason: 'Essential container in task exited',
  },
  times: { createdAt: T0, startedAt: at(1_000), stoppedAt: null },
  judgement:
    exitCode === 0
      ? { as: 'succeeded', why: { kind: 'exited', exitCode: 0 } }
      : { as: 'failed', why: { kind: 'exited', exitCode } },
  failures: 0,
  ignored: 0,
  restarts: 0,
});

/** A publication of a Job, from version `after` to `version`. */
export const anEntry = (uid: JobUid, after: number, version: number, change: Partial<FeedEntry> = {}): FeedEntry => ({
  uid,
  namespace: 'default',
  name: `job-${uid}`,
  type: after === 0 ? 'ADDED' : 'MODIFIED',
  after,
  version,
  seq: version * 10,
  pods: [],
  ...change,
});
