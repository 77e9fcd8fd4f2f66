import { AFTER_COMMITS, AFTER_PASSES } from '../../capabilities/lists/after-passes.ts';
import { afterOutage } from '../../domain/planner/after-outage.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { AttemptId, Fact } from '../../domain/base/fact.ts';
import { isForOperator } from '../../domain/planner/ending.ts';
import { type CommittedPass, failedSyncMetrics, passMetrics, syncMetrics } from '../../domain/planner/job-metrics.ts';
import type { Action, Plan } from '../../domain/planner/plan.ts';
import { planJob } from '../../domain/planner/plan-job.ts';
import { ANNOUNCED_RULES, OWN_RULES } from '../../domain/planner/plan-rules.ts';
import { type Phase, type Status, endOf, isHidden } from '../../domain/scoreboard/status.ts';
import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import { unreachable } from '../../domain/base/invariant.ts';
import type { DispatchMessage } from '../../ports/queues.ts';
import { releaseItems } from '../lifecycle/pinned-items.ts';
import { isAnnounced } from '../process/announced-jobs.ts';
import type { Deps } from '../process/deps.ts';
import { deleteJob, takeBackUnlessOpen } from '../lifecycle/job-changes.ts';
import { wakePlace, wakeOwner } from '../process/wake-owner.ts';
import { forgetWaits, tellAwaited, wakeWaiting } from '../upstreams/waiting-jobs.ts';
import { type LoadedJob, loadJob } from './load-job.ts';
import { tryOnConflict } from '../../store/retry-on-conflict.ts';

/** Requests a pass: with facts about the Job's attempts, or just a wake-up (no facts). */
export type ReconcileRequest = {
  readonly uid: JobUid;
  readonly facts: readonly Fact[];
  /** Messages were lost: look up all its active attempts in ECS, and do at once what the messages would have done. */
  readonly inspect?: boolean;
};

export type PassOutcome =
  | { readonly kind: 'done' }
  /** the Job does not exist; tasks of it that still run are stopped */
  | { readonly kind: 'gone' }
  /** others committed each time: the facts were sent again, as a new message */
  | { readonly kind: 'contended' };

export type Reconciled = { readonly uid: JobUid } & (
  | { readonly kind: 'returned'; readonly outcome: PassOutcome }
  | { readonly kind: 'threw'; readonly error: unknown }
);

/** Commits that may be lost to others before the facts are sent back to the queue. */
const TRIES_MAX = 6;
/** Jobs of one batch that are processed at a time. */
const JOBS_AT_ONCE = 8;

