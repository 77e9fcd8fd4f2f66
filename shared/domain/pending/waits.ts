import { backoffEndsAt } from '../scoreboard/backoff.ts';
import { CHUNK_INDEXES, STATES, chunkOf } from '../scoreboard/board.ts';
import { type EpochMs, asTime, soonest } from '../base/time.ts';
import { type WaitedFor, closedCount, closedOutlook, heldOutlook } from './upstream-waits.ts';
import type { WorkingBoard } from '../scoreboard/working-board.ts';
import { type StartDelay, delayWaits } from './start-delay.ts';
import { unreachable } from '../base/invariant.ts';
import { type JobSpec, startsAt } from '../manifests/job.ts';
import { gangProgress } from '../scoreboard/gang.ts';
import { wanted } from '../planner/launches.ts';
import { startsNothing } from '../planner/success-policy.ts';
import { type RefusalCause, refusalCause } from '../task/refusal.ts';
import { type Claim, type Status, type Tally, isShrunk, podCount, tally, tallyWithin } from '../scoreboard/status.ts';

/** Why something does not run. */
export type WaitCause =
  | RefusalCause
  /** our own rate: launches per second */
  | 'launchRate'
  /** its launch is being requested */
  | 'launching'
  /** a Cloud Map name, which is created before the launch */
  | 'names'
  /** ECS has accepted it and is starting it */
  | 'starting'
  /** the same, on a machine that has no room for it now */
  | 'room'
  /** the same, and its image is being pulled */
  | 'pulling'
  /** its task could not start (image, secret, parameter) and will be retried */
  | 'startFailed'
  | 'backOff'
  | 'parallelism'
  /** the previous attempt is still stopping */
  | 'replacement'
  /** users hold the indexes back */
  | 'held'
  | 'suspended'
  /** it starts by itself, at a moment of its own */
  | 'startAfter'
  /** its Job waits for other Jobs, and has not started */
  | 'upstream'
  /** it waits for indexes of other Jobs */
  | 'upstreamIndexes'
  /** it runs, and those that belong with it do not all run yet; or all of them are stopped to start again */
  | 'gang'
  /** the Job has ended or is being deleted, and its tasks are stopping */
  | 'stopping'
  | 'finalizers'
  /** another controller's Job */
  | 'managedBy';

export type Wait = {
  readonly cause: WaitCause;
  /** How many indexes (of `finalizers`: Jobs). */
  readonly count: number;
  /** Since when, if known. */
  readonly since: EpochMs | null;
  /** The approximate time from now until the last of them continues; null if unknown. */
  readonly etaMs: number | null;
  /** The time until the next of them is tried (again), if it has a due time. */
  readonly nextTryMs: number | null;
  /** Why, as text without times. */
  readonly message: string;
  /** A waiting index whose previous task's end says more; omitted if there is none. */
  readonly example?: number;
};

/** How fast launches are granted, as of a moment. */
export type LaunchPace = {
  readonly now: EpochMs;
  /** Calls per second granted now; null: we have no limit. */
  readonly perSec: number | null;
  /** The same when ECS does not throttle us. */
  readonly fullPerSec: number | null;
  /** How many namespaces share them: each gets as much as the others. */
  readonly namespaces: number;
  /** Task names created per second; null: we have no limit, or tasks have no names. */
  readonly namesPerSec: number | null;
};

/** A Job, with the chunks that {@link chunksForWaits} named. */
export type WaitingJob = {
  readonly spec: JobSpec;
  readonly status: Status;
  readonly board: WorkingBoard;
  /** Its tasks have names, each created before the first launch of its index. */
  readonly hasNames: boolean;
  /** The Jobs that it still waits for. */
  readonly waitedFor: readonly WaitedFor[];
  /** Why tasks of it that ECS has accepted have not started; none: nobody knows. */
  readonly delays?: readonly StartDelay[];
};

/** However large the Job, a query reads at most this many chunks. */
const CHUNKS_MAX = 8;

/** The chunks that say most about back-off: those with a due time; and the one that a smaller Job ends in. */
export function chunksForWaits(status: Status, spec: JobSpec): readonly number[] {
  const cut = spec.completions !== null && isShrunk(spec, status.size) ? [chunkOf(spec.completions)] : [];
  const timed = status.chunks.flatMap(({ pending, waiting, soonestDue }, no) =>
    soonestDue !== null && pending + waiting > 0 ? [no] : [],
  );
  return [...new Set([...cut, ...timed])].slice(0, CHUNKS_MAX);
}

