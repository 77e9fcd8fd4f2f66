import { ORDER_HANDLERS } from '../../capabilities/lists/dispatches.ts';
import { LOST, NO_TIMES, POD_DELETED, factOf } from '../../domain/planner/ending.ts';
import { type AttemptId, type Fact, isSameAttempt } from '../../domain/base/fact.ts';
import { type SlotWork, launchRowOf } from '../../domain/scoreboard/launch-row.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { DispatchMessage, LookFrom } from '../../ports/queues.ts';
import type { Deps } from '../process/deps.ts';
import { findLaunches } from './find-launches.ts';
import { inspect } from './inspect.ts';
import { launchAll, renewed, warnOperator } from './launch-all.ts';
import {
  type Answer,
  type Unclear,
  answersIn,
  doubtsOf,
  factsOf,
  known,
  later,
  laterOf,
  outcomesOf,
  refusedFact,
} from './launch-answer.ts';
import { sortByNeed, sortBySources } from './launch-needs.ts';
import { asRowSays, claimSlots, storeOutcomes } from './launch-slots.ts';
import { callAtPace, slowDown } from '../process/call-at-pace.ts';
import { sweepTasks } from '../sweep/sweep.ts';
import { retireDefinitions, sweepDefinitions } from '../sweep/sweep-definitions.ts';

type Pack = Extract<DispatchMessage, { kind: 'pack' }>;

/** Whatever is still open is sent again after this delay: soon enough for the rights that are granted next. */
const LATER_DELAY_SEC = 1;
const LATER_DELAY_MAX_SEC = 5;
/** SQS delays no message longer than this. */
const DELAY_MAX_SEC = 900;

type Handlers = {
  readonly [K in DispatchMessage['kind']]: (
    message: Extract<DispatchMessage, { kind: K }>,
    deps: Deps,
  ) => Promise<void>;
};
/** Made when it is needed: bundles that dispatch nothing have none of it. */
const handlers = (): Handlers => ({
  pack: dispatchPack,
  stopTask: stopOrphan,
  inspect,
  sweepTasks,
  sweepDefinitions,
  retireDefinitions,
  ...ORDER_HANDLERS,
});

/**
 * Carries out one dispatch message and sends the answers back as one fact message. Throws if the outcome of a call is unknown:
 * the message then comes again and repeats the call under the same token.
 */
export async function dispatch(message: DispatchMessage, deps: Deps): Promise<void> {
  const handle: (message: never, deps: Deps) => Promise<void> = handlers()[message.kind];
  await handle(message as never, deps);
}

async function dispatchPack(pack: Pack, deps: Deps): Promise<void> {
  const { uid } = pack;
  const first = pack.launch[0] ?? pack.stop[0];
  if (first === undefined) return;
  const spec = deps.cache.specs.get(uid) ?? (await deps.jobs.readSpec(uid));
  if (spec === null) return; // the Job's rows have expired long after its last task ended
  deps.cache.specs.set(uid, spec);

  const names = await sortByNeed(spec, pack.launch, deps);
  const { template, ...sorted } = await sortBySources(spec, names.launch, deps);
  const claims = { traits: pack.traits, template, ahead: pack.ahead ?? 0 };
  const isPaced = deps.settings.launchesPerSec !== null;
  const launches = isPaced ? { launch: [], await: sorted.launch } : { launch: sorted.launch };
  const orders = { ...claims, ...launches, withdraw: [...names.withdraw, ...sorted.withdraw], stop: pack.stop };
  const read = await deps.jobs.readLaunches(uid, launchRowOf(first.index));
  const work = await claimSlots(uid, read, orders, deps);
  const stored = answersIn(work, deps.clock.now());
  const { answers: ran, row: claimed, failed } = await launchAll(spec, work, claims, deps);
  const found = await resolveDoubts(spec, doubtsOf([...ran, ...stored]), pack.lookFrom ?? null, deps);
  const answers = [...stored, ...ran, ...found.answers];
  const [facts, outcomes] = [factsOf(answers), outcomesOf(answers)];
  const row = outcomes.length > 0 ? await storeOutcomes(uid, claimed, outcomes, deps) : claimed;
  if (facts.length > 0) await deps.queues.facts([{ uid, facts: facts.map((fact) => asRowSays(fact, row)) }], 0);

  const why = pack.podDeleted === true ? POD_DELETED : 'Muster: no longer wanted';
  const stopped = await stopAll(work.stop, why, deps);
  if (failed !== null) throw failed.error; // the message comes again
  const isToLaunch = (id: AttemptId): boolean => pack.launch.some((asked) => asked.index === id.index);
  const launchLater = [...laterOf(answers), ...names.later, ...sorted.later].filter(isToLaunch);
  const rest = { ...pack, lookFrom: undefined };
  const stopLater = [...stopped.later, ...work.underWay, ...tasksFound(pack.stop, work, facts)];
  if (launchLater.length + stopLater.length > 0) await putOff({ ...rest, launch: launchLater, stop: stopLater }, deps);
  if (found.lookFrom === null) return;
  const [launch, stop] = [found.left.filter(isToLaunch), found.left.filter((id) => !isToLaunch(id))];
  const putOffAt = isSamePlace(found.lookFrom, pack.lookFrom) ? pack.putOffAt : undefined;
  await putOff({ ...rest, launch, stop, lookFrom: found.lookFrom, putOffAt }, deps);
}

/** Attempts to stop whose tasks the row did not know, but those who asked ECS do now. */
const tasksFound = (stop: readonly AttemptId[], { stop: known }: SlotWork, facts: readonly Fact[]) =>
  stop.filter(
    (id) =>
      !known.some((each) => each.id.index === id.index) &&
      facts.some((fact) => fact.kind === 'launched' && isSameAttempt(fact, id)),
  );

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
