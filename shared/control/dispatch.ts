import { type EpochMs, type JobUid, plusMs } from '../domain/brand.ts';
import { LOST, NO_TIMES, POD_DELETED } from '../domain/ending.ts';
import type { AttemptId, Fact } from '../domain/fact.ts';
import { invariant, unreachable } from '../domain/invariant.ts';
import { overridesOf } from '../domain/launch-overrides.ts';
import {
  type LaunchRow,
  type LaunchTraits,
  type Run as LaunchRun,
  type SlotOutcome,
  type SlotWork,
  launchRowOf,
  settle,
  workOn,
} from '../domain/launch-row.ts';
import { refusedRetryMs } from '../domain/pace.ts';
import { podName, podUid } from '../domain/pod-name.ts';
import { capacityOf } from '../domain/pod-template.ts';
import { taskEnvironment } from '../domain/task-environment.ts';
import type { LaunchTemplate } from '../domain/task.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import type { DispatchMessage } from '../ports/queues.ts';
import type { Fatal, Refused } from '../ports/tasks.ts';
import type { Deps } from './deps.ts';
import { closeHosts } from './hosts-closing.ts';
import { syncHosts } from './hosts.ts';
import { findTask, inspect } from './inspect.ts';
import { refusalOf, sortByName } from './launch-names.ts';
import { callAtPace, slowDown } from './pace.ts';
import { sweepTasks } from './sweep.ts';
import { newestTemplate, renewTemplate, templatesOf } from './template.ts';

type Pack = Extract<DispatchMessage, { kind: 'pack' }>;

/** What could not be done yet is sent again with this delay: soon enough to find the rights that are given out next. */
const LATER_DELAY_SEC = 1;
const LATER_DELAY_MAX_SEC = 5;
/** SQS delays no message for longer. */
const DELAY_MAX_SEC = 900;
const TRIES_MAX = 6;

/**
 * Does what one dispatch message asks of ECS and sends the answers back as one fact message. Throws where the outcome
 * of a call is unknown: the message comes again, and repeats the call under the same token.
 */
export async function dispatch(message: DispatchMessage, deps: Deps): Promise<void> {
  switch (message.kind) {
    case 'pack':
      return dispatchPack(message, deps);
    case 'stopTask':
      return stopStranger(message, deps);
    case 'inspect':
      return inspect(message, deps);
    case 'hosts':
      return syncHosts(message, deps);
    case 'closeHosts':
      return closeHosts(message.uid, deps);
    case 'sweepTasks':
      return sweepTasks(message, deps);
    default:
      return unreachable(message);
  }
}

async function dispatchPack(pack: Pack, deps: Deps): Promise<void> {
  const { uid } = pack;
  const first = pack.launch[0] ?? pack.stop[0];
  if (first === undefined) return;
  const spec = deps.cache.specs.get(uid) ?? (await deps.jobs.readSpec(uid));
  if (spec === null) return; // the Job's rows have expired long after its last task ended
  deps.cache.specs.set(uid, spec);

  const names = await sortByName(spec, pack.launch, deps);
  const claimed = { ...pack, launch: names.launch, stop: [...pack.stop, ...names.refused.map(({ id }) => id)] };
  const template = names.launch.length === 0 ? 0 : await newestTemplate(spec, deps);
  const work = await claimSlots(uid, launchRowOf(first.index), claimed, template, deps);
  const now = deps.clock.now();
  const facts: Fact[] = [
    ...work.launched.map(({ id, taskArn }): Fact => ({ ...id, kind: 'launched', taskArn, at: now })),
    ...work.cancelled.map(
      (id) => refusalOf(id, names.refused, now) ?? ({ ...id, kind: 'cancelled', at: now } as const),
    ),
  ];
  const ran = await runAll(spec, work.run, pack.ahead ?? 0, deps);
  const found = await findAll(uid, work, deps);
  facts.push(...ran.facts, ...found.facts);
  const outcomes = [...ran.outcomes, ...found.outcomes];
  const row = outcomes.length > 0 ? await storeOutcomes(uid, work.row, outcomes, deps) : work.row;
  if (facts.length > 0) await deps.queues.facts([{ uid, facts: facts.map((fact) => notLost(fact, row)) }], 0);

  const why = pack.podDeleted === true ? POD_DELETED : 'Muster: no longer wanted';
  const unwanted = work.stop.filter(({ id }) => refusalOf(id, names.refused, now) === null);
  const stopped = await stopAll(unwanted, why, deps);
  const launchLater = [...ran.later, ...found.later, ...names.later].filter((id) =>
    pack.launch.some((asked) => asked.index === id.index),
  );
  if (launchLater.length + stopped.later.length > 0)
    await putOff({ ...pack, launch: launchLater, stop: stopped.later }, deps);
}

