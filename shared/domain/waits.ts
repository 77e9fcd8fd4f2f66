import { backoffEndsAt } from './backoff.ts';
import { CHUNK_INDEXES, STATES, chunkOf } from './board.ts';
import { type EpochMs, soonest } from './brand.ts';
import type { Draft } from './draft.ts';
import { unreachable } from './invariant.ts';
import type { JobSpec } from './job.ts';
import { wanted } from './launches.ts';
import { type RefusalCause, refusalCause } from './refusal.ts';
import { type Claim, type Status, type Tally, isShrunk, podCount, tally, tallyWithin } from './status.ts';

/** Why something does not run. */
export type WaitCause =
  | RefusalCause
  /** ours: so many launches a second */
  | 'launchRate'
  /** it is being asked for */
  | 'launching'
  /** a name in Cloud Map, which is made before the launch */
  | 'names'
  /** ECS has it, and brings it up */
  | 'starting'
  /** its task could not start (image, secret, log group), and is tried again */
  | 'startFailed'
  | 'backOff'
  | 'parallelism'
  /** the attempt before is still being stopped */
  | 'replacement'
  | 'suspended'
  /** the Job has ended, or is being deleted, and its tasks are being stopped */
  | 'stopping'
  | 'finalizers'
  /** another controller's Job */
  | 'managedBy';

export type Wait = {
  readonly cause: WaitCause;
  /** How many indexes (of `finalizers`: Jobs). */
  readonly count: number;
  /** Since when, if that is known. */
  readonly since: EpochMs | null;
  /** About how long, from now, until the last of them goes on; null: nobody can tell. */
  readonly etaMs: number | null;
  /** How long until the next of them is tried (again), where that has a moment. */
  readonly nextTryMs: number | null;
  /** Why, in words without the times. */
  readonly message: string;
  /** One of those that wait whose task has been there and says more by its end; left out: there is none. */
  readonly example?: number;
};

/** How fast launches are given out, and the moment for which that is told. */
export type LaunchPace = {
  readonly now: EpochMs;
  /** Calls a second that are given out now; null: there is no limit of ours. */
  readonly perSec: number | null;
  /** The same when ECS does not throttle us. */
  readonly fullPerSec: number | null;
  /** Names of tasks that are made a second; null: no limit of ours, or no names. */
  readonly namesPerSec: number | null;
};

/** A Job, with the chunks at hand that {@link chunksForWaits} named. */
export type WaitingJob = {
  readonly spec: JobSpec;
  readonly status: Status;
  readonly board: Draft;
  /** Its tasks have names, each of which is made before the first launch of its index; left out: they have none. */
  readonly hasNames?: boolean;
};

/** However large the Job, a question about it reads no more chunks than these. */
const CHUNKS_MAX = 8;

/** The chunks that tell most about back-off: where something has a moment to wait for; and the one that a smaller Job is cut in. */
export function chunksForWaits(status: Status, spec: JobSpec): readonly number[] {
  const cut = spec.completions !== null && isShrunk(spec, status.size) ? [chunkOf(spec.completions)] : [];
  const timed = status.chunks.flatMap(({ pending, waiting, soonestDue }, no) =>
    soonestDue !== null && pending + waiting > 0 ? [no] : [],
  );
  return [...new Set([...cut, ...timed])].slice(0, CHUNKS_MAX);
}

/**
 * What of a Job does not run, and why: counts from its summaries, times from the chunks at hand. Empty: all that there
 * is to do runs. What is told is of one moment, `pace.now`.
 */
export function waitsOf(job: WaitingJob, pace: LaunchPace): readonly Wait[] {
  const { spec, status } = job;
  const all = tally(status.chunks);
  const { phase } = status;
  switch (phase.kind) {
    case 'finished':
    case 'deleted':
      return [];
    case 'draining':
    case 'deleting':
      return stops(all.starting + all.running + status.lingering.length, phase.since);
    case 'terminating': {
      const left = stops(all.starting + all.running + status.lingering.length, phase.since);
      return spec.held
        ? [...left, { ...NO_TIMES, cause: 'finalizers', count: 1, since: phase.since, message: HELD }]
        : left;
    }
    case 'suspended':
      return [
        ...some({
          ...NO_TIMES,
          cause: 'suspended',
          count: toDo(job),
          since: phase.since,
          message: 'suspended',
        }),
        ...stops(all.starting + all.running, phase.since),
      ];
    case 'running':
      return spec.managed
        ? waitsOfRunning(job, pace)
        : some({
            ...NO_TIMES,
            cause: 'managedBy',
            count: toDo(job),
            message: 'managedBy names another controller',
          });
    default:
      return unreachable(phase);
  }
}

const HELD = 'its finalizers are to be removed by whoever set them';
const NO_TIMES = { since: null, etaMs: null, nextTryMs: null } as const;

const some = (wait: Wait): readonly Wait[] => (wait.count > 0 ? [wait] : []);

