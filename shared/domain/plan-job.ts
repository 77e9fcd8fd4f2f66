import { isStopped } from './board.ts';
import { type EpochMs, later, plusMs, soonest } from './brand.ts';
import { deadlineOf, decidePhase } from './decide-phase.ts';
import { Draft, type StoredChunks } from './draft.ts';
import type { AttemptId, Fact } from './fact.ts';
import { foldFacts } from './fold-facts.ts';
import { withNews } from './job-events.ts';
import { type Job, boardSize } from './job.ts';
import { extendJournal, foldJournal } from './journal.ts';
import { FRESH } from './index-record.ts';
import { type LaunchTraits, launchRowOf } from './launch-row.ts';
import { type Counts, type LaunchLimits, OWN_LIMITS, planLaunches } from './launches.ts';
import type { Action, Plan } from './plan.ts';
import type { FailedPod } from './pod-failure-policy.ts';
import {
  type Claim,
  type Phase,
  type Status,
  isEnding,
  isHidden,
  isOver,
  isShrunk,
  summariesFor,
  tally,
  tallyWithin,
} from './status.ts';
import { withinClock } from './set-back.ts';
import { planStops } from './stops.ts';
import { CLOCKS_APART_MAX_MS, PUBLISH_CHECK_MS, type Timing } from './timing.ts';

/** What a cluster's dump shows that no board has, and what its controller does differently. */
export type Dumped = {
  readonly limits: LaunchLimits;
  /** Pods are neither made nor deleted: the Job is being deleted. */
  readonly handsOff: boolean;
  /** Failed Pods by slot: they show more than ECS tells. */
  readonly podOfIndex: ReadonlyMap<number, FailedPod>;
  /** When those ended that move no slot: they feed the Job's back-off. */
  readonly failedAt: readonly EpochMs[];
  readonly succeededAt: readonly EpochMs[];
  /** Indexes that are done, though a Pod of theirs is active and has their slot. */
  readonly doneBeside: { readonly succeeded: number; readonly failed: number };
  readonly failJob: { readonly message: string; readonly index: number } | null;
};

const NOTHING_DUMPED: Dumped = {
  limits: OWN_LIMITS,
  handsOff: false,
  podOfIndex: new Map(),
  failedAt: [],
  succeededAt: [],
  doneBeside: { succeeded: 0, failed: 0 },
  failJob: null,
};

/**
 * The decision of one pass: what the board becomes and what is asked of the world, from the Job's committed state, the
 * facts at hand and the time. All of Kubernetes' Job semantics are here and in the policies it calls.
 *
 * @param read STATUS as it was read; @param stored the chunks that {@link chunksNeeded} named, at STATUS's versions
 * @param clock the pass's own clock; a Job's time never runs backwards for a clock that is a little late, so the last commit's
 *   `now` may be later; one that is far behind is believed ({@link withinClock})
 */