/**
 * Sends a pack again, ever more seldom. Not for ever: the board sends what nobody has answered again itself, so each pack that
 * went on beside that would be one more that asks for the same.
 */
async function putOff(pack: Pack, { queues, clock, settings }: Deps): Promise<void> {
  const now = clock.now();
  const putOffAt = pack.putOffAt ?? now;
  const ageMs = now - putOffAt;
  const { resendMs, stopRepeatMs } = settings.timing;
  if (ageMs >= (pack.launch.length > 0 ? resendMs : stopRepeatMs)) return;
  const delaySec = Math.min(LATER_DELAY_MAX_SEC, Math.max(LATER_DELAY_SEC, Math.floor(ageMs / 4_000)));
  await queues.dispatch([{ ...pack, putOffAt }], delaySec);
}

/** The slots are ours to launch once the row says so; another dispatcher that was first is read and decided on again. */
async function claimSlots(
  uid: JobUid,
  no: number,
  { launch, stop, traits }: Pack,
  template: number,
  { jobs, clock, settings }: Deps,
): Promise<SlotWork> {
  let row = await jobs.readLaunches(uid, no);
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const now = clock.now();
    const work = workOn(row, launch, stop, now, traits, template);
    if (!work.changed) return work;
    const written = await jobs.writeLaunches(uid, work.row, plusMs(now, settings.historyMs));
    if (written.kind === 'written') return { ...work, row: written.row };
    row = written.row;
  }
  throw new Error(`launch row ${no} of Job ${uid} changed during each of ${TRIES_MAX} writes`);
}

/**
 * A task that was nowhere when we looked, but that the row names by now, was found by another dispatcher, who may have
 * stopped it already: what is being stopped is on no list of what runs.
 */
function notLost(fact: Fact, { slots }: LaunchRow): Fact {
  if (fact.kind !== 'stopped' || fact.taskArn !== null) return fact;
  const { index, attempt, nonce, at } = fact;
  const slot = slots.find((each) => each.index === index && each.attempt === attempt && each.nonce === nonce);
  return slot?.state === 'launched' ? { index, attempt, nonce, kind: 'launched', taskArn: slot.taskArn, at } : fact;
}

/** Remembers which task each launch became, so that it can be stopped and looked up; the row as it is then. */
async function storeOutcomes(
  uid: JobUid,
  known: LaunchRow,
  outcomes: readonly SlotOutcome[],
  { jobs, clock, settings }: Deps,
): Promise<LaunchRow> {
  let row = known;
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const now = clock.now();
    const written = await jobs.writeLaunches(uid, settle(row, outcomes, now), plusMs(now, settings.historyMs));
    if (written.kind === 'written') return written.row;
    row = written.row;
  }
  throw new Error(`launch row ${known.row} of Job ${uid} changed during each of ${TRIES_MAX} writes`);
}

type Run = {
  readonly facts: readonly Fact[];
  readonly outcomes: readonly SlotOutcome[];
  /** Throttled, or over the rate: nothing was started, the same call may come again. */
  readonly later: readonly AttemptId[];
};

const NOTHING_RUN: Run = { facts: [], outcomes: [], later: [] };

/**
 * One RunTask an attempt, each at its moment. An unknown outcome is thrown once the others have been told. The template
 * is made only where a slot says launching: such a Job cannot be deleted, so the row cannot outlive it.
 */