const stops = (count: number, since: EpochMs): readonly Wait[] =>
  some({ ...NO_TIMES, cause: 'stopping', count, since, message: 'being stopped' });

function waitsOfRunning(job: WaitingJob, pace: LaunchPace): readonly Wait[] {
  const { spec, status } = job;
  const { now } = pace;
  const all = tally(status.chunks);
  const places = wanted(spec, { all, within: within(job) }).start;
  const timed = timesOf(job, now);
  let left = toDo(job);
  /** Takes up to `count` of those that have no Pod. */
  const take = (count: number): number => {
    const taken = Math.max(0, Math.min(left, count));
    left -= taken;
    return taken;
  };

  const jobHeldUntil = spec.backoffLimitPerIndex === null ? backoffEndsAt(status.backoff) : null;
  const isHeld = jobHeldUntil !== null && jobHeldUntil > now;
  const held = isHeld ? take(places) : take(timed.held.count);
  const heldMs = isHeld ? { first: jobHeldUntil - now, last: jobHeldUntil - now } : spanOf(timed.held, now);
  const placed = isHeld ? 0 : take(places - held);
  const beyond = take(left);

  const launched = all.starting - status.inFlight.length;
  return [
    ...claimWaits(job, placed, pace),
    ...some({ ...NO_TIMES, cause: 'starting', count: launched, message: 'ECS brings their tasks up' }),
    ...startFailures(timed, now),
    ...some({
      cause: 'backOff',
      count: held,
      since: isHeld ? status.backoff.lastFailureAt : null,
      etaMs: heldMs.last,
      nextTryMs: heldMs.first,
      message: isHeld ? 'back-off after failures' : 'back-off of each index',
    }),
    ...some({
      cause: 'backOff',
      count: timed.crashed.count,
      since: null,
      etaMs: spanOf(timed.crashed, now).last,
      nextTryMs: spanOf(timed.crashed, now).first,
      message: 'back-off before their containers start again',
    }),
    ...some({
      ...NO_TIMES,
      cause: 'replacement',
      count: all.stopping,
      message: 'being stopped; what follows starts when they have',
    }),
    ...some({ ...NO_TIMES, cause: 'parallelism', count: beyond, message: parallelismText(spec) }),
  ];
}

const parallelismText = ({ parallelism }: JobSpec): string =>
  parallelism === 0 ? 'parallelism is 0' : `parallelism ${parallelism}: the next starts when one ends`;

/** Indexes that have no Pod and are to get one. Slots of a NonIndexed Job come as they are needed. */
function toDo(job: WaitingJob): number {
  const { completionMode, completions } = job.spec;
  const counts = within(job);
  if (completionMode === 'Indexed') return counts.pending;
  return completions === null
    ? wanted(job.spec, { all: counts, within: counts }).start
    : Math.max(0, completions - counts.succeeded - podCount(counts));
}

/** What counts of the board: a smaller Job has an end before the board's. */
const within = ({ spec, spec: { completions }, status, board }: WaitingJob): Tally =>
  completions !== null && isShrunk(spec, status.size)
    ? tallyWithin(status.chunks, completions, (no) => board.chunk(no))
    : tally(status.chunks);

/** Claims that ECS has not taken yet, with `placed` more that follow them as soon as these are answered. */
function claimWaits(
  { status, hasNames: named = false }: WaitingJob,
  placed: number,
  pace: LaunchPace,
): readonly Wait[] {
  const { inFlight, waitReason } = status;
  const isNaming = named && (inFlight.length === 0 || inFlight.some(isFirst));
  const refused = inFlight.filter((claim) => isRefused(claim, status, pace));
  const asked = inFlight.length - refused.length;
  // What has been refused keeps its place, so those that follow wait for the same.
  const behindRefused = waitReason !== null && refused.length > 0 && asked === 0 ? placed : 0;
  const count = asked + placed - behindRefused;
  return [
    ...(waitReason === null ? [] : some(refusal(waitReason, refused, behindRefused, pace))),
    ...some({ ...rateWait(count, isNaming, pace), count, since: null, nextTryMs: null }),
  ];
}

/** Its index may have no name yet. */
export const isFirst = ({ attempt }: Pick<Claim, 'attempt'>): boolean => attempt === 1;

/** What holds `count` launches back that nobody has refused, and how long, by the slower of two rates. */
export function rateWait(
  count: number,
  isNaming: boolean,
  { perSec, fullPerSec, namesPerSec }: LaunchPace,
): Pick<Wait, 'cause' | 'message' | 'etaMs'> {
  if (isNaming && namesPerSec !== null && (perSec === null || namesPerSec < perSec))
    return { cause: 'names', message: `names in Cloud Map ${rateText(namesPerSec)}`, etaMs: etaOf(count, namesPerSec) };
  if (perSec === null || fullPerSec === null) return { cause: 'launching', message: 'being launched', etaMs: null };
  const etaMs = etaOf(count, perSec);
  return isCut({ perSec, fullPerSec })
    ? { cause: 'throttled', message: `ECS throttles: ${rateText(perSec)} of ${rateText(fullPerSec)}`, etaMs }
    : { cause: 'launchRate', message: `launch rate ${rateText(fullPerSec)}`, etaMs };
}

