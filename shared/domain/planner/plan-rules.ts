import type { EpochMs } from '../base/time.ts';
import type { Ending } from '../base/fact.ts';
import type { FailedPod } from '../manifests/pod-failure-policy.ts';
import type { IndexRecord } from '../scoreboard/index-record.ts';
import type { PolicyVerdict } from './decide-phase.ts';
import { podOf } from './judge.ts';
import { type LaunchLimits, OWN_LIMITS } from './launches.ts';

/**
 * Where another controller plans differently, and what it counts that is not on a board. Muster's own passes use {@link
 * OWN_RULES}.
 */
export type PlanRules = {
  readonly limits: LaunchLimits;
  /** Attempts of a running Job are started, and surplus attempts stopped. */
  readonly managesAttempts: boolean;
  /** The Pod that podFailurePolicy checks when an attempt of `index` has ended. */
  readonly podOf: (ending: Ending, record: IndexRecord, index: number) => FailedPod;
  readonly besideBoard: BesideBoard;
  /** Others hear of the Job's changes of state. */
  readonly announces: boolean;
};

/** What counts without a slot. */
export type BesideBoard = {
  /** Indexes that are done, though an active Pod has their slot. */
  readonly succeeded: number;
  readonly failed: number;
  /** When the Pods ended that change no slot: they count for the Job's back-off. */
  readonly succeededAt: readonly EpochMs[];
  readonly failedAt: readonly EpochMs[];
  /** A Pod that fails the Job by its policy, whether or not its end was counted. */
  readonly failJob: PolicyVerdict | null;
};

/** Muster's own: everything that counts is on the board or in a fact. */
export const OWN_RULES: PlanRules = {
  limits: OWN_LIMITS,
  managesAttempts: true,
  podOf,
  besideBoard: { succeeded: 0, failed: 0, succeededAt: [], failedAt: [], failJob: null },
  announces: false,
};

/** The same, for a Job whose changes of state others hear of. */
export const ANNOUNCED_RULES: PlanRules = { ...OWN_RULES, announces: true };