async function runAll(spec: StoredSpec, ids: SlotWork['run'], ahead: number, deps: Deps): Promise<Run> {
  if (ids.length === 0) return NOTHING_RUN;
  const templates = await templatesOf(spec, Math.max(...ids.map(({ template }) => template)), deps);
  if ('kind' in templates) {
    const asked = ids.map(({ id }) => id);
    return templates.kind === 'later' ? { ...NOTHING_RUN, later: asked } : closeAll(asked, templates, spec, deps);
  }
  const facts: Fact[] = [];
  const outcomes: SlotOutcome[] = [];
  const later: AttemptId[] = [];
  const pace = { name: 'launch', ratePerSec: deps.settings.launchesPerSec, ahead } as const;
  let isMisconfigured = false;
  const left = await callAtPace(ids, pace, deps, async (each) => {
    const { id } = each;
    const answer = await runOrFind(spec, templates, each, deps);
    const at = deps.clock.now();
    switch (answer.kind) {
      case 'launched':
        facts.push({ ...id, kind: 'launched', taskArn: answer.taskArn, at });
        outcomes.push({ id, kind: 'launched', taskArn: answer.taskArn });
        deps.telemetry.count('TasksLaunched', 1);
        break;
      case 'refused':
        if (answer.misconfigured === true) {
          tellOperator(spec, answer.reason, 1, deps);
          isMisconfigured = true;
        }
        facts.push(refusedFact(id, answer.reason, at));
        outcomes.push({ id, kind: 'refused' });
        break;
      case 'fatal':
        facts.push({ ...id, kind: 'rejected', reason: answer.reason, at });
        outcomes.push({ id, kind: 'closed' });
        break;
      case 'later':
        later.push(id);
        deps.telemetry.count('LaunchesThrottled', 1);
        await slowDown(pace, deps);
        break;
      case 'unknown':
        later.push(id);
        deps.telemetry.warn('launch has no answer', { job: spec.identity.uid, ...id, error: answer.error });
        break;
      default:
        unreachable(answer);
    }
  });
  if (isMisconfigured) await renewed(spec, deps);
  return { facts, outcomes, later: [...later, ...left.map(({ id }) => id)] };
}

/** The stack may have changed since the template was made. Should this fail, the next refusal comes here, too. */
async function renewed(spec: StoredSpec, deps: Deps): Promise<void> {
  try {
    await renewTemplate(spec, deps);
  } catch (error) {
    deps.telemetry.warn('launch template not looked at again', { job: spec.identity.uid, error: String(error) });
  }
}

/**
 * RunTask; but rights are looked at before tokens, so that a launch which is repeated may be refused although its task runs:
 * then that is looked for first.
 */
async function runOrFind(
  spec: StoredSpec,
  templates: readonly LaunchTemplate[],
  { id, traits, template: no, doubtedSince }: LaunchRun,
  deps: Deps,
) {
  const template = templates[no];
  invariant(template !== undefined, 'a launch is made from a template of its Job');
  const answer = await run(spec, template, id, traits, deps);
  const isDoubtful = answer.kind === 'refused' && answer.misconfigured === true && doubtedSince !== null;
  if (!isDoubtful) return answer;
  const found = await findTask(spec.identity.uid, id, deps);
  if (found.kind === 'found') return { kind: 'launched', taskArn: found.taskArn } as const;
  // ECS may not list a task yet that it has just started.
  const isSure =
    found.kind === 'nowhere' && deps.clock.now() >= plusMs(doubtedSince, deps.settings.timing.missingGraceMs);
  return isSure ? answer : ({ kind: 'unknown', error: answer.reason } as const);
}

/**
 * What a thrown error leaves open is asked again, under the same token. `capacity` and the environment must be the same for the
 * same attempt and nonce: the launch row keeps what they are made from.
 */
async function run(
  { identity, manifest }: StoredSpec,
  template: LaunchTemplate,
  id: AttemptId,
  { onDemand, failures, ignored, restarts = 0 }: LaunchTraits,
  { tasks }: Deps,
) {
  const { completionMode, template: pod } = manifest.spec;
  const overrides = overridesOf(manifest, {
    podName: podName({ ...identity, completionMode }, id.index, id.attempt),
    podUid: podUid(identity.uid, id.index, id.attempt),
    completionIndex: id.index,
    labels: pod.metadata.labels,
    failureCount: failures,
    ignoredFailureCount: ignored,
  });
  try {
    return await tasks.run({
      job: identity,
      id,
      template,
      env: taskEnvironment(manifest, { ...id, restarts }, template.zone),
      overrides,
      capacity: onDemand ? 'onDemand' : capacityOf(manifest),
    });
  } catch (error) {
    return { kind: 'unknown', error: String(error) } as const;
  }
}

/**
 * Launches whose token may be dead: their task is looked for; one that is nowhere was lost. One that was refused may have
 * a task all the same; if it has none, it is what it was.
 */