export function planJob(
  job: Job,
  read: Status,
  stored: StoredChunks,
  facts: readonly Fact[],
  clock: EpochMs,
  timing: Timing,
  dumped: Dumped = NOTHING_DUMPED,
): Plan {
  const status = withinClock(read, clock, timing);
  const now = later(clock, status.now);
  const size = boardSize(job.spec, status.size);
  const sized = { ...status, size, chunks: summariesFor(size, status.chunks) };
  const draft = new Draft(sized, stored);

  const folded = foldFacts(draft, { job, status, ...dumped }, facts);
  const counts = countsOf(job, draft, dumped);
  const phase = decidePhase(
    status.phase,
    {
      ...folded,
      job,
      tally: counts.all,
      within: counts.within,
      restarts: draft.restarts,
      inFlight: folded.inFlight.length,
      lingering: folded.lingering.length,
      // A Job that has yet to resume gets a new start time then.
      startTime: status.phase.kind === 'suspended' ? null : status.startTime,
    },
    now,
  );
  const resumed = status.phase.kind === 'suspended' && phase.kind === 'running';
  // One that ends in its first pass has never been found suspended.
  const endedSuspended =
    status.phase.kind === 'suspended' && status.version > 1 && (phase.kind === 'draining' || phase.kind === 'finished');
  const manages = job.spec.managed && phase.kind === 'running' && !dumped.handsOff;

  const limits = timing.claimsMax === undefined ? dumped.limits : { ...dumped.limits, claimsMax: timing.claimsMax };
  const started = manages
    ? planLaunches(draft, job.spec, counts, folded, now, timing, limits)
    : { inFlight: folded.inFlight, launch: [], stop: [], held: [], wakeAt: null, again: false };
  const below = isShrunk(job.spec, size) ? (job.spec.completions ?? undefined) : undefined;
  const stopRound = phase.kind === status.phase.kind ? status.stopRound : null;
  const stops = planStops(draft, phase, { stopRound, lingering: folded.lingering }, now, timing, below);
  const resent = resend(draft, phase, started.inFlight, now, timing);
  const left = tally(draft.summaries());
  const watched = left.starting + left.running + folded.lingering.length;
  const inspect = planInspect(status, watched, started.launch.length > 0, now, timing);
  const began = resumed || (status.startTime === null && phase.kind !== 'suspended' && job.spec.managed);
  const startTime = began ? now : status.startTime;
  const ttl = planTtl(job.spec, phase, now);
  // Pods between two tasks end without a fact that would wake us.
  const moves = phase.kind === 'suspended' ? job.spec.managed && !job.spec.suspend : isEnding(phase);
  const waits = phase.kind === 'terminating' && job.spec.held;
  const isOut = moves && !waits && watched + left.waiting === 0;

  const folding = foldJournal(draft, extendJournal(status.journal, draft.transitions), status.published.seq);
  const wakeAt = [
    started.again || stops.again || folding.again ? now : null,
    started.wakeAt,
    stops.wakeAt,
    inspect.state?.at ?? null,
    ttl.wakeAt,
    manages ? deadlineOf(job.spec, startTime) : null,
    isOut && resent.inFlight.length === 0 ? now : null,
    ...resent.inFlight.map((claim) => claim.dueAt),
  ].reduce(soonest, null);

  const planned: Status = {
    version: status.version + 1,
    revision: job.revision,
    phase,
    startTime,
    resumedAt: resumed ? now : status.resumedAt,
    endedSuspendedSince: endedSuspended ? status.phase.since : status.endedSuspendedSince,
    size,
    chunks: draft.summaries(),
    failed: folded.failed + stops.failed,
    restarts: draft.restarts,
    ruleHits: folded.ruleHits,
    lingering: folded.lingering,
    backoff: folded.backoff,
    inFlight: resent.inFlight,
    stopRound: stops.stopRound,
    inspect: inspect.state,
    alarms: status.alarms,
    now,
    waitReason: resent.inFlight.length === 0 ? null : folded.waitReason,
    journal: folding.journal,
    events: status.events,
    relabelled: (status.relabelled?.version ?? 0) > status.published.version ? status.relabelled : null,
    published: status.published,
  };
  const next = withNews(status, planned, job);
  const changed = differs(read, next, draft);
  const publication = planPublication(status, phase, changed, now, timing);
  const alarm = planAlarm(status.alarms, soonest(wakeAt, publication.wakeAt), publication.checkAt, now);
  const commits = changed || alarm.alarms.length !== read.alarms.length || alarm.send !== null;
  // A commit that changes nothing a user sees needs no publication of its own.
  const seen = !changed && status.published.version >= status.version;
  const published = seen ? { ...status.published, version: next.version } : status.published;

  return {
    status: commits ? { ...next, alarms: alarm.alarms, published } : null,
    folds: commits ? folding.folds : [],
    ended: folded.ended,
    expire: phase.kind === 'deleted' && commits,
    outlived: ttl.outlived,
    held: started.held,
    actions: [
      ...byRow([...started.launch, ...resent.launch]).map(
        ([row, attempts]): Action => ({
          kind: 'launch',
          row,
          attempts,
          traits: traitsOf(job, draft, attempts),
          ahead: claimsBefore(resent.inFlight, attempts),
        }),
      ),
      ...stopsOf(draft, distinct([...folded.deleted, ...started.stop, ...stops.stop])),
      ...folded.ghosts.map((taskArn): Action => ({ kind: 'stopTask', taskArn })),
      ...[...new Set([...folded.replaced, ...stops.stopTasks])].map(
        (taskArn): Action => ({ kind: 'stopTask', taskArn, podDeleted: true }),
      ),
      ...(inspect.due ? [{ kind: 'inspect' } as const] : []),
      ...(alarm.send === null ? [] : [{ kind: 'wake', at: alarm.send } as const]),
    ],
    deferred: folded.deferred,
    publish: publication.now,
    counted: folded.counted,
  };
}

