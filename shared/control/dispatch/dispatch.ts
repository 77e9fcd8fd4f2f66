import { plusMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { LOST, NO_TIMES, POD_DELETED, factOf } from '../../domain/planner/ending.ts';
import type { AttemptId, Fact } from '../../domain/base/fact.ts';
import { invariant, unreachable } from '../../domain/base/invariant.ts';
import type { ItemValues } from '../../domain/base/late-text.ts';
import { attemptValues } from '../../domain/task/attempt-values.ts';
import { overridesOf } from '../../domain/task/launch-overrides.ts';
import {
  type LaunchRow,
  type Run as LaunchRun,
  type SlotOrders,
  type SlotOutcome,
  type SlotWork,
  launchRowOf,
  recordOutcomes,
  workOn,
} from '../../domain/scoreboard/launch-row.ts';
import { jobItemsOf } from '../../domain/items/job-items.ts';
import { imageOfItem, sizeOfItem } from '../../domain/task/item-template.ts';
import { capacityOf } from '../../domain/task/pod-template.ts';
import { taskEnvironment } from '../../domain/task/task-environment.ts';
import { type LaunchTemplate, templateOf } from '../../domain/task/task.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { DispatchMessage, LookFrom } from '../../ports/queues.ts';
import type { Fatal, Later, Refused } from '../../ports/tasks.ts';
import type { Deps } from '../process/deps.ts';
import { closeHosts } from '../hostnames/hosts-closing.ts';
import { syncHosts } from '../hostnames/hosts.ts';
import { findLaunches } from './find-launches.ts';
import { inspect } from './inspect.ts';
import {
  type Answer,
  type Unclear,
  answerTo,
  answersIn,
  doubtsOf,
  factsOf,
  inDoubt,
  known,
  later,
  laterOf,
  outcomesOf,
  refusedFact,
} from './launch-answer.ts';
import { sortByName } from './launch-names.ts';
import { callAtPace, slowDown } from '../process/call-at-pace.ts';
import { sweepTasks } from '../sweep/sweep.ts';
import { retireDefinitions, sweepDefinitions } from '../sweep/sweep-definitions.ts';
import { newestTemplate, renewTemplate, templatesOf } from './template.ts';
import { readItemValues } from '../../store/read-items.ts';
import { retryOnConflict } from '../../store/retry-on-conflict.ts';

type Pack = Extract<DispatchMessage, { kind: 'pack' }>;

/** Whatever is still open is sent again after this delay: soon enough for the rights that are granted next. */
const LATER_DELAY_SEC = 1;
const LATER_DELAY_MAX_SEC = 5;
/** SQS delays no message longer than this. */
const DELAY_MAX_SEC = 900;
const TRIES_MAX = 6;

/**
 * Carries out one dispatch message and sends the answers back as one fact message. Throws if the outcome of a call is unknown:
 * the message then comes again and repeats the call under the same token.
 */
export async function dispatch(message: DispatchMessage, deps: Deps): Promise<void> {
  switch (message.kind) {
    case 'pack':
      return dispatchPack(message, deps);
    case 'stopTask':
      return stopOrphan(message, deps);
    case 'inspect':
      return inspect(message, deps);
    case 'hosts':
      return syncHosts(message, deps);
    case 'closeHosts':
      return closeHosts(message.uid, deps);
    case 'sweepTasks':
      return sweepTasks(message, deps);
    case 'sweepDefinitions':
      return sweepDefinitions(message, deps);
    case 'retireDefinitions':
      return retireDefinitions(message, deps);
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
  const template = names.launch.length === 0 ? 0 : await newestTemplate(spec, deps);
  const orders = { launch: names.launch, withdraw: names.withdraw, stop: pack.stop, traits: pack.traits, template };
  const work = await claimSlots(uid, launchRowOf(first.index), orders, deps);
  const stored = answersIn(work, deps.clock.now());
  const ran = await runAll(spec, work.run, pack.ahead ?? 0, deps);
  const found = await resolveDoubts(spec, doubtsOf([...ran, ...stored]), pack.lookFrom ?? null, deps);
  const answers = [...stored, ...ran, ...found.answers];
  const [facts, outcomes] = [factsOf(answers), outcomesOf(answers)];
  const row = outcomes.length > 0 ? await storeOutcomes(uid, work.row, outcomes, deps) : work.row;
  if (facts.length > 0) await deps.queues.facts([{ uid, facts: facts.map((fact) => asRowSays(fact, row)) }], 0);

  const why = pack.podDeleted === true ? POD_DELETED : 'Muster: no longer wanted';
  const stopped = await stopAll(work.stop, why, deps);
  const isToLaunch = (id: AttemptId): boolean => pack.launch.some((asked) => asked.index === id.index);
  const launchLater = [...laterOf(answers), ...names.later].filter(isToLaunch);
  const rest = { ...pack, lookFrom: undefined };
  if (launchLater.length + stopped.later.length > 0)
    await putOff({ ...rest, launch: launchLater, stop: stopped.later }, deps);
  if (found.lookFrom === null) return;
  const [launch, stop] = [found.left.filter(isToLaunch), found.left.filter((id) => !isToLaunch(id))];
  const putOffAt = isSamePlace(found.lookFrom, pack.lookFrom) ? pack.putOffAt : undefined;
  await putOff({ ...rest, launch, stop, lookFrom: found.lookFrom, putOffAt }, deps);
}

/** A search that makes progress is not deferred. */
const isSamePlace = (a: LookFrom, b: LookFrom | undefined): boolean => a.family === b?.family && a.after === b.after;

/**
 * Sends a pack again, with growing delays, but not forever: the board itself sends unanswered claims again, so each further
 * pack would only duplicate that.
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

/**
 * The slots are ours to launch once the row says so. If another dispatcher was faster, its row is read and the decision is made
 * again.
 */
async function claimSlots(
  uid: JobUid,
  no: number,
  orders: SlotOrders,
  { jobs, clock, settings }: Deps,
): Promise<SlotWork> {
  let row = await jobs.readLaunches(uid, no);
  return retryOnConflict(`launch row ${no} of Job ${uid}`, TRIES_MAX, async () => {
    const now = clock.now();
    const work = workOn(row, orders, now);
    if (!work.changed) return work;
    const written = await jobs.writeLaunches(uid, work.row, plusMs(now, settings.historyMs));
    if (written.kind === 'written') return { ...work, row: written.row };
    row = written.row;
    return 'conflict';
  });
}

/**
 * A task that was not found, or that ECS refused, but that the row names by now, was found or started by another dispatcher in
 * the meantime.
 */
function asRowSays(fact: Fact, { slots }: LaunchRow): Fact {
  const isNo = fact.kind === 'refused' || (fact.kind === 'stopped' && fact.taskArn === null);
  if (!isNo) return fact;
  const { index, attempt, nonce, at } = fact;
  const slot = slots.find((each) => each.index === index && each.attempt === attempt && each.nonce === nonce);
  return slot?.state === 'launched' ? { index, attempt, nonce, kind: 'launched', taskArn: slot.taskArn, at } : fact;
}

/** Records which task each launch became, so that it can be stopped and looked up. Returns the row after that. */
async function storeOutcomes(
  uid: JobUid,
  known: LaunchRow,
  outcomes: readonly SlotOutcome[],
  { jobs, clock, settings }: Deps,
): Promise<LaunchRow> {
  let row = known;
  return retryOnConflict(`launch row ${known.row} of Job ${uid}`, TRIES_MAX, async () => {
    const now = clock.now();
    const written = await jobs.writeLaunches(uid, recordOutcomes(row, outcomes, now), plusMs(now, settings.historyMs));
    if (written.kind === 'written') return written.row;
    row = written.row;
    return 'conflict';
  });
}

/**
 * One RunTask per attempt, each when the rate allows. ECS checks rights and networks before it checks tokens, so where it may
 * have been called before, such a refusal leaves open whether there is a task. A template is made only where a slot says
 * launching: such a Job cannot be deleted, so the row cannot outlive it.
 */
async function runAll(spec: StoredSpec, ids: SlotWork['run'], ahead: number, deps: Deps): Promise<readonly Answer[]> {
  if (ids.length === 0) return [];
  const templates = await templatesOf(spec, Math.max(...ids.map(({ template }) => template)), deps);
  if ('kind' in templates) return withoutTemplates(ids, templates, spec, deps);
  const items = await readItemValues(
    spec.manifest,
    ids.map(({ id }) => id.index),
    { items: deps.items, itemCache: deps.cache.items },
  );
  const answers: Answer[] = [];
  const { namespace } = spec.identity;
  const pace = { name: 'launch', ratePerSec: deps.settings.launchesPerSec, namespace, ahead } as const;
  let isMisconfigured = false;
  const left = await callAtPace(ids, pace, deps, async (each) => {
    const item = items.get(each.id.index) ?? null;
    invariant(item !== null || jobItemsOf(spec.manifest) === null, `Job ${spec.identity.uid} has its items`);
    const answered = await run(spec, { templates, item }, each, deps);
    const answer = answerTo(each, answered, deps.clock.now());
    answers.push(answer);
    const isOurs = answered.kind === 'refused' && answered.misconfigured === true && answer.kind === 'known';
    isMisconfigured ||= isOurs;
    if (isOurs && answered.deregistered !== true) warnOperator(spec, answered.reason, 1, deps);
    report(spec, each.id, answered, deps);
    if (answered.kind === 'later') await slowDown(pace, deps);
  });
  if (isMisconfigured) await renewed(spec, deps);
  return [...answers, ...left.map(({ id }) => later(id))];
}

/** Nothing can be launched now. Another dispatcher may have made the template meanwhile, and launched from it. */
function withoutTemplates(
  ids: SlotWork['run'],
  templates: Refused | Fatal | Later,
  spec: StoredSpec,
  deps: Deps,
): readonly Answer[] {
  if (templates.kind === 'later') return ids.map(({ id }) => later(id));
  const doubts: Answer[] = [];
  const fresh: AttemptId[] = [];
  for (const { id, doubtedSince: since } of ids)
    if (since === null || templates.kind === 'fatal') fresh.push(id);
    else doubts.push(inDoubt({ id, since, otherwise: templates }));
  return [...doubts, ...closeAll(fresh, templates, spec, deps)];
}

type Ran = Awaited<ReturnType<typeof run>>;

/** Counts what RunTask answered, and logs that it did not. */
function report(spec: StoredSpec, id: AttemptId, answered: Ran, { telemetry }: Deps): void {
  if (answered.kind === 'launched') telemetry.count('TasksLaunched', 1);
  if (answered.kind === 'later') telemetry.count('LaunchesThrottled', 1);
  if (answered.kind === 'unknown')
    telemetry.warn('launch has no answer', { job: spec.identity.uid, ...id, error: answered.error });
}

/** The stack may have changed since the template was made. If this fails, the next refusal tries it again. */
async function renewed(spec: StoredSpec, deps: Deps): Promise<void> {
  try {
    await renewTemplate(spec, deps);
  } catch (error) {
    deps.telemetry.warn('launch template not renewed', { job: spec.identity.uid, error: String(error) });
  }
}

/**
 * After a thrown error, the call is repeated under the same token. `capacity` and the environment must be the same for the same
 * attempt and nonce, so the launch row stores what they are built from.
 */
async function run(
  { identity, manifest }: StoredSpec,
  { templates, item }: { readonly templates: readonly LaunchTemplate[]; readonly item: ItemValues | null },
  { id, traits, template: no }: LaunchRun,
  { tasks }: Deps,
) {
  const stored = templates[no];
  invariant(stored !== undefined, 'a launch is made from a template of its Job');
  const template = templateOf(stored, imageOfItem(manifest, item));
  const { onDemand, failures, ignored, restarts = 0 } = traits;
  const values = attemptValues({ identity, manifest }, id, { failures, ignored }, item);
  const size = sizeOfItem(manifest, item);
  try {
    return await tasks.run({
      job: identity,
      id,
      template,
      env: taskEnvironment(manifest, { ...id, restarts }, template.zone),
      overrides: overridesOf(manifest, values),
      ...(size === null ? {} : { size }),
      capacity: onDemand ? 'onDemand' : capacityOf(manifest),
    });
  } catch (error) {
    return { kind: 'unknown', error: String(error) } as const;
  }
}

/**
 * Searches for launches that may have become tasks. An end that ECS still remembers becomes a fact at once, because ECS forgets
 * it within the hour.
 */
async function resolveDoubts(spec: StoredSpec, doubts: readonly Unclear[], lookFrom: LookFrom | null, deps: Deps) {
  const looked = await findLaunches(spec.identity.uid, doubts, lookFrom, deps);
  const at = deps.clock.now();
  const answers: Answer[] = [];
  let isMisconfigured = false;
  for (const { id, view } of looked.found) {
    const fact = factOf(view);
    const { arn: taskArn, times } = view;
    answers.push(
      known(fact?.kind === 'stopped' ? fact : { ...id, kind: 'launched', taskArn, at }, {
        id,
        kind: 'launched',
        taskArn,
        createdAt: times.createdAt,
      }),
    );
  }
  for (const { id, otherwise } of looked.nowhere) {
    if (otherwise === 'cancelled') answers.push(known({ ...id, kind: 'cancelled', at }));
    else if (otherwise === 'lost') {
      const fact = { ...id, kind: 'stopped', taskArn: null, ending: LOST, times: NO_TIMES, at } as const;
      answers.push(known(fact, { id, kind: 'closed' }));
    } else {
      if (otherwise.deregistered !== true) warnOperator(spec, otherwise.reason, 1, deps);
      isMisconfigured = true;
      answers.push(known(refusedFact(id, otherwise.reason, at), { id, kind: 'refused' }));
    }
  }
  if (isMisconfigured) await renewed(spec, deps);
  answers.push(...looked.early.map(({ id }) => later(id)));
  return { answers, left: looked.left.map(({ id }) => id), lookFrom: looked.from };
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

/** Deferred for longer each time; then the next pass that sees the task stops it, or the hourly sweep. */
const ORPHAN_TURNS_MAX = 12;

async function stopOrphan(message: Extract<DispatchMessage, { kind: 'stopTask' }>, deps: Deps): Promise<void> {
  let asked = false;
  await callAtPace([message.taskArn], stopPace(deps), deps, async (taskArn) => {
    const why = message.podDeleted === true ? POD_DELETED : 'Muster: not a current attempt';
    const answer = await deps.tasks.stop(taskArn, why);
    asked = answer.kind === 'asked';
    if (!asked) await slowDown(stopPace(deps), deps);
  });
  if (asked) return deps.telemetry.count('GhostsStopped', 1);
  const turn = (message.turn ?? 0) + 1;
  if (turn > ORPHAN_TURNS_MAX) return;
  await deps.queues.dispatch([{ ...message, turn }], Math.min(DELAY_MAX_SEC, 2 ** (turn - 1)));
}

/** There is no template, now or ever: nothing runs, and nothing will under these nonces. */
function closeAll(
  ids: readonly AttemptId[],
  { kind, reason }: Refused | Fatal,
  spec: StoredSpec,
  deps: Deps,
): readonly Answer[] {
  const at = deps.clock.now();
  if (kind === 'refused') warnOperator(spec, reason, ids.length, deps);
  return ids.map((id) =>
    known(kind === 'fatal' ? { ...id, kind: 'rejected', reason, at } : refusedFact(id, reason, at), {
      id,
      kind: 'closed',
    }),
  );
}

/** The Job waits and says why. The operator of the installation has to fix it, and has an alarm on the count. */
function warnOperator({ identity }: StoredSpec, reason: string, launches: number, { telemetry }: Deps): void {
  telemetry.count('LaunchesMisconfigured', launches);
  telemetry.warn('launch refused: the installation is at fault', { job: identity.uid, reason });
}