async function findAll(uid: JobUid, { find, doubted }: Pick<SlotWork, 'find' | 'doubted'>, deps: Deps): Promise<Run> {
  const facts: Fact[] = [];
  const outcomes: SlotOutcome[] = [];
  const later: AttemptId[] = [];
  const refusedAt = new Map(doubted.map((each) => [each.id, each.refusedAt]));
  for (const id of [...find, ...refusedAt.keys()]) {
    const found = await findTask(uid, id, deps);
    const at = deps.clock.now();
    if (found.kind === 'later') {
      later.push(id);
      continue;
    }
    if (found.kind === 'found') {
      facts.push({ ...id, kind: 'launched', taskArn: found.taskArn, at });
      outcomes.push({ id, kind: 'launched', taskArn: found.taskArn });
      continue;
    }
    const since = refusedAt.get(id);
    // ECS may not list a task yet that it has just started.
    if (since !== undefined && at < plusMs(since, deps.settings.timing.missingGraceMs)) later.push(id);
    else if (since !== undefined) facts.push({ ...id, kind: 'cancelled', at });
    else {
      facts.push({ ...id, kind: 'stopped', taskArn: null, ending: LOST, times: NO_TIMES, at });
      outcomes.push({ id, kind: 'closed' });
    }
  }
  return { facts, outcomes, later };
}

async function stopAll(
  stops: SlotWork['stop'],
  why: string,
  deps: Deps,
): Promise<{ readonly later: readonly AttemptId[] }> {
  if (stops.length === 0) return { later: [] };
  const later: AttemptId[] = [];
  const left = await callAtPace(stops, stopPace(deps), deps, async ({ id, taskArn }) => {
    const answer = await deps.tasks.stop(taskArn, why);
    if (answer.kind === 'asked') return deps.telemetry.count('TasksStopped', 1);
    later.push(id);
    return slowDown(stopPace(deps), deps);
  });
  return { later: [...later, ...left.map(({ id }) => id)] };
}

const stopPace = ({ settings }: Deps) => ({ name: 'stop', ratePerSec: settings.stopsPerSec }) as const;

/** Put off for longer each time; then it is left to whoever meets the task next, or the hourly sweep. */
const STRANGER_TURNS_MAX = 12;

async function stopStranger(message: Extract<DispatchMessage, { kind: 'stopTask' }>, deps: Deps): Promise<void> {
  let asked = false;
  await callAtPace([message.taskArn], stopPace(deps), deps, async (taskArn) => {
    const why = message.podDeleted === true ? POD_DELETED : 'Muster: not a current attempt';
    const answer = await deps.tasks.stop(taskArn, why);
    asked = answer.kind === 'asked';
    if (!asked) await slowDown(stopPace(deps), deps);
  });
  if (asked) return deps.telemetry.count('GhostsStopped', 1);
  const turn = (message.turn ?? 0) + 1;
  if (turn > STRANGER_TURNS_MAX) return;
  await deps.queues.dispatch([{ ...message, turn }], Math.min(DELAY_MAX_SEC, 2 ** (turn - 1)));
}

/** There is no template, for now or for good: nothing runs, and nothing will under these nonces. */
function closeAll(ids: readonly AttemptId[], answer: Refused | Fatal, spec: StoredSpec, deps: Deps): Run {
  const { kind, reason } = answer;
  const at = deps.clock.now();
  if (kind === 'refused') tellOperator(spec, reason, ids.length, deps);
  return {
    facts: ids.map((id) => (kind === 'fatal' ? { ...id, kind: 'rejected', reason, at } : refusedFact(id, reason, at))),
    outcomes: ids.map((id) => ({ id, kind: 'closed' })),
    later: [],
  };
}

const refusedFact = (id: AttemptId, reason: string, at: EpochMs): Fact => ({
  ...id,
  kind: 'refused',
  reason,
  retryAt: plusMs(at, refusedRetryMs(id.nonce)),
  at,
});

/** Its Job waits and says why; whoever runs the installation has to mend it, and has an alarm on the count. */
function tellOperator({ identity }: StoredSpec, reason: string, launches: number, { telemetry }: Deps): void {
  telemetry.count('LaunchesMisconfigured', launches);
  telemetry.warn('launch refused: the installation is at fault', { job: identity.uid, reason });
}
