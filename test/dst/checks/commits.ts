import { type EpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import type { TaskArn } from '../../../shared/domain/base/ids.ts';
import { has, parseStatusIndexes } from '../../../shared/domain/base/index-set.ts';
import { ANNOTATIONS } from '../../../shared/domain/manifests/annotations.ts';
import type { AttemptId } from '../../../shared/domain/base/fact.ts';
import type { EndedAttempt } from '../../../shared/domain/planner/plan.ts';
import { type JobSpec, planningSpec } from '../../../shared/domain/manifests/job.ts';
import { type Phase, type Status, isOver, shownReason, tally } from '../../../shared/domain/scoreboard/status.ts';
import { REPLACED_TASKS_MAX } from '../../../shared/domain/base/timing.ts';
import type { TaskView } from '../../../shared/domain/task/task.ts';
import { type Transition, isBesideBoard } from '../../../shared/domain/scoreboard/transition.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import { Gang, checkGang, dueOf } from './gang-watch.ts';
import type { Forbid } from './law.ts';
import { checkDeadlines, checkIndexStep, deadlinesOf, isAllHeld, isByUser } from './index-rules.ts';
import { checkOverdue, checkOwnStep, checkRetries, startDueOf } from './own-rules.ts';
import { Repairs } from './repairs.ts';
import { ShadowBoard, type Unrun } from './shadow.ts';
import { checkRemoval, checkShownStep, isRemoval } from './shown-steps.ts';
import { type Sight, Sights } from './sights.ts';
import { NOWHERE, type Outcome, ruleFor } from './truth.ts';
import { checkGoingOn, checkVerdict, isLastTry } from './verdict-watch.ts';
import { hitsOf } from './verdicts.ts';

/** A Job as its commits have made it. */
export type Watched = {
  readonly createdAt: EpochMs;
  /** of the newest revision that was committed */
  stored: StoredSpec;
  spec: JobSpec;
  status: Status;
  /** the largest parallelism that any stored revision had: attempts beyond a lowered one are being stopped */
  parallelismMax: number;
  readonly board: ShadowBoard;
  /** `index/attempt` of claims that were committed */
  readonly claimed: Set<string>;
  /** The same of those that ought to end since the Job was suspended, was deleted or had its verdict. */
  readonly wished: Set<string>;
  /** by `index/attempt/nonce`: the records of ended attempts that are written */
  readonly recorded: Map<string, EndedAttempt>;
  /** by `index/attempt`: when the Pod was made, in seconds, as the first record of it says */
  readonly madeSec: Map<string, number>;
  /** by `index/attempt/nonce`: what the board says became of it */
  readonly outcomes: Map<string, Outcome>;
  publishedVersion: number;
  readonly repairs: Repairs;
  readonly gang: Gang;
  /** `index/attempt` of the Pods that watchers have. */
  readonly toldPods: Set<string>;
  /** The same of those that users have removed. */
  readonly removed: Set<string>;
  readonly sights: Sights;
};

export function watch(stored: StoredSpec, status: Status, createdAt: EpochMs): Watched {
  const { parallelism } = stored.manifest.spec;
  const unrun = unrunOf(stored);
  const sights = new Sights();
  if (unrun.inherited.size > 0) sights.see('inherited');
  if (unrun.excluded.size > 0) sights.see('excluded');
  return {
    createdAt,
    stored,
    spec: planningSpec(stored),
    status,
    parallelismMax: parallelism,
    board: new ShadowBoard(unrun),
    claimed: new Set(),
    wished: new Set(),
    recorded: new Map(),
    madeSec: new Map(),
    outcomes: new Map(),
    publishedVersion: 0,
    repairs: new Repairs(),
    gang: new Gang(),
    toldPods: new Set(),
    removed: new Set(),
    sights,
  };
}

/** What its manifest and the server's note say, index by index. */
function unrunOf({ manifest, inherited = '' }: StoredSpec): Unrun {
  const { completions = 0 } = manifest.spec;
  const chosen = manifest.metadata.annotations?.[ANNOTATIONS.indexes];
  const kept = listed(inherited, completions);
  const runs = listed(chosen ?? '', completions);
  const all = Array.from({ length: chosen === undefined ? 0 : completions }, (_, index) => index);
  return { inherited: kept, excluded: new Set(all.filter((index) => !runs.has(index) && !kept.has(index))) };
}

function listed(text: string, completions: number): ReadonlySet<number> {
  const set = parseStatusIndexes(text, completions);
  return new Set(Array.from({ length: completions }, (_, index) => index).filter((index) => has(set, index)));
}

/** Looks at one commit; `before` is the one before it, `taskOf` what ECS's tasks have come to. */
export function checkCommit(
  watched: Watched,
  before: Status,
  fresh: readonly Transition[],
  taskOf: (arn: TaskArn) => TaskView | undefined,
  now: EpochMs,
  forbid: Forbid,
): void {
  const { status, board } = watched;
  const isBefore = new Set(before.replacedTasks.map(keyOf));
  const replaced = status.replacedTasks.filter((id) => !isBefore.has(keyOf(id)));
  const pass: Pass = { watched, before, replaced: new Set(replaced.map(keyOf)), now, forbid, failJob: false };
  let { restarts } = board;
  for (const transition of fresh) {
    checkStep(pass, transition);
    restarts = Math.max(restarts, board.restarts);
  }
  checkReplacedTasks(before, status, pass.replaced, watched, taskOf, forbid);
  const stepped = fresh.map(({ index }) => index);
  const forbidHere: Forbid = (isBroken, guarantee, what) =>
    forbid(isBroken, guarantee, () => `commit of version ${status.version}: ${what()}`, ...stepped);
  checkCounts(watched, forbidHere);
  checkBackoff(before, status, fresh, watched, forbidHere);
  checkClaims(watched, fresh, forbidHere);
  if (isRemoval(before, status, fresh)) return checkRemoval(before, status, now, forbid);
  // A user's commit decides nothing: it asks for a pass at once.
  if (isByUser(fresh, status, now))
    return forbid((status.alarms[0] ?? Infinity) > now + 60_000, 'G8', () => 'no pass follows');
  // Nor does a commit that notes who waits for this Job: what is due is due as before.
  if (status.isAwaited && !before.isAwaited)
    return forbid(fresh.length > 0 || status.alarms[0] !== before.alarms[0], 'G8', () => 'a note changes more');
  checkGang(watched, before, fresh, forbid);
  checkAlarm(watched, forbid);
  checkDeadlines(before, watched, fresh, forbid);
  checkOverdue(before, watched, fresh, forbid);
  checkRetries(before, watched, forbid);
  const startTime = before.phase.kind === 'suspended' ? null : before.startTime;
  const evidence = {
    spec: watched.spec,
    board,
    restarts,
    startTime,
    isHeld: before.startTime === null && (status.now < (watched.spec.startAfter ?? 0) || isHeldUp(status.phase)),
    now: status.now,
    failJob: pass.failJob,
  };
  const releases = fresh.some(({ op }) => op === 'released');
  checkVerdict(before, evidence, status, releases, forbid);
  checkGoingOn(before, watched, fresh, forbid);
  if (isOver(status.phase) && !isOver(before.phase) && 'verdict' in status.phase) {
    watched.sights.see(status.phase.verdict.reason);
    if (shownReason(status.phase.verdict) !== status.phase.verdict.reason) watched.sights.see('own reason');
  }
}

const isHeldUp = (phase: Phase): boolean => phase.kind === 'suspended' && phase.held === true;

type Pass = {
  readonly watched: Watched;
  readonly before: Status;
  /** Attempts that this commit has replaced before they have stopped. */
  readonly replaced: ReadonlySet<string>;
  readonly now: EpochMs;
  readonly forbid: Forbid;
  failJob: boolean;
};

function checkStep(pass: Pass, transition: Transition): void {
  const { watched, before, replaced, now } = pass;
  const { spec, board, recorded, outcomes } = watched;
  const { op, index, attempt } = transition;
  const forbid: Forbid = (isBroken, guarantee, what) => pass.forbid(isBroken, guarantee, what, index);
  if (isBesideBoard(op)) {
    checkShownStep(watched, transition, forbid);
    board.step(transition);
    return;
  }
  checkOwnStep(transition, watched, forbid);
  checkIndexStep(transition, watched, forbid);
  watched.sights.see(...(CONTROL_SIGHTS[op] ?? []));
  watched.sights.see(...(op === 'overdue' ? ['overdue'] : []));
  const attemptKey = `${index}/${attempt}`;
  if (op === 'claim') {
    forbid(board.succeeded.has(index), 'G1', () => `index ${index} is claimed again after it has succeeded`);
    forbid(board.unrun.excluded.has(index), 'G1', () => `index ${index} is claimed, which is excluded`);
    forbid(board.failed.has(index), 'G5', () => `index ${index} is claimed again after it has failed for good`);
    forbid(watched.claimed.has(attemptKey), 'G4', () => `attempt ${attempt} of index ${index} is claimed twice`);
    forbid(
      spec.backoffLimitPerIndex !== null && board.at(index).failures > spec.backoffLimitPerIndex,
      'G5',
      () => `index ${index} is tried again after ${board.at(index).failures} failures`,
    );
    watched.claimed.add(attemptKey);
  }
  if (op === 'claim' || op === 'relaunch') {
    const { notBefore, nonce } = board.at(index);
    forbid(
      notBefore !== null && watched.status.now < notBefore,
      'G10',
      () =>
        `${op} ${attemptKey}/${op === 'claim' ? 0 : nonce} ${(notBefore ?? 0) - watched.status.now} ms before its back-off ends`,
    );
  }
  const shadow = board.step(transition);
  const key = `${attemptKey}/${op === 'claim' ? 0 : shadow.nonce}`;
  forbid(board.succeeded.has(index) && op !== 'succeeded', 'G1', () => `${op} ${key} after it has succeeded`);
  if (!ENDS.has(op)) return;

  const { completions } = spec;
  const outcome: Outcome = {
    op,
    shadow,
    phase: before.phase,
    spec,
    outOfRange: spec.completionMode === 'Indexed' && completions !== null && index >= completions,
    replaced: replaced.has(key),
    wished: shadow.stopping || watched.wished.has(attemptKey),
    isLast: isLastTry(before, spec),
    at: now,
  };
  forbid(op === 'succeeded' && shadow.state === 'succeeded', 'G1', () => `index ${index} is counted twice`);
  forbid(outcomes.has(key), 'G5', () => `attempt ${key} ends twice`);
  outcomes.set(key, outcome);
  watched.sights.see(op, ...circumstancesOf(outcome));
  // A launch that nobody saw stop is written off first; its record names the nonce that it had.
  const seen = recorded.get(key);
  const last = `${attemptKey}/${shadow.nonce - 1}`;
  const lost = seen === undefined && outcomes.get(last)?.op === 'renonce' && recorded.has(last);
  forbid(seen === undefined && !lost && !needsNoRecord(outcome), 'G10', () => {
    const others = [...recorded.keys()].filter((other) => other.startsWith(`${attemptKey}/`));
    const instead = others.length === 0 ? 'none of another launch either' : `only of ${others.join(', ')}`;
    return `attempt ${key} is counted (${op}), but no record of that launch is written, ${instead}`;
  });
  if ((seen === undefined && !lost) || outcome.replaced) return;
  if (seen !== undefined) checkDelay(transition, outcome, seen, forbid);
  // A refused launch has no task, whatever a pass has recorded that did not commit.
  if (seen !== undefined && op !== 'renonce') checkMade(watched, attemptKey, seen, forbid);
  if ((op === 'failed' || op === 'failedForGood') && !isFailing(before.phase) && !outcome.outOfRange) {
    const { ending = NOWHERE } = seen ?? recorded.get(last) ?? {};
    pass.failJob ||= ruleFor(ending, spec, shadow.evicted)?.action === 'FailJob';
  }
}

const CONTROL_SIGHTS: Partial<Readonly<Record<Transition['op'], readonly Sight[]>>> = {
  hold: ['held'],
  release: ['let go'],
  cancel: ['cancelled while it ran'],
  exclude: ['cancelled'],
  requeue: ['requeued'],
  retry: ['tried again after it had failed for good'],
  late: ['late'],
  lateIndex: ['late index'],
  expire: ['late index without a Pod'],
};

/** A Pod is made once, in however many tasks it goes on. */
function checkMade({ madeSec }: Watched, key: string, { podCreatedSec, times }: EndedAttempt, forbid: Forbid): void {
  const first = madeSec.get(key);
  const shown = podCreatedSec ?? (times.createdAt === null ? null : Math.floor(times.createdAt / 1000));
  forbid(first !== undefined && shown !== first, 'G14', () => `Pod ${key} was made at ${first}, and then at ${shown}`);
  if (first === undefined && shown !== null) madeSec.set(key, shown);
}

const ENDS: ReadonlySet<Transition['op']> = new Set([
  'renonce',
  'restart',
  'unstarted',
  'succeeded',
  'failed',
  'failedForGood',
  'ignored',
  'lost',
  'lostToSpot',
  'released',
]);

const circumstancesOf = ({ op, shadow, outOfRange, replaced }: Outcome): readonly Sight[] => [
  ...(replaced ? (['replaced'] as const) : []),
  ...(shadow.state === 'waiting' ? (['ended between two tasks'] as const) : []),
  ...(outOfRange && op !== 'renonce' ? (['ended out of range'] as const) : []),
  ...(shadow.podDeleted && op !== 'renonce' ? (['ended after its Pod was deleted'] as const) : []),
];

/** No task of it has ended: refused, cancelled, replaced while it runs, or between two tasks. */
function needsNoRecord({ op, shadow, phase, replaced }: Outcome): boolean {
  if (op === 'renonce' || op === 'released' || replaced || shadow.state === 'waiting') return true;
  return shadow.state === 'claimed' && (isFailing(phase) || shadow.podDeleted || shadow.late !== null);
}

const isFailing = (phase: Phase): boolean => phase.kind === 'draining' && phase.verdict.kind === 'failed';

/** The waits that the board keeps for one index: after its failures, restarts, losses and starts that came to nothing. */
function checkDelay(t: Transition, { shadow, spec }: Outcome, { times }: EndedAttempt, forbid: Forbid): void {
  const at = times.stoppedAt;
  if (at === null || !('notBefore' in t)) return;
  const constantMs = spec.retryDelaySec === null ? null : spec.retryDelaySec * 1000;
  const waitMsOf = (): number | null => {
    switch (t.op) {
      case 'failed':
      case 'ignored':
        if (spec.backoffLimitPerIndex === null) return null;
        return constantMs === null ? doubled(shadow.failures + shadow.ignored + 1, 600_000) : constantMs || null;
      case 'restart':
        return shadow.restarts === 0 ? 0 : doubled(shadow.restarts, 300_000);
      case 'unstarted':
        return doubled(shadow.nonce + 1, 600_000);
      case 'lost':
      case 'lostToSpot':
        return Math.max(shadow.losses === 0 ? 0 : doubled(shadow.losses, 600_000), constantMs ?? 0) || null;
    }
  };
  const waitMs = waitMsOf();
  const until = waitMs === null ? null : plusMs(at, waitMs);
  forbid(
    t.notBefore !== until,
    constantMs === null ? 'G10' : 'G20',
    () => `${t.op} ${t.index}/${t.attempt}/${shadow.nonce} keeps its index back until ${t.notBefore}, not ${until}`,
  );
}

/** 10 s, doubled each further time. */
const doubled = (nth: number, maxMs: number): number => Math.min(10_000 * 2 ** (nth - 1), maxMs);

function checkReplacedTasks(
  before: Status,
  status: Status,
  replaced: ReadonlySet<string>,
  { spec, outcomes }: Watched,
  taskOf: (arn: TaskArn) => TaskView | undefined,
  forbid: Forbid,
): void {
  const { replacedTasks, phase } = status;
  forbid(replacedTasks.length > REPLACED_TASKS_MAX, 'G4', () => `${replacedTasks.length} replaced attempts linger`);
  forbid(
    isOver(phase) && replacedTasks.length > 0,
    'G6',
    () => `${phase.kind} while ${replacedTasks.length} attempts linger`,
  );
  forbid(
    replaced.size > 0 && spec.podReplacementPolicy !== 'TerminatingOrFailed',
    'G4',
    () => 'an attempt is replaced at once, against podReplacementPolicy',
  );
  for (const id of replacedTasks) {
    const key = keyOf(id);
    const uncounted = replaced.has(key) && !outcomes.has(key);
    forbid(uncounted, 'G5', () => `attempt ${key} is replaced, but not counted`, id.index);
    const task = taskOf(id.taskArn);
    forbid(
      task !== undefined && keyOf(task.id) !== key,
      'G4',
      () => `${id.taskArn} is not the task of ${key}`,
      id.index,
    );
  }
  const isLeft = new Set(replacedTasks.map(keyOf));
  for (const id of before.replacedTasks) {
    forbid(
      !isLeft.has(keyOf(id)) && taskOf(id.taskArn)?.stage !== 'stopped',
      'G4',
      () => `replaced attempt ${keyOf(id)} is forgotten while it runs`,
      id.index,
    );
  }
}

const keyOf = ({ index, attempt, nonce }: AttemptId): string => `${index}/${attempt}/${nonce}`;

/** All that STATUS counts is what the transitions come to. */
function checkCounts({ status, spec, board, parallelismMax }: Watched, forbid: Forbid): void {
  const shown = tally(status.chunks);
  const { starting, running, waiting, stopping, succeeded, failed, excluded, held } = shown;
  const active = starting + running + waiting;
  const total = shown.pending + held + active + succeeded + failed + excluded;
  forbid(total !== status.size, 'G2', () => `${total} records on a board of ${status.size}`);
  const truth = {
    ...board.counts,
    succeeded: board.succeeded.size,
    failed: board.failed.size,
    excluded: board.excluded.size,
    held: board.held,
  };
  for (const [name, count] of Object.entries(truth)) {
    const says = { starting, running, waiting, stopping, succeeded, failed, excluded, held }[name];
    forbid(says !== count, 'G2', () => `${says} ${name} on the board, ${count} by its transitions`);
  }
  forbid(status.failed !== board.failures, 'G2', () => `failed is ${status.failed}, ${board.failures} were counted`);
  forbid(
    status.restarts !== board.restarts,
    'G2',
    () => `restarts is ${status.restarts}, there were ${board.restarts}`,
  );
  for (const [nth, rule] of (spec.successPolicy ?? []).entries()) {
    const hits = hitsOf(rule, board);
    const says = status.ruleHits[nth] ?? 0;
    forbid(says !== hits, 'G2', () => `${says} hits of success rule ${nth}, ${hits} of its indexes have succeeded`);
  }
  forbid(isOver(status.phase) && active > 0, 'G6', () => `${status.phase.kind} with ${active} Pods`);
  forbid(active > parallelismMax, 'G3', () => `${active} attempts are active`);
}

/** The Job's own back-off: it grows with each failure, starts anew with a success, and nothing is claimed meanwhile. */
function checkBackoff(
  { backoff: was }: Status,
  { backoff, now, phase }: Status,
  fresh: readonly Transition[],
  { spec }: Watched,
  forbid: Forbid,
): void {
  const failures = fresh.filter(({ op }) => op === 'failed' || op === 'failedForGood' || op === 'ignored').length;
  const success = fresh.some(({ op }) => op === 'succeeded');
  const known = success ? backoff.failures <= failures : backoff.failures === was.failures + failures;
  // Pods between two tasks end with their failing Job, which starts nothing any more.
  forbid(
    !known && !isFailing(phase),
    'G10',
    () => `${failures} failures turn a back-off of ${was.failures} into one of ${backoff.failures}`,
  );
  if (spec.backoffLimitPerIndex !== null || backoff.lastFailureAt === null || backoff.failures === 0) return;
  const until = plusMs(backoff.lastFailureAt, doubled(backoff.failures, 600_000));
  forbid(now < until && fresh.some(({ op }) => op === 'claim'), 'G10', () => 'a Job in back-off claims');
}

function checkClaims({ status, spec, board }: Watched, fresh: readonly Transition[], forbid: Forbid): void {
  if (!fresh.some(({ op }) => op === 'claim' || op === 'relaunch')) return;
  forbid(status.phase.kind !== 'running' || spec.suspend, 'G3', () => `a Job claims that is ${status.phase.kind}`);
  if (!fresh.some(({ op }) => op === 'claim')) return;
  const { starting, running, waiting, stopping } = board.counts;
  const active = starting + running + waiting;
  forbid(
    active - stopping > spec.parallelism,
    'G3',
    () => `${active} attempts are active, ${stopping} stopping, parallelism ${spec.parallelism}`,
  );
}

/** If a Job waits for what no fact reports, the sweep finds it in time: an alarm is set for it. */
function checkAlarm({ status, spec, board, gang }: Watched, forbid: Forbid): void {
  const { phase, alarms, inFlight, startTime, now } = status;
  const alarm = alarms[0] ?? null;
  const due: (readonly [string, number])[] = inFlight.map(({ dueAt }) => ['a claim without an answer', dueAt]);
  if (phase.kind === 'running' || phase.kind === 'regrouping' || phase.kind === 'suspended') {
    if (spec.killAt !== null) due.push(['the kill time', spec.killAt]);
    if (phase.kind === 'suspended' && !spec.suspend && startTime === null && spec.startAfter !== null)
      due.push(['the start time', Math.max(spec.startAfter, now + A_ROUND_MS)]);
    if (isHeldUp(phase)) due.push(['a Job that waits for others', now + 10 * A_ROUND_MS]);
  }
  const gangDue = dueOf(gang, spec);
  if (gangDue !== null) due.push(['the others of a gang', Math.max(gangDue, now + A_ROUND_MS)]);
  if (phase.kind === 'running') {
    // Where users hold back all that is left, nothing happens without them.
    if (spec.parallelism > 0 && !(board.pods().length === 0 && isAllHeld({ status, spec, board })))
      due.push(['a running Job', Infinity]);
    for (const at of deadlinesOf({ spec, board })) due.push(['a deadline', at > now ? at : now + A_ROUND_MS]);
    if (spec.activeDeadlineSec !== null && !spec.suspend && startTime !== null)
      due.push(['the deadline', startTime + spec.activeDeadlineSec * 1000]);
    if (board.counts.waiting > 0)
      for (const { state, notBefore } of board.pods())
        if (state === 'waiting') due.push(['a Pod between two tasks', Math.max(notBefore ?? now, now + A_ROUND_MS)]);
    if (spec.startTimeoutSec !== null)
      for (const pod of board.pods()) {
        const startDue = startDueOf(pod, spec);
        if (startDue !== null) due.push(['a Pod that has yet to start', Math.max(startDue, now + A_ROUND_MS)]);
      }
  } else if (
    phase.kind === 'regrouping' ||
    phase.kind === 'draining' ||
    phase.kind === 'purging' ||
    (phase.kind === 'terminating' && !spec.held)
  )
    due.push([`a Job that is ${phase.kind}`, Infinity]);
  else if (phase.kind === 'finished' && spec.ttlSecAfterFinished !== null)
    due.push(['the time to live', Math.max(phase.at + spec.ttlSecAfterFinished * 1000, now + A_ROUND_MS)]);
  if (board.counts.stopping + status.replacedTasks.length > 0) due.push(['what is being stopped', now + A_ROUND_MS]);
  for (const [what, at] of due) {
    forbid(alarm === null || alarm > at, 'G8', () => `no alarm is set for ${what}: ${alarm}, due ${at}`);
  }
}

/** Stops are repeated, and claims sent again, within this. */
const A_ROUND_MS = 60_000;

/** What no phase may turn to. */
export function checkPhases(from: Phase, to: Phase, forbid: Forbid): void {
  const isKept = to.kind === 'finished' || to.kind === 'purging' || to.kind === 'terminating';
  forbid(from.kind === 'finished' && !isKept, 'G6', () => `finished turns to ${to.kind}`);
  forbid(
    from.kind === 'finished' && to.kind === 'terminating' && to.ended?.verdict.reason !== from.verdict.reason,
    'G6',
    () => 'a terminal verdict is forgotten',
  );
  const isGoing = to.kind === 'terminating' || to.kind === 'purging' || to.kind === 'deleted';
  forbid(from.kind === 'terminating' && !isGoing, 'G6', () => `terminating turns to ${to.kind}`);
  forbid(
    from.kind === 'finished' && to.kind === 'finished' && from.verdict.reason !== to.verdict.reason,
    'G6',
    () => 'a terminal verdict changes',
  );
  forbid(from.kind === 'deleted' && to.kind !== 'deleted', 'G6', () => 'a deleted Job changes');
  forbid(
    from.kind === 'draining' && (to.kind === 'running' || to.kind === 'regrouping' || to.kind === 'suspended'),
    'G6',
    () => `draining turns to ${to.kind}`,
  );
  if (from.kind === 'draining' && (to.kind === 'draining' || to.kind === 'finished')) {
    forbid(from.verdict.kind !== to.verdict.kind, 'G6', () => `${from.verdict.kind} turns to ${to.verdict.kind}`);
  }
}
