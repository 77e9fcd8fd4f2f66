import { afterOutage } from '../domain/after-outage.ts';
import type { JobUid } from '../domain/brand.ts';
import type { AttemptId, Fact } from '../domain/fact.ts';
import { type CommittedPass, failedSyncMetrics, passMetrics, syncMetrics } from '../domain/job-metrics.ts';
import type { Action, Plan } from '../domain/plan.ts';
import { planJob } from '../domain/plan-job.ts';
import { isHidden } from '../domain/status.ts';
import { type EpochMs, plusMs } from '../domain/brand.ts';
import { unreachable } from '../domain/invariant.ts';
import type { DispatchMessage } from '../ports/queues.ts';
import type { Deps } from './deps.ts';
import { tellNames } from './hosts-news.ts';
import { deleteJob, takeBackUnlessOpen } from './job-changes.ts';
import { type LoadedJob, loadJob } from './load-job.ts';

/** Why a Job is looked at: facts about its attempts, or just a wake-up (no facts). */
export type Look = {
  readonly uid: JobUid;
  readonly facts: readonly Fact[];
  /** Messages were lost: look all its active attempts up at ECS, and do at once what they would have done. */
  readonly inspect?: boolean;
};

export type Outcome =
  | { readonly kind: 'done' }
  /** no such Job; tasks of it that still run are stopped */
  | { readonly kind: 'gone' }
  /** others committed each time: the facts were sent again, as a new message */
  | { readonly kind: 'contended' };

export type Reconciled = { readonly uid: JobUid } & (
  | { readonly kind: 'settled'; readonly outcome: Outcome }
  | { readonly kind: 'threw'; readonly error: unknown }
);

/** Commits that may be lost to others before the facts go back to the queue. */
const TRIES_MAX = 6;
/** Jobs of one batch that are worked on at a time. */
const JOBS_AT_ONCE = 8;

/** One pass for each Job that the messages name, whatever number of messages name it. One Job's error is its own. */
export async function reconcileBatch(looks: readonly Look[], deps: Deps): Promise<readonly Reconciled[]> {
  const byJob = new Map<JobUid, { facts: Fact[]; inspect: boolean }>();
  for (const { uid, facts, inspect } of looks) {
    const gathered = byJob.get(uid) ?? { facts: [], inspect: false };
    gathered.facts.push(...facts);
    gathered.inspect ||= inspect ?? false;
    byJob.set(uid, gathered);
  }
  const waiting = [...byJob];
  const reconciled: Reconciled[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [uid, look] = next;
      const startedAt = deps.clock.now();
      try {
        reconciled.push({ uid, kind: 'settled', outcome: await reconcileJob({ uid, ...look }, startedAt, deps) });
      } catch (error) {
        countFailedSync(uid, startedAt, deps);
        reconciled.push({ uid, kind: 'threw', error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(JOBS_AT_ONCE, waiting.length) }, worker));
  return reconciled;
}

/** One pass: load, decide, commit, act. Level-triggered: whatever woke us, what is decides. */
async function reconcileJob({ uid, facts, inspect }: Look, startedAt: EpochMs, deps: Deps): Promise<Outcome> {
  const written: Written = new Map();
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const loaded = await loadJob(uid, facts, deps);
    if (loaded === null) {
      await stopStrangers(uid, facts, deps);
      return { kind: 'gone' };
    }
    if (isUntold(loaded) && (await takeBackUnlessOpen(loaded.spec.identity, deps)) !== 'open') continue;
    const now = deps.clock.now();
    const status = inspect === true ? afterOutage(loaded.status, now) : loaded.status;
    const plan = planJob(loaded.job, status, loaded.stored, facts, now, deps.settings.timing);
    if (!(await commit(uid, loaded, plan, written, deps))) {
      deps.telemetry.count('CommitsLost', 1);
      continue;
    }
    const pass: CommittedPass = { job: loaded.job, before: loaded.status, plan, facts };
    count(pass, deps);
    await act(loaded, plan, inspect ?? false, deps);
    await tellNames(loaded.spec, loaded.status, plan.status ?? loaded.status, facts, deps);
    deps.telemetry.record(syncMetrics(pass, deps.clock.now() - startedAt));
    if (plan.outlived) await deleteJob(uid, deps);
    return { kind: 'done' };
  }
  if (facts.length > 0) await deps.queues.facts([{ uid, facts }], 1);
  else await deps.queues.wake([{ uid, delaySec: 1, ...(inspect === true ? { inspect } : {}) }]);
  countFailedSync(uid, startedAt, deps);
  return { kind: 'contended' };
}