/**
 * What does not run in a Job, and why: counts from its summaries, times from the given chunks. Empty if everything that
 * remains runs. All of it describes one moment, `pace.now`.
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
    case 'purging':
      return stops(all.starting + all.running + status.replacedTasks.length, phase.since);
    case 'terminating': {
      const left = stops(all.starting + all.running + status.replacedTasks.length, phase.since);
      return spec.held
        ? [...left, { ...NO_TIMES, cause: 'finalizers', count: 1, since: phase.since, message: HELD }]
        : left;
    }
    case 'suspended':
      return [
        ...some({ ...restOf(job, pace.now), count: toDo(job), since: phase.since }),
        ...heldBack(job),
        ...stops(all.starting + all.running, phase.since),
      ];
    case 'regrouping':
      return [
        ...some({ ...NO_TIMES, cause: 'gang', count: toDo(job), since: phase.since, message: REGROUPING }),
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

/** Why a suspended Job rests. */
function restOf({ spec, status, waitedFor }: WaitingJob, now: EpochMs): Omit<Wait, 'count' | 'since'> {
  if (status.phase.kind === 'suspended' && status.phase.held === true)
    return { cause: 'upstream', nextTryMs: null, ...heldOutlook(spec, waitedFor, now) };
  const at = spec.suspend ? null : startsAt(spec, status.startTime, now);
  return at === null
    ? { cause: 'suspended', etaMs: null, nextTryMs: null, message: 'suspended' }
    : { cause: 'startAfter', etaMs: at - now, nextTryMs: null, message: `it starts at ${asTime(at)}` };
}

const REGROUPING = 'not all ran in time: all are stopped and start again';
const HELD = 'the controllers that set its finalizers have to remove them';
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
  let left = startsNothing(spec, status.achieved) ? 0 : toDo(job);
  /** Takes up to `count` of those without a Pod. */
  const take = (count: number): number => {
    const taken = Math.max(0, Math.min(left, count));
    left -= taken;
    return taken;
  };

  const closed = take(closedCount(spec, status, job.waitedFor, left));
  const jobHeldUntil = spec.backoffLimitPerIndex === null ? backoffEndsAt(status.backoff) : null;
  const isHeld = jobHeldUntil !== null && jobHeldUntil > now;
  const held = isHeld ? take(places) : take(timed.held.count);
  const heldMs = isHeld ? { first: jobHeldUntil - now, last: jobHeldUntil - now } : spanOf(timed.held, now);
  const placed = isHeld ? 0 : take(places - held);
  const beyond = take(left);

  const launched = all.starting - status.inFlight.length;
  const delays = delayWaits((job.delays ?? []).slice(0, Math.max(0, launched)));
  const delayed = delays.reduce((sum, { count }) => sum + count, 0);
  return [
    ...claimWaits(job, placed, pace),
    ...delays.map((delay) => ({ ...NO_TIMES, ...delay })),
    ...some({ ...NO_TIMES, cause: 'starting', count: launched - delayed, message: 'ECS is starting their tasks' }),
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
      message: 'being stopped; replacements start when they have stopped',
    }),
    ...(closed === 0
      ? []
      : [
          { ...NO_TIMES, cause: 'upstreamIndexes', count: closed, ...closedOutlook(spec, job.waitedFor, now) } as const,
        ]),
    ...gangWaits(job),
    ...some({ ...NO_TIMES, cause: 'parallelism', count: beyond, message: parallelismText(spec) }),
    ...heldBack(job),
  ];
}

/** Those of a gang that run and wait for the others. */
function gangWaits(job: WaitingJob): readonly Wait[] {
  const progress = gangProgress(job.spec, job.status.gang, within(job));
  if (progress === null) return [];
  const { running, members, since } = progress;
  return some({
    ...NO_TIMES,
    cause: 'gang',
    count: running,
    since,
    message: `for its gang: ${running} of ${members} run`,
  });
}

/** Only a user can let them go on. */
const heldBack = (job: WaitingJob): readonly Wait[] =>
  some({ ...NO_TIMES, cause: 'held', count: within(job).held, message: 'held back until they are released' });

const parallelismText = ({ parallelism }: JobSpec): string =>
  parallelism === 0 ? 'parallelism is 0' : `parallelism ${parallelism}: the next starts when one ends`;

/** Indexes without a Pod that will get one. Slots of a NonIndexed Job are added as needed. */
function toDo(job: WaitingJob): number {
  const { completionMode, completions } = job.spec;
  const counts = within(job);
  if (completionMode === 'Indexed') return counts.pending;
  return completions === null
    ? wanted(job.spec, { all: counts, within: counts }).start
    : Math.max(0, completions - counts.succeeded - podCount(counts));
}