/** The whole board, and what of it counts. */
function countsOf({ spec }: Job, draft: Draft, { doneBeside }: Dumped): Counts {
  const all = tally(draft.summaries());
  const { completions } = spec;
  const within =
    completions !== null && isShrunk(spec, draft.size)
      ? tallyWithin(draft.summaries(), completions, (no) => draft.chunk(no))
      : all;
  const succeeded = within.succeeded + doneBeside.succeeded;
  const failed = within.failed + doneBeside.failed;
  return { all, within: { ...within, succeeded, failed } };
}

/** A finished Job that has outlived its ttlSecondsAfterFinished is to be deleted, as if its user had done it. */
function planTtl({ ttlSecAfterFinished }: Job['spec'], phase: Phase, now: EpochMs) {
  if (ttlSecAfterFinished === null || phase.kind !== 'finished') return { outlived: false, wakeAt: null };
  const due = plusMs(phase.at, ttlSecAfterFinished * 1000);
  return now >= due ? { outlived: true, wakeAt: plusMs(now, OUTLIVED_CHECK_MS) } : { outlived: false, wakeAt: due };
}

/** Should the pass that was to delete the Job have died. */
const OUTLIVED_CHECK_MS = 60_000;

/** Claims that nobody has answered are sent again; those that the board wants to end are the stop rounds' business. */
function resend(draft: Draft, phase: Phase, inFlight: readonly Claim[], now: EpochMs, timing: Timing) {
  const launch: AttemptId[] = [];
  const claims = inFlight.map((claim) => {
    if (claim.dueAt > now) return claim;
    const record = draft.record(claim.index);
    if (record === null && phase.kind === 'running') return claim; // its chunk is the next pass's
    if (phase.kind === 'running' && record !== null && !isStopped(record)) {
      launch.push({ index: claim.index, attempt: claim.attempt, nonce: claim.nonce });
    }
    return { ...claim, dueAt: plusMs(now, timing.resendMs) };
  });
  return { inFlight: claims, launch };
}

/**
 * Active attempts are looked up at growing intervals; the first is short again whenever something was started. A look goes
 * over all of them, so it comes the less often the more they are: 100,000 that are still being started would else be read
 * and described over and over.
 */
function planInspect({ inspect }: Status, watched: number, launched: boolean, now: EpochMs, timing: Timing) {
  if (watched === 0) return { state: null, due: false };
  const firstMs = Math.max(timing.inspectFirstMs, watched * INSPECT_MS_EACH);
  const first = { at: plusMs(now, firstMs), intervalMs: firstMs };
  if (inspect === null) return { state: first, due: false };
  if (now < inspect.at) {
    const soon = launched && inspect.intervalMs > firstMs && first.at < inspect.at;
    return { state: soon ? first : inspect, due: false };
  }
  const intervalMs = Math.max(firstMs, Math.min(inspect.intervalMs * 2, timing.inspectMaxMs));
  return { state: { at: plusMs(now, intervalMs), intervalMs }, due: true };
}

/** A million are looked up every 34 minutes at most often, within the hour that ECS remembers. */
const INSPECT_MS_EACH = 2;

/** Something that a user can see, or that a later pass must know, is not as it was. */
function differs(before: Status, after: Status, draft: Draft): boolean {
  return (
    draft.transitions.length > 0 ||
    before.phase !== after.phase ||
    before.revision !== after.revision ||
    before.size !== after.size ||
    before.startTime !== after.startTime ||
    before.failed !== after.failed ||
    before.lingering.length !== after.lingering.length ||
    before.waitReason !== after.waitReason ||
    before.inspect !== after.inspect ||
    before.stopRound?.cursor !== after.stopRound?.cursor ||
    before.stopRound?.startedAt !== after.stopRound?.startedAt ||
    before.inFlight.length !== after.inFlight.length ||
    after.inFlight.some((claim, i) => claim !== before.inFlight[i])
  );
}

/**
 * A Job is published at once when it is over, else at most once a second. After a delete nothing more is published, once
 * that is. `checkAt`: the sweep shall see that the publication took place, should this pass die before it.
 */
