import { claimsWindow } from './pace.ts';

/** How long passes wait before they ask again, and how much one pass takes on. The embedded runtime has shorter waits. */
export type Timing = {
  /** A claim that nobody has answered is sent again after this. */
  readonly resendMs: number;
  /** A stop is asked for again after this until STOPPED is seen. */
  readonly stopRepeatMs: number;
  /** Active attempts are looked up at ECS after this, then at doubled intervals up to the maximum, well below the hour that ECS remembers. */
  readonly inspectFirstMs: number;
  readonly inspectMaxMs: number;
  /** A task that ECS does not know this long after its launch was lost: right after RunTask it may not know it yet. */
  readonly missingGraceMs: number;
  /** Changes of one Job are published at most this often, but for its last. */
  readonly publishEveryMs: number;
  /** Unanswered claims of one Job where launches are limited; left out: {@link CLAIMS_IN_FLIGHT_MAX}. */
  readonly claimsMax?: number;
};

export const AWS_TIMING: Timing = {
  resendMs: 60_000,
  stopRepeatMs: 30_000,
  inspectFirstMs: 5 * 60_000,
  inspectMaxMs: 40 * 60_000,
  missingGraceMs: 2 * 60_000,
  publishEveryMs: 1_000,
};

/** On one machine a look-up costs next to nothing, and nobody waits five minutes for a lost message. */
export const EMBEDDED_TIMING: Timing = {
  resendMs: 10_000,
  stopRepeatMs: 5_000,
  inspectFirstMs: 5_000,
  inspectMaxMs: 30_000,
  missingGraceMs: 0, // it knows what it has answered
  publishEveryMs: 1_000,
};

/** Clocks that are kept right are apart by less, and ECS's is from ours. */
export const CLOCKS_APART_MAX_MS = 10_000;

/** Unanswered claims of one Job, so that STATUS stays a few KB and a large Job does not fill the dispatch queue. */
export const CLAIMS_IN_FLIGHT_MAX = 500;
/** The same waits where launches have a limit: no more claims than what is launched soon. */
export const pacedTiming = (timing: Timing, launchesPerSec: number | null): Timing => ({
  ...timing,
  claimsMax: claimsWindow(launchesPerSec, CLAIMS_IN_FLIGHT_MAX),
});

/** Attempts asked to stop by one pass, so that its messages fit one invocation. */
export const STOPS_PER_PASS_MAX = 500;
/** Attempts of one Job that are replaced but still stop; beyond that a replacement waits until the old one has stopped. */
export const LINGERING_MAX = 500;
/** Unfolded journal entries at which a pass folds them into the board. */
export const FOLD_AT_ENTRIES = 500;
/** Chunks in one transaction: DynamoDB takes 100 items, STATUS is one of them. */
export const CHUNKS_PER_PASS_MAX = 90;
/** A finished Job whose last change may be unpublished is looked at again after this. */
export const PUBLISH_CHECK_MS = 60_000;