const etaOf = (count: number, perSec: number): number => (count / perSec) * 1000;

/** Fewer launches are given out than the rate that is set, since ECS throttles. */
export const isCut = ({ perSec, fullPerSec }: Pick<LaunchPace, 'perSec' | 'fullPerSec'>): boolean =>
  perSec !== null && fullPerSec !== null && perSec < fullPerSec * AS_GOOD_AS_WHOLE;
/** A rate that has come back so far. */
const AS_GOOD_AS_WHOLE = 0.95;

const rateText = (perSec: number): string => `${Number(perSec.toPrecision(2))}/s`;

/** ECS has said no to this very claim, which is asked again under a new nonce. Without a rate of ours nothing else can hold it. */
export const isRefused = (
  { nonce }: Claim,
  { waitReason }: Pick<Status, 'waitReason'>,
  { perSec }: LaunchPace,
): boolean => waitReason !== null && (nonce > 0 || perSec === null);

function refusal(text: string, refused: readonly Claim[], behind: number, { now }: LaunchPace): Wait {
  const nextAt = refused
    .filter(({ nonce }) => nonce > 0)
    .reduce<EpochMs | null>((at, { dueAt }) => soonest(at, dueAt), null);
  return {
    cause: refusalCause(text),
    count: refused.length + behind,
    since: null,
    etaMs: null,
    nextTryMs: nextAt === null ? null : Math.max(0, nextAt - now),
    message: text,
  };
}

type Timed = { count: number; first: EpochMs | null; last: EpochMs | null; example: number | null };
type Times = {
  /** Without a Pod, and not before their moment. */
  readonly held: Timed;
  /** Between two tasks: the container has ended. */
  readonly crashed: Timed;
  /** Between two tasks: the task could not start, for a reason that does not pass by itself. */
  readonly unstarted: Timed;
  unstartedSince: EpochMs | null;
  /** Between two tasks: ECS has accepted and not placed it. */
  readonly unplaced: Timed;
};

/** What of the chunks at hand has a moment to wait for; Pods between two tasks elsewhere are counted as crashed, without times. */
function timesOf({ spec, status, board }: WaitingJob, now: EpochMs): Times {
  const none = (): Timed => ({ count: 0, first: null, last: null, example: null });
  const times: Times = { held: none(), crashed: none(), unstarted: none(), unstartedSince: null, unplaced: none() };
  const below = spec.completionMode === 'Indexed' && spec.completions !== null ? spec.completions : status.size;
  let elsewhere = 0;
  for (const [no, { waiting }] of status.chunks.entries()) {
    const chunk = board.chunk(no);
    if (chunk === undefined) {
      elsewhere += waiting;
      continue;
    }
    for (const [offset, { notBefore, restarts, unstartedSince }] of chunk.extras) {
      const state = STATES[chunk.states[offset] ?? 0];
      const index = no * CHUNK_INDEXES + offset;
      if (state === 'pending' && notBefore !== null && notBefore > now && index < below)
        add(times.held, notBefore, index);
      if (state !== 'waiting') continue;
      if (unstartedSince !== null) {
        add(times.unstarted, notBefore, index);
        times.unstartedSince = soonest(times.unstartedSince, unstartedSince);
      } else add(restarts > 0 ? times.crashed : times.unplaced, notBefore, index);
    }
  }
  times.crashed.count += elsewhere;
  return times;
}

function add(timed: Timed, at: EpochMs | null, index: number): void {
  timed.count++;
  timed.example ??= index;
  if (at === null) return;
  timed.first = soonest(timed.first, at);
  timed.last = timed.last === null || at > timed.last ? at : timed.last;
}

const spanOf = ({ first, last }: Timed, now: EpochMs) => ({
  first: first === null ? null : Math.max(0, first - now),
  last: last === null ? null : Math.max(0, last - now),
});

function startFailures({ unstarted, unstartedSince, unplaced }: Times, now: EpochMs): readonly Wait[] {
  return [
    ...some({
      cause: 'startFailed',
      count: unstarted.count,
      since: unstartedSince,
      etaMs: null,
      nextTryMs: spanOf(unstarted, now).first,
      message: 'their tasks cannot start (image, secret, log group)',
      ...exampleOf(unstarted),
    }),
    ...some({
      cause: 'capacity',
      count: unplaced.count,
      since: null,
      etaMs: null,
      nextTryMs: spanOf(unplaced, now).first,
      message: 'ECS found no room for their tasks',
      ...exampleOf(unplaced),
    }),
  ];
}

const exampleOf = ({ example }: Timed): Pick<Wait, 'example'> => (example === null ? {} : { example });
