import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { type EpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import { AWS_TIMING } from '../../../shared/domain/base/timing.ts';
import { type Phase, type Status, endOf, isOver } from '../../../shared/domain/scoreboard/status.ts';
import type { After, AfterIndexes } from '../../../shared/domain/manifests/annotations/dependencies.ts';
import type { JobStore } from '../../../shared/ports/job-store.ts';
import type { Watched } from './commits.ts';
import type { Law } from './law.ts';
import type { Sights } from './sights.ts';
import type { Watchdog } from './watchdog.ts';

/** A wake-up, a pass, and facts that come in gusts. */
const SOON_MS = 60_000;
/** Nobody dies any more once it has been clear for so long. */
const SETTLED_MS = 300_000;
/** A Job whose wake-up is lost looks again by itself, ten minutes later at most; then the sweep has its minute. */
const LOST_MS = 10 * AWS_TIMING.resendMs + 150_000;

/** Looks at every Job that waits for others: that it starts no sooner than they let it, and then soon (G22). */
export class UpstreamWatch {
  readonly #now: () => EpochMs;
  readonly #law: Law;
  readonly #watchdog: Watchdog;
  readonly #sights: Sights;
  /** Since when a Job, or its next index, could start and does not. */
  readonly #idleSince = new Map<JobUid, EpochMs>();

  constructor(now: () => EpochMs, law: Law, watchdog: Watchdog, sights: Sights) {
    this.#now = now;
    this.#law = law;
    this.#watchdog = watchdog;
    this.#sights = sights;
  }

  watchJobs(jobs: JobStore): JobStore {
    return {
      ...jobs,
      commitPass: async (uid, status, chunks) => {
        const before = this.#watchdog.jobs.get(uid)?.status;
        const committed = await jobs.commitPass(uid, status, chunks);
        if (committed.kind === 'committed' && before !== undefined) this.#committed(uid, before, status);
        return committed;
      },
    };
  }

  #committed(uid: JobUid, before: Status, status: Status): void {
    const watched = this.#watchdog.jobs.get(uid);
    if (watched === undefined) return;
    const { after, afterIndexes } = watched.spec;
    if (after.length + afterIndexes.length === 0) return;
    const forbid = this.#law.of(uid);
    if (before.startTime === null && status.startTime !== null && status.phase.kind === 'running') {
      this.#sights.see('waited for Jobs');
      for (const each of after) {
        const upstream = this.#upstream(status, each.name);
        forbid(upstream === null || !isMet(each, upstream.status.phase), 'G22', () => {
          const phase = upstream?.status.phase.kind ?? 'not there';
          return `the Job starts although ${each.name}, for which it waits (${each.condition}), is ${phase}`;
        });
      }
    }
    for (const { seq, transition } of status.journal.entries) {
      if (seq < before.journal.nextSeq || transition.op !== 'claim') continue;
      for (const each of afterIndexes) this.#checkClaim(status, transition.index, each, uid);
    }
    if ('verdict' in status.phase && status.phase.verdict.reason === 'DependencyFailed' && !('verdict' in before.phase))
      forbid(!this.isDeserted(watched), 'G22', () => 'what it waits for may still come, and the Job has failed for it');
  }

  #checkClaim(status: Status, index: number, { name, perIndex }: AfterIndexes, uid: JobUid): void {
    this.#sights.see('index waited for');
    const upstream = this.#upstream(status, name);
    const missing = upstream === null ? [0] : unsucceeded(index, perIndex, upstream);
    const what = (): string => `index ${index} starts before index ${missing[0]} of ${name} has succeeded`;
    this.#law.of(uid)(missing.length > 0, 'G22', what, index);
  }

  #upstream({ upstreams }: Status, name: string): Watched | null {
    const uid = upstreams.find((each) => each.name === name)?.uid ?? null;
    return uid === null ? null : (this.#watchdog.jobs.get(uid) ?? null);
  }

  /** Something that the Job waits for can never come. */
  isDeserted({ status, spec, board }: Watched): boolean {
    const isFirst = status.startTime === null;
    const isNever = (each: After): boolean => {
      const upstream = this.#upstream(status, each.name);
      return upstream !== null && !isMet(each, upstream.status.phase) && isLost(upstream.status.phase);
    };
    if (spec.after.some(isNever)) return true;
    const upstreams = spec.afterIndexes.map((each) => ({ ...each, job: this.#upstream(status, each.name) }));
    if (upstreams.length === 0) return false;
    if (isFirst && upstreams.some(({ job, perIndex }) => job !== null && isOtherSize(spec.completions, job, perIndex)))
      return true;
    if (upstreams.some(({ job }) => job === null || !(isOver(job.status.phase) || job.status.phase.kind === 'purging')))
      return false;
    const pending = Array.from({ length: spec.completions ?? 0 }, (_, index) => index).filter(
      (index) => board.at(index).state === 'pending',
    );
    return pending.every((index) =>
      upstreams.some(({ job, perIndex }) => job === null || unsucceeded(index, perIndex, job).length > 0),
    );
  }

  /** Since the weather is clear, now and then: what could start has started, or will soon. */
  checkStarts(clearSince: EpochMs): void {
    for (const [uid, watched] of this.#watchdog.jobs) {
      if (!this.#couldStart(watched)) {
        this.#idleSince.delete(uid);
        continue;
      }
      const since = this.#idleSince.get(uid) ?? this.#now();
      this.#idleSince.set(uid, since);
      const isSettled = since >= plusMs(clearSince, SETTLED_MS);
      const lateMs = this.#now() - (isSettled ? since : Math.max(since, clearSince));
      const what = (): string => `nothing has held the Job up for ${lateMs} ms, and it does not go on`;
      this.#law.of(uid)(lateMs > (isSettled ? SOON_MS : LOST_MS), 'G22', what);
    }
  }

  /** A held Job whose upstreams let it start; or one with nothing at work, though an index is open. */
  #couldStart({ status, spec, board }: Watched): boolean {
    const { after, afterIndexes, completions, parallelism, suspend } = spec;
    if (after.length + afterIndexes.length === 0 || suspend || parallelism === 0) return false;
    const { phase, startTime } = status;
    if (phase.kind !== 'running' && phase.kind !== 'suspended') return false;
    const upstreamOf = (name: string): Watched | null => this.#upstream(status, name);
    const isReady = (each: After): boolean => {
      const upstream = upstreamOf(each.name);
      return upstream !== null && isMet(each, upstream.status.phase);
    };
    if (startTime === null && !after.every(isReady)) return false;
    if (afterIndexes.length === 0) return startTime === null;
    const { starting, running, waiting } = board.counts;
    if (starting + running + waiting > 0) return false;
    return Array.from({ length: completions ?? 0 }, (_, index) => index).some(
      (index) =>
        board.at(index).state === 'pending' &&
        board.at(index).attempt === 0 &&
        afterIndexes.every(({ name, perIndex }) => {
          const upstream = upstreamOf(name);
          return upstream !== null && unsucceeded(index, perIndex, upstream).length === 0;
        }),
    );
  }
}

const isMet = ({ condition }: After, phase: Phase): boolean => {
  const end = endOf(phase)?.verdict.kind ?? null;
  return end !== null && (condition === 'finished' || condition === end);
};

const isLost = (phase: Phase): boolean =>
  endOf(phase) !== null || phase.kind === 'purging' || phase.kind === 'deleted' || phase.kind === 'terminating';

const isOtherSize = (completions: number | null, { spec }: Watched, perIndex: number): boolean =>
  Math.ceil((spec.completions ?? 0) / perIndex) !== completions;

/** Of the indexes that one waits for, those that have not succeeded; one that the other Job does not have counts as one. */
function unsucceeded(index: number, perIndex: number, { board, status }: Watched): readonly number[] {
  const first = index * perIndex;
  const after = Math.min(first + perIndex, status.size);
  if (first >= after) return [first];
  return Array.from({ length: after - first }, (_, n) => first + n).filter((each) => !board.succeeded.has(each));
}
