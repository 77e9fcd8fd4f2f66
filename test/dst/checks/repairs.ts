import { type EpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import { type Status, isEnding } from '../../../shared/domain/scoreboard/status.ts';
import { AWS_TIMING } from '../../../shared/domain/base/timing.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import type { Forbid } from './law.ts';
import { deadlineOf } from './index-rules.ts';
import { startDueOf } from './own-rules.ts';
import type { ShadowBoard } from './shadow.ts';

// G15: what was lost is mended in time. The bounds are those of docs/guarantees.md; they count from the loss, or from the
// moment since which the weather has been clear and everything up.

/** A minute until the sweep comes by, a minute until its alarm says so, and some seconds for messages and passes. */
const SWEPT_MS = 150_000;
/** Tasks are looked up every 40 minutes at the latest. */
const LOOKED_UP_MS = AWS_TIMING.inspectMaxMs + SWEPT_MS;
/** A round of stops every 30 seconds, a task that takes ten minutes to stop, and rates at which stops may be asked for. */
export const STOPPED_MS = AWS_TIMING.stopRepeatMs + 600_000 + SWEPT_MS;
/** Nobody dies any more once it has been clear for so long: a publication then follows its commit. */
const SETTLED_MS = 2 * SWEPT_MS;
/** A second between two publications, a wake-up that comes by the second, facts that come in gusts of five seconds. */
const PUBLISHED_MS = 15_000;

type Seen = {
  readonly spec: JobSpec;
  readonly status: Status;
  readonly board: ShadowBoard;
  /** Up to which version the feed has the Job. */
  readonly publishedVersion: number;
};

type Attempt = { readonly index: number; readonly attempt: number; readonly nonce: number };

/** What of one Job has yet to be mended, and since when. */
export class Repairs {
  /** commits that are not shown, by version: when they were made */
  readonly #unshown = new Map<number, EpochMs>();
  /** tasks that have stopped, and of which the board does not know it yet, by `index/attempt/nonce` */
  readonly #ended = new Map<string, { readonly id: Attempt; readonly at: EpochMs }>();
  /** tasks that ought to stop */
  readonly #unwanted = new Map<string, EpochMs>();

  committed({ version }: Status, at: EpochMs): void {
    this.#unshown.set(version, at);
  }

  ended(id: Attempt, at: EpochMs): void {
    this.#ended.set(keyOf(id), { id, at });
  }

  /** `live`: tasks of the Job that have not stopped. `clearSince`: see above. */
  check(
    { spec, status, board, publishedVersion }: Seen,
    live: Iterable<readonly [index: number, keys: ReadonlySet<string>]>,
    now: EpochMs,
    clearSince: EpochMs,
    forbid: Forbid,
  ): void {
    const lateMs = (since: EpochMs): number => now - Math.max(since, clearSince);
    const shown = Math.max(publishedVersion, status.published.version);
    for (const version of this.#unshown.keys()) if (version <= shown) this.#unshown.delete(version);
    const [unshown] = this.#unshown;
    if (unshown !== undefined) {
      const [version, at] = unshown;
      const isSettled = at >= plusMs(clearSince, SETTLED_MS);
      const late = lateMs(at) > (isSettled ? PUBLISHED_MS : SWEPT_MS);
      forbid(late, 'G15', () => `version ${version} is not published ${lateMs(at)} ms after its commit`);
    }
    const [alarm] = status.alarms;
    if (alarm !== undefined)
      forbid(lateMs(alarm) > SWEPT_MS, 'G15', () => `an alarm is due for ${lateMs(alarm)} ms, and no pass has come`);
    for (const { index, dueAt } of status.inFlight)
      forbid(
        lateMs(dueAt) > SWEPT_MS,
        'G15',
        () => `a claim is due for ${lateMs(dueAt)} ms, and is not repeated`,
        index,
      );
    for (const [key, { id, at }] of this.#ended) {
      const { attempt, nonce, state } = board.at(id.index);
      const isUnknown = attempt === id.attempt && nonce === id.nonce && (state === 'launched' || state === 'running');
      if (!isUnknown) this.#ended.delete(key);
      else
        forbid(
          lateMs(at) > LOOKED_UP_MS,
          'G15',
          () => `${key} ended ${lateMs(at)} ms ago, and is not looked up`,
          id.index,
        );
    }
    if (spec.startTimeoutSec !== null && status.phase.kind === 'running')
      for (const pod of board.pods()) {
        const due = startDueOf(pod, spec);
        const isLate = due !== null && lateMs(due) > SWEPT_MS;
        forbid(isLate, 'G15', () => `${pod.index}/${pod.attempt} should have started, and nobody ends it`, pod.index);
      }
    if (status.phase.kind === 'running')
      for (const [index, shadow] of board.open()) {
        const due = deadlineOf(shadow, spec);
        const isLate = due !== null && lateMs(due) > SWEPT_MS;
        forbid(isLate, 'G24', () => `${index}/${shadow.attempt} is past its deadline, and nobody ends it`, index);
      }
    this.#checkStops(status, board, live, now, (since) => lateMs(since), forbid);
  }

  #checkStops(
    { phase }: Status,
    board: ShadowBoard,
    live: Iterable<readonly [index: number, keys: ReadonlySet<string>]>,
    now: EpochMs,
    lateMs: (since: EpochMs) => number,
    forbid: Forbid,
  ): void {
    const seen = new Set<string>();
    for (const [index, keys] of live) {
      const record = board.at(index);
      if (!isEnding(phase) && !record.stopping && !record.podDeleted && record.late === null) continue;
      const key = keyOf({ index, attempt: record.attempt, nonce: record.nonce });
      if (!keys.has(key)) continue;
      seen.add(key);
      const since = this.#unwanted.get(key) ?? now;
      this.#unwanted.set(key, since);
      forbid(lateMs(since) > STOPPED_MS, 'G15', () => `${key} runs on ${lateMs(since)} ms after it was to stop`, index);
    }
    for (const key of this.#unwanted.keys()) if (!seen.has(key)) this.#unwanted.delete(key);
  }
}

const keyOf = ({ index, attempt, nonce }: Attempt): string => `${index}/${attempt}/${nonce}`;
