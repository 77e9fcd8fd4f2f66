/** How long passes wait before they ask again, and how much one pass does. The embedded runtime waits less. */
export type Timing = {
  /** An unanswered claim is sent again after this. */
  readonly resendMs: number;
  /** A stop is repeated after this, until STOPPED has been seen. */
  readonly stopRepeatMs: number;
  /**
   * Active attempts are looked up in ECS after this, then at doubled intervals up to the maximum, well below the hour that ECS
   * remembers.
   */
  readonly inspectFirstMs: number;
  readonly inspectMaxMs: number;
  /** A task that ECS does not know this long after its launch is lost. Right after RunTask, ECS may not know it yet. */
  readonly missingGraceMs: number;
  /** Changes to one Job are published at most this often, except its last. */
  readonly publishEveryMs: number;
  /** Omitted: launches are not limited. */
  readonly launchesPerSec?: number;
};

export const AWS_TIMING: Timing = {
  resendMs: 60_000,
  stopRepeatMs: 30_000,
  inspectFirstMs: 5 * 60_000,
  inspectMaxMs: 40 * 60_000,
  missingGraceMs: 2 * 60_000,
  publishEveryMs: 1_000,
};

/** On one machine a lookup costs almost nothing, and no user waits five minutes for a lost message. */
export const EMBEDDED_TIMING: Timing = {
  resendMs: 10_000,
  stopRepeatMs: 5_000,
  inspectFirstMs: 5_000,
  inspectMaxMs: 30_000,
  missingGraceMs: 0, // the local ECS knows a task as soon as it has answered
  publishEveryMs: 1_000,
};

/** Well-kept clocks, ECS's included, differ by less than this. */
export const CLOCKS_APART_MAX_MS = 10_000;

/** Unanswered claims of one Job, so that STATUS stays a few KB and a large Job does not fill the dispatch queue. */
export const CLAIMS_IN_FLIGHT_MAX = 500;
/** So many Pods a Job gets as it is stored: STATUS stays small, and nothing has to be folded. The first pass creates the others. */
export const FIRST_PODS_MAX = 100;
/** The same waits if launches have a limit: no more claims than can be launched soon. */
export const pacedTiming = (timing: Timing, launchesPerSec: number | null): Timing =>
  launchesPerSec === null ? timing : { ...timing, launchesPerSec };

/** Attempts that one pass asks to stop, so that its messages fit one invocation. */
export const STOPS_PER_PASS_MAX = 500;
/**
 * Attempts of one Job that are replaced but still stopping. Above this, a replacement waits until the old attempt has stopped.
 */
export const REPLACED_TASKS_MAX = 500;
/** Unfolded journal entries at which a pass folds them into chunks. */
export const FOLD_AT_ENTRIES = 500;
/** Chunks in one transaction: DynamoDB takes 100 items, STATUS is one of them. */
export const CHUNKS_PER_PASS_MAX = 90;
/** Changes of a Job that nobody takes are announced again at least this often. */
export const ANNOUNCE_WAIT_MAX_MS = 3_600_000;
/** A finished Job whose last change may be unpublished is checked again after this. */
export const PUBLISH_CHECK_MS = 60_000;