/** Whoever created it has died before telling anybody, and perhaps before it knew whether the Job may stay. */
const isUntold = ({ status }: LoadedJob): boolean => status.published.version === 0 && !isHidden(status.phase);

/** Records of attempts that earlier tries of this pass have written, as JSON: a race that is lost is not paid for twice. */
type Written = Map<string, string>;

/** What must be there before the commit, then the commit. False: somebody else was first. */
async function commit(
  uid: JobUid,
  { job, status }: LoadedJob,
  plan: Plan,
  written: Written,
  { jobs, cache, clock, settings }: Deps,
): Promise<boolean> {
  const keepUntil = plusMs(clock.now(), settings.historyMs);
  const unwritten =
    written.size === 0
      ? plan.ended
      : plan.ended.filter((record) => written.get(keyOf(record)) !== JSON.stringify(record));
  if (unwritten.length > 0) await jobs.writeAttempts(uid, unwritten, keepUntil);
  // A name that is freed by a pass that then loses its race belongs to a Job that nothing holds any more.
  if (plan.expire && status.phase.kind === 'terminating') await jobs.freeName(job);
  if (plan.expire) await jobs.expireJob(uid, status.chunks.length, keepUntil);
  if (plan.status === null) return true;
  const committed = await jobs.commitPass(uid, plan.status, plan.folds);
  if (committed.kind === 'lost') {
    for (const record of plan.ended) written.set(keyOf(record), JSON.stringify(record));
    return false;
  }
  for (const { no, expectedVersion, chunk } of plan.folds) cache.chunks.set(uid, no, expectedVersion + 1, chunk);
  return true;
}

/** As rows are keyed: of two records of one attempt the later stays. */
const keyOf = ({ index, attempt }: AttemptId): string => `${index}/${attempt}`;

/** All that follows the commit can be derived from what was committed, should this be as far as we get. */
async function act({ job, status, marked }: LoadedJob, plan: Plan, inspect: boolean, deps: Deps): Promise<void> {
  const { queues, clock } = deps;
  const messages = plan.actions.flatMap((action) => messageOf(job.uid, action));
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

function count(pass: CommittedPass, { telemetry }: Deps): void {
  const { counted } = pass.plan;
  telemetry.count('FactsFolded', counted.facts);
  telemetry.count('IndexesSucceeded', counted.succeeded);
  telemetry.count('AttemptsFailed', counted.failed);
  telemetry.count('AttemptsLost', counted.lost);
  telemetry.count('LaunchesRefused', counted.refused);
  telemetry.record(passMetrics(pass));
}

/** Where not even the spec could be read, nobody can say what kind of Job it was. */
function countFailedSync(uid: JobUid, startedAt: EpochMs, { cache, clock, telemetry }: Deps): void {
  const completionMode = cache.specs.get(uid)?.manifest.spec.completionMode;
  if (completionMode !== undefined) telemetry.record(failedSyncMetrics(completionMode, clock.now() - startedAt));
}

function messageOf(uid: JobUid, action: Action): readonly DispatchMessage[] {
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

/** SQS delays a message by 15 minutes at most; what is due later is the sweep's. */
const DELAY_MAX_SEC = 900;
const delaySecTo = (at: number, now: number): number =>
  Math.min(DELAY_MAX_SEC, Math.max(0, Math.ceil((at - now) / 1000)));

/** The Job is gone, and so must its tasks be. */
async function stopStrangers(uid: JobUid, facts: readonly Fact[], { queues }: Deps): Promise<void> {
  const messages = facts.flatMap((fact): readonly DispatchMessage[] =>
    fact.kind === 'running' ? [{ kind: 'stopTask', uid, taskArn: fact.taskArn }] : [],
  );
  if (messages.length > 0) await queues.dispatch(messages, 0);
}