function planPublication(
  { published, version, phase: before }: Status,
  phase: Phase,
  changed: boolean,
  now: EpochMs,
  timing: Timing,
) {
  const quiet = { now: false, wakeAt: null, checkAt: null };
  const gone = isHidden(before);
  if ((gone || !changed) && published.version >= version) return quiet;
  // What the feed has of a clock that was wrong since is told long ago.
  const isBelievable = published.at <= plusMs(now, CLOCKS_APART_MAX_MS);
  const due = isBelievable ? plusMs(published.at, timing.publishEveryMs) : now;
  if (!gone && !isOver(phase) && before.kind === phase.kind && now < due)
    return { now: false, wakeAt: due, checkAt: null };
  return { now: true, wakeAt: null, checkAt: plusMs(now, PUBLISH_CHECK_MS) };
}

/**
 * The alarms that STATUS holds, and the wake-up to send, if any: one goes out only if none that is on its way comes as
 * soon, so that alarms do not multiply. `checkAt` needs no message: the sweep comes by every minute anyway.
 */
function planAlarm(alarms: readonly EpochMs[], wakeAt: EpochMs | null, checkAt: EpochMs | null, now: EpochMs) {
  const [first, ...rest] = alarms.filter((at) => at > now);
  const armed = first === undefined ? [] : [first, ...rest];
  if (wakeAt === null) return { alarms: armed.length === 0 && checkAt !== null ? [checkAt] : armed, send: null };
  if (first !== undefined && first <= wakeAt) return { alarms: armed, send: null };
  return { alarms: [wakeAt, ...armed].slice(0, ALARMS_MAX), send: wakeAt };
}

/** Wake-ups on their way that STATUS remembers; to forget one costs a message too many, no more. */
const ALARMS_MAX = 8;

/** How many claims stand before the first of these; claims are in the order in which they were made. */
function claimsBefore(inFlight: readonly Claim[], [first]: readonly AttemptId[]): number {
  const at = inFlight.findIndex(({ index, attempt }) => index === first?.index && attempt === first.attempt);
  return Math.max(0, at);
}

const distinct = (ids: readonly AttemptId[]): readonly AttemptId[] => [
  ...new Map(ids.map((id) => [id.index, id])).values(),
];

/** One message a launch row: its slots are written together. */
function byRow(ids: readonly AttemptId[]): readonly (readonly [row: number, attempts: readonly AttemptId[]])[] {
  const rows = new Map<number, AttemptId[]>();
  for (const id of ids) {
    const row = launchRowOf(id.index);
    const attempts = rows.get(row);
    if (attempts === undefined) rows.set(row, [id]);
    else attempts.push(id);
  }
  return [...rows];
}

/** One action a launch row, but two where users have deleted some of its Pods: ECS keeps the reason with the task. */
function stopsOf(draft: Draft, ids: readonly AttemptId[]): readonly Action[] {
  const isDeleted = ({ index, attempt }: AttemptId): boolean => {
    const record = draft.record(index);
    return record?.attempt === attempt && record.podDeleted;
  };
  return [
    ...byRow(ids.filter((id) => !isDeleted(id))).map(([row, attempts]): Action => ({ kind: 'stop', row, attempts })),
    ...byRow(ids.filter(isDeleted)).map(
      ([row, attempts]): Action => ({ kind: 'stop', row, attempts, podDeleted: true }),
    ),
  ];
}

/**
 * An index that Spot has interrupted as often as the Job bears runs on demand; one that may fail alone knows how often it has;
 * a Pod that is started again knows how often it was.
 */
function traitsOf({ spec }: Job, draft: Draft, ids: readonly AttemptId[]): ReadonlyMap<number, LaunchTraits> {
  const { disruptions, backoffLimitPerIndex } = spec;
  const traits = new Map<number, LaunchTraits>();
  for (const { index } of ids) {
    const { spot, failures, ignored, restarts } = draft.record(index) ?? FRESH;
    const onDemand = disruptions.kind === 'budget' && spot > 0 && spot >= disruptions.spotInterruptions;
    const counts = backoffLimitPerIndex === null ? { failures: 0, ignored: 0 } : { failures, ignored };
    if (onDemand || counts.failures + counts.ignored + restarts > 0)
      traits.set(index, { onDemand, ...counts, ...(restarts === 0 ? {} : { restarts }) });
  }
  return traits;
}