/** The part of the board that counts: a smaller Job ends before the board does. */
const within = ({ spec, spec: { completions }, status, board }: WaitingJob): Tally =>
  completions !== null && isShrunk(spec, status.size)
    ? tallyWithin(status.chunks, completions, (no) => board.chunk(no))
    : tally(status.chunks);

/** Claims that ECS has not accepted yet, with `placed` more that follow as soon as these are answered. */
function claimWaits({ status, hasNames }: WaitingJob, placed: number, pace: LaunchPace): readonly Wait[] {
  const { inFlight, waitReason } = status;
  const isNaming = hasNames && (inFlight.length === 0 || inFlight.some(isFirst));
  const refused = inFlight.filter((claim) => isRefused(claim, status, pace));
  const asked = inFlight.length - refused.length;
  // A refused claim keeps its place, so the ones behind it wait for the same reason.
  const behindRefused = refused.length > 0 && asked === 0 ? placed : 0;
  const count = asked + placed - behindRefused;
  return [
    ...(waitReason === null ? [] : some(refusal(waitReason, refused, behindRefused, pace))),
    ...some({ ...rateWait(count, isNaming, pace), count, since: null, nextTryMs: null }),
  ];
}

/** Its index may not have a name yet. */
export const isFirst = ({ attempt }: Pick<Claim, 'attempt'>): boolean => attempt === 1;

/** What delays `count` launches that were not refused, and for how long, by the slower of two rates. */
export function rateWait(
  count: number,
  isNaming: boolean,
  { perSec, fullPerSec, namesPerSec, namespaces }: LaunchPace,
): Pick<Wait, 'cause' | 'message' | 'etaMs'> {
  if (isNaming && namesPerSec !== null && (perSec === null || namesPerSec < perSec))
    return { cause: 'names', message: `names in Cloud Map ${rateText(namesPerSec)}`, etaMs: etaOf(count, namesPerSec) };
  if (perSec === null || fullPerSec === null) return { cause: 'launching', message: 'being launched', etaMs: null };
  const etaMs = etaOf(count, perSec / namespaces);
  const shared = namespaces > 1 ? `, shared by ${namespaces} namespaces` : '';
  return isCut({ perSec, fullPerSec })
    ? { cause: 'throttled', message: `ECS throttles: ${rateText(perSec)} of ${rateText(fullPerSec)}${shared}`, etaMs }
    : { cause: 'launchRate', message: `launch rate ${rateText(fullPerSec)}${shared}`, etaMs };
}

const etaOf = (count: number, perSec: number): number => (count / perSec) * 1000;

/** Fewer launches are granted than the configured rate, because ECS throttles. */
export const isCut = ({ perSec, fullPerSec }: Pick<LaunchPace, 'perSec' | 'fullPerSec'>): boolean =>
  perSec !== null && fullPerSec !== null && perSec < fullPerSec * AS_GOOD_AS_WHOLE;
/** A rate that has recovered so far. */
const AS_GOOD_AS_WHOLE = 0.95;

const rateText = (perSec: number): string => `${Number(perSec.toPrecision(2))}/s`;

/** ECS refused this claim, which is requested again with a new nonce. Without a rate of ours, nothing else can delay it. */
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
  /** Without a Pod until their due time. */
  readonly held: Timed;
  /** Between two tasks: the container has ended. */
  readonly crashed: Timed;
  /** Between two tasks: the task could not start, for a lasting reason. */
  readonly unstarted: Timed;
  unstartedSince: EpochMs | null;
  /** Between two tasks: ECS accepted the task but did not place it. */
  readonly unplaced: Timed;
};

/** What in the given chunks has a due time. Pods between two tasks in other chunks are counted as crashed, without times. */
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
    for (const [offset, { notBefore, restarts, unstartedSince, held }] of chunk.extras) {
      const state = STATES[chunk.states[offset] ?? 0];
      const index = no * CHUNK_INDEXES + offset;
      if (state === 'pending' && !held && notBefore !== null && notBefore > now && index < below)
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
      message: 'their tasks cannot start (image, secret, parameter)',
      ...exampleOf(unstarted),
    }),
    ...some({
      cause: 'capacity',
      count: unplaced.count,
      since: null,
      etaMs: null,
      nextTryMs: spanOf(unplaced, now).first,
      message: 'ECS could not start their tasks, for want of something',
      ...exampleOf(unplaced),
    }),
  ];
}

const exampleOf = ({ example }: Timed): Pick<Wait, 'example'> => (example === null ? {} : { example });