/** One pass for each Job that the messages name, however many name it. An error of one Job does not affect the others. */
export async function reconcileBatch(
  requests: readonly ReconcileRequest[],
  deps: Deps,
): Promise<readonly Reconciled[]> {
  const byJob = new Map<JobUid, { facts: Fact[]; inspect: boolean }>();
  for (const { uid, facts, inspect } of requests) {
    const gathered = byJob.get(uid) ?? { facts: [], inspect: false };
    gathered.facts.push(...facts);
    gathered.inspect ||= inspect ?? false;
    byJob.set(uid, gathered);
  }
  const waiting = [...byJob];
  const reconciled: Reconciled[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [uid, request] = next;
      const startedAt = deps.clock.now();
      try {
        reconciled.push({ uid, kind: 'returned', outcome: await reconcileJob({ uid, ...request }, startedAt, deps) });
      } catch (error) {
        countFailedSync(uid, startedAt, deps);
        reconciled.push({ uid, kind: 'threw', error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(JOBS_AT_ONCE, waiting.length) }, worker));
  return reconciled;
}

/** Passes until one commits; if others commit first each time, the request is sent again. */
async function reconcileJob(request: ReconcileRequest, startedAt: EpochMs, deps: Deps): Promise<PassOutcome> {
  const written: Written = new Map();
  const outcome = await tryOnConflict(TRIES_MAX, async () => pass(request, written, startedAt, deps));
  if (outcome !== 'conflict') return outcome;
  const { uid, facts, inspect } = request;
  if (facts.length > 0) await deps.queues.facts([{ uid, facts }], 1);
  else await deps.queues.wake([{ uid, delaySec: 1, ...(inspect === true ? { inspect } : {}) }]);
  countFailedSync(uid, startedAt, deps);
  return { kind: 'contended' };
}

/** One pass: load, decide, commit, act. Level-triggered: only the current state matters, not what triggered it. */
async function pass(
  { uid, facts, inspect }: ReconcileRequest,
  written: Written,
  startedAt: EpochMs,
  deps: Deps,
): Promise<PassOutcome | 'conflict'> {
  const loaded = await loadJob(uid, facts, deps);
  if (loaded === null) {
    await stopOrphans(uid, facts, deps);
    return { kind: 'gone' };
  }
  if (isUnpublished(loaded) && (await takeBackUnlessOpen(loaded.spec.identity, deps)) !== 'open') return 'conflict';
  const now = deps.clock.now();
  const status = inspect === true ? afterOutage(loaded.status, now) : loaded.status;
  const rules = isAnnounced(loaded.spec.manifest, deps) ? ANNOUNCED_RULES : OWN_RULES;
  const plan = planJob(loaded.job, status, loaded.chunks, facts, now, deps.settings.timing, rules, loaded.upstreams);
  if (!(await commit(uid, loaded, plan, written, deps))) {
    deps.telemetry.count('CommitsLost', 1);
    return 'conflict';
  }
  const committed: CommittedPass = { job: loaded.job, before: loaded.status, plan, facts };
  count(committed, now, deps);
  await act(loaded, plan, inspect ?? false, deps);
  const { spec, status: before } = loaded;
  const announces = plan.announce && plan.status !== null;
  const committedStatus = { spec, before, after: plan.status ?? before, facts, announces };
  for (const step of AFTER_COMMITS) await step(committedStatus, deps);
  deps.telemetry.record(syncMetrics(committed, deps.clock.now() - startedAt));
  await tellOthers(loaded, plan, deps);
  for (const step of AFTER_PASSES) await step(committedStatus, deps);
  if (plan.outlived) await deleteJob(uid, deps);
  return { kind: 'done' };
}

/** Wakes what waits for a change that this pass has committed: the Job's owner, and Jobs that come after it. */
async function tellOthers({ spec, status: before, unnoted }: LoadedJob, plan: Plan, deps: Deps): Promise<void> {
  const after = plan.status ?? before;
  const hasEnded = endOf(before.phase) === null && endOf(after.phase) !== null;
  const isGone = before.phase.kind !== 'deleted' && after.phase.kind === 'deleted';
  if (hasEnded) await wakeOwner(spec, deps);
  else if (isGone) await wakePlace(spec, deps);
  if (hasEnded || isGone || isJustOver(before.phase, deps.clock.now())) await wakeWaiting(spec.identity, 'all', deps);
  else if (after.isAwaited && plan.counted.succeeded > 0) await wakeWaiting(spec.identity, 'byIndex', deps);
  if (unnoted.length > 0) {
    await Promise.all(unnoted.map((uid) => tellAwaited(uid, deps)));
    // What has succeeded there before it knew is seen by another look.
    await deps.queues.wake([{ uid: spec.identity.uid, delaySec: 0 }]);
  }
  if (waits(before) && !waits(after)) await forgetWaits(spec, deps);
}

/** Something of what the Job waits for has yet to come, and matters. */
const waits = ({ phase, upstreams }: Status): boolean =>
  endOf(phase) === null && !isHidden(phase) && upstreams.some(({ isMet }) => !isMet);

/** The pass that ended the Job may have died before it woke others: the one that comes a minute later does it again. */
const isJustOver = (phase: Phase, now: EpochMs): boolean =>
  phase.kind === 'finished' && now <= plusMs(phase.at, WOKEN_AGAIN_MS);
const WOKEN_AGAIN_MS = 5 * 60_000;

/** The creator died before publishing, possibly before checking the namespace. */
const isUnpublished = ({ status }: LoadedJob): boolean => status.published.version === 0 && !isHidden(status.phase);

/** Records of attempts that earlier tries of this pass have written, as JSON, so that a lost race does not write them twice. */
type Written = Map<string, string>;

/** Writes what must exist before the commit, then commits. false: another process was first. */
async function commit(
  uid: JobUid,
  { job, spec, status }: LoadedJob,
  plan: Plan,
  written: Written,
  deps: Deps,
): Promise<boolean> {
  const { jobs, cache, clock, settings } = deps;
  const keepUntil = plusMs(clock.now(), settings.historyMs);
  const unwritten =
    written.size === 0
      ? plan.ended
      : plan.ended.filter((record) => written.get(keyOf(record)) !== JSON.stringify(record));
  if (unwritten.length > 0) await jobs.writeAttempts(uid, unwritten, keepUntil);
  // A pass that loses its race may have freed the name; nothing holds that Job any more.
  if (plan.expire && status.phase.kind === 'terminating') await jobs.freeName(job);
  if (plan.expire) {
    await jobs.expireJob(uid, status.chunks.length, keepUntil);
    await releaseItems(spec.manifest, uid, deps);
    await forgetWaits(spec, deps);
  }
  if (plan.status === null) return true;
  const committed = await jobs.commitPass(uid, plan.status, plan.folds);
  if (committed.kind === 'lost') {
    for (const record of plan.ended) written.set(keyOf(record), JSON.stringify(record));
    return false;
  }
  for (const { no, expectedVersion, chunk } of plan.folds) cache.chunks.set(uid, no, expectedVersion + 1, chunk);
  return true;
}

/** The key of its row: of two records of one attempt, the later stays. */
const keyOf = ({ index, attempt }: AttemptId): string => `${index}/${attempt}`;

/** All that happens here can be derived from what was committed, if the process dies first. What was counted for metrics cannot. */
async function act({ job, status, marked }: LoadedJob, plan: Plan, inspect: boolean, deps: Deps): Promise<void> {
  const { queues, clock } = deps;
  const messages = plan.actions.flatMap((action) => messagesFor(job.uid, action));
  if (inspect && !plan.actions.some(({ kind }) => kind === 'inspect'))
    messages.push({ kind: 'inspect', uid: job.uid, from: 0 });
  if (messages.length > 0) await queues.dispatch(messages, 0);
  for (const action of plan.actions) {
    if (action.kind !== 'wake') continue;
    await queues.wake([{ uid: job.uid, delaySec: delaySecTo(action.at, clock.now()) }]);
  }
  if (plan.deferred.length > 0) await queues.facts([{ uid: job.uid, facts: plan.deferred }], 0);
  const since = marked && status.published.version > 0 ? status.published : undefined;
  if (plan.publish) await deps.publisher.publish(job, plan.status ?? status, since);
}

function count(pass: CommittedPass, now: EpochMs, { telemetry }: Deps): void {
  const { counted } = pass.plan;
  telemetry.count('FactsFolded', counted.facts);
  telemetry.count('IndexesSucceeded', counted.succeeded);
  telemetry.count('AttemptsFailed', counted.failed);
  telemetry.count('AttemptsLost', counted.lost);
  telemetry.count('LaunchesRefused', counted.refused);
  callOperator(pass, telemetry);
  for (const sec of secondsToCount(pass.plan, now)) telemetry.count('StoppedToCounted', sec);
  telemetry.record(passMetrics(pass));
}

/** ECS had accepted these launches; otherwise the dispatcher says the same (`warnOperator`). */
function callOperator({ job, plan }: CommittedPass, telemetry: Deps['telemetry']): void {
  const [first, ...rest] = plan.ended.filter(({ ending }) => isForOperator(ending));
  if (first === undefined) return;
  telemetry.count('LaunchesMisconfigured', 1 + rest.length);
  telemetry.warn('task not started: the installation is at fault', { job: job.uid, reason: first.ending.reason });
}

/** For each task whose end this pass has counted, how long ago that was, in tenths: two clocks differ by more than that. */
const secondsToCount = ({ ended }: Plan, now: EpochMs): readonly number[] =>
  ended.flatMap(({ times: { stoppedAt } }) =>
    stoppedAt === null ? [] : [Math.max(0, Math.round((now - stoppedAt) / 100) / 10)],
  );

/** If not even the spec could be read, the Job's kind is unknown. */
function countFailedSync(uid: JobUid, startedAt: EpochMs, { cache, clock, telemetry }: Deps): void {
  const completionMode = cache.specs.get(uid)?.manifest.spec.completionMode;
  if (completionMode !== undefined) telemetry.record(failedSyncMetrics(completionMode, clock.now() - startedAt));
}

function messagesFor(uid: JobUid, action: Action): readonly DispatchMessage[] {
  switch (action.kind) {
    case 'launch':
      return [
        {
          kind: 'pack',
          uid,
          launch: action.attempts,
          stop: [],
          ...(action.traits.size === 0 ? {} : { traits: action.traits }),
          ...(action.ahead === 0 ? {} : { ahead: action.ahead }),
        },
      ];
    case 'stop':
      return [{ kind: 'pack', uid, launch: [], stop: action.attempts, ...deletedBy(action) }];
    case 'stopTask':
      return [{ kind: 'stopTask', uid, taskArn: action.taskArn, ...deletedBy(action) }];
    case 'inspect':
      return [{ kind: 'inspect', uid, from: 0 }];
    case 'wake':
      return [];
    default:
      return unreachable(action);
  }
}

const deletedBy = ({ podDeleted }: { readonly podDeleted?: true }) => (podDeleted === true ? { podDeleted } : {});

/** SQS delays a message by 15 minutes at most; the sweep handles what is due later. */
const DELAY_MAX_SEC = 900;
const delaySecTo = (at: number, now: number): number =>
  Math.min(DELAY_MAX_SEC, Math.max(0, Math.ceil((at - now) / 1000)));

/** The Job does not exist, so its tasks must be stopped. */
async function stopOrphans(uid: JobUid, facts: readonly Fact[], { queues }: Deps): Promise<void> {
  const messages = facts.flatMap((fact): readonly DispatchMessage[] =>
    fact.kind === 'running' ? [{ kind: 'stopTask', uid, taskArn: fact.taskArn }] : [],
  );
  if (messages.length > 0) await queues.dispatch(messages, 0);
}
