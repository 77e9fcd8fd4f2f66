import { backoffEndsAt } from './backoff.ts';
import { type EpochMs, plusMs, soonest } from './brand.ts';
import type { Draft } from './draft.ts';
import type { AttemptId } from './fact.ts';
import type { JobSpec } from './job.ts';
import { type Claim, type Status, tally } from './status.ts';
import { CLAIMS_IN_FLIGHT_MAX, type Timing } from './timing.ts';

export type Launches = {
  readonly inFlight: readonly Claim[];
  readonly launch: readonly AttemptId[];
  readonly stop: readonly AttemptId[];
  readonly wakeAt: EpochMs | null;
  /** There was more to do than the chunks at hand, or one pass, allowed. */
  readonly again: boolean;
};

/** How many attempts ought to be active, and how that differs from those that are (kubernetes-job.md section 5). */
export function wanted(spec: JobSpec, chunks: Status['chunks']): { readonly start: number; readonly surplus: number } {
  const { starting, running, stopping, succeeded, failed } = tally(chunks);
  const active = starting + running;
  const target =
    spec.completions === null
      ? succeeded > 0
        ? active
        : spec.parallelism
      : Math.max(0, Math.min(spec.parallelism, spec.completions - succeeded - failed));
  return { start: Math.max(0, target - active), surplus: Math.max(0, active - stopping - target) };
}

/**
 * Starts and surplus of a running Job: claims pending indexes, lowest first, up to parallelism; marks surplus attempts,
 * those that have come least far first, for stopping. Never both in one pass.
 */
export function planLaunches(
  draft: Draft,
  spec: JobSpec,
  status: Pick<Status, 'backoff' | 'inFlight'>,
  now: EpochMs,
  timing: Timing,
): Launches {
  const nothing = { inFlight: status.inFlight, launch: [], stop: [], wakeAt: null, again: false };
  const { start, surplus } = wanted(spec, draft.summaries());
  if (surplus > 0) {
    const victims = leastFar(draft, surplus);
    for (const { index, attempt } of victims) draft.apply({ op: 'stopping', index, attempt });
    return { ...nothing, stop: victims, again: victims.length < surplus };
  }
  if (start === 0) return nothing;
  const held = backoffEndsAt(status.backoff);
  if (held !== null && held > now) return { ...nothing, wakeAt: held };

  const room = Math.min(start, CLAIMS_IN_FLIGHT_MAX - status.inFlight.length);
  if (room <= 0) return nothing; // the answers to what is in flight will wake us
  const limit = limitOf(draft, spec);
  const launch: AttemptId[] = [];
  for (const index of draft.pending(room, now)) {
    if (index >= limit) break;
    const attempt = (draft.record(index)?.attempt ?? 0) + 1;
    draft.apply({ op: 'claim', index, attempt });
    launch.push({ index, attempt, nonce: 0 });
  }
  const claims = launch.map((id) => ({ ...id, dueAt: plusMs(now, timing.resendMs) }));
  const due = draft.summaries().reduce<EpochMs | null>((min, { soonestDue }) => soonest(min, soonestDue), null);
  const short = launch.length < room;
  return {
    ...nothing,
    inFlight: [...status.inFlight, ...claims],
    launch,
    wakeAt: short && due !== null && due > now ? due : null,
    again: short && hasReadyElsewhere(draft, now),
  };
}

/** Slots beyond completions are history of a larger Job; a work queue uses its lowest slots. */
const limitOf = (draft: Draft, spec: JobSpec): number => Math.min(draft.size, spec.completions ?? draft.size);

/** A chunk that is not at hand may hold pending indexes that are ready. */
const hasReadyElsewhere = (draft: Draft, now: EpochMs): boolean =>
  draft
    .summaries()
    .some(
      ({ pending, soonestDue }, no) =>
        pending > 0 && draft.chunk(no) === undefined && (soonestDue === null || soonestDue <= now),
    );

/** Attempts to give up: claims before launched before running ones, highest index first (active-pod rank). */
function leastFar(draft: Draft, count: number): readonly AttemptId[] {
  const victims: AttemptId[] = [];
  for (const state of ['claimed', 'launched', 'running'] as const) {
    const indexes = draft.scan(0, Number.MAX_SAFE_INTEGER, (r) => r.state === state && !r.stopping, [
      'starting',
      'running',
    ]);
    for (const index of [...indexes].reverse()) {
      if (victims.length === count) return victims;
      const record = draft.record(index);
      if (record !== null) victims.push({ index, attempt: record.attempt, nonce: record.nonce });
    }
  }
  return victims;
}
