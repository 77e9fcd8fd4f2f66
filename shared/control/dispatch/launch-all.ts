import type { AttemptId } from '../../domain/base/fact.ts';
import { invariant } from '../../domain/base/invariant.ts';
import type { ItemValues } from '../../domain/base/late-text.ts';
import { jobItemsOf } from '../../domain/items/job-items.ts';
import type { LaunchRow, Run, SlotOrders, SlotWork } from '../../domain/scoreboard/launch-row.ts';
import { attemptValues } from '../../domain/task/attempt-values.ts';
import { forItem, imageOfItem, sizeOfItem } from '../../domain/task/item-template.ts';
import { sourcesOfTexts } from '../../domain/task/launch-sources.ts';
import { overridesOf } from '../../domain/task/launch-overrides.ts';
import { capacityOf, requestsOf } from '../../domain/task/pod-template.ts';
import { taskEnvironment } from '../../domain/task/task-environment.ts';
import { type LaunchTemplate, templateOf } from '../../domain/task/task.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Fatal, Later, Refused } from '../../ports/tasks.ts';
import { readItemValues } from '../../store/read-items.ts';
import { callPrepared, slowDown } from '../process/call-at-pace.ts';
import type { Deps } from '../process/deps.ts';
import {
  type Answer,
  answerTo,
  answersIn,
  inDoubt,
  known,
  later,
  notCalled,
  outcomesOf,
  refusedFact,
  uncalled,
} from './launch-answer.ts';
import { claimSlots, storeOutcomes } from './launch-slots.ts';
import { renewTemplate, templatesOf } from './template.ts';

/** What the slots of a pack are claimed with; `ahead`: how many earlier claims its Job has. */
export type Claims = Pick<SlotOrders, 'traits' | 'template'> & { readonly ahead: number };

export type Launched = {
  readonly answers: readonly Answer[];
  /** As the last claim has left it. */
  readonly row: LaunchRow;
  /** Something was thrown meanwhile: what has no answer is asked for again. */
  readonly failed: { readonly error: unknown } | null;
};

/** One call, and what it is made of. */
type Launch = {
  readonly run: Run;
  readonly templates: readonly LaunchTemplate[];
  readonly item: ItemValues | null;
};

/**
 * One RunTask per attempt of `work`, each when the rate allows. An attempt that waits for its right has no slot until right
 * before, so that a stop can still cancel it. ECS checks rights and networks before it checks tokens, so where it may have been
 * called before, such a refusal leaves open whether there is a task.
 */
export async function launchAll(spec: StoredSpec, work: SlotWork, claims: Claims, deps: Deps): Promise<Launched> {
  const { uid, namespace } = spec.identity;
  const ids = [...work.run.map(({ id }) => id), ...work.awaited];
  const answers: Answer[] = [];
  /** Slots that are ours, by the ids of the pack. */
  const runs = new Map<AttemptId, Run>(work.run.map((run) => [run.id, run]));
  let { row } = work;
  let isMisconfigured = false;

  const claim = async (unclaimed: readonly AttemptId[]): Promise<void> => {
    if (unclaimed.length === 0) return;
    const claimed = await claimSlots(uid, row, { ...claims, launch: unclaimed, stop: [] }, deps);
    row = claimed.row;
    for (const run of claimed.run) runs.set(run.id, run);
    answers.push(...answersIn(claimed, deps.clock.now()));
  };
  let claiming = Promise.resolve();
  const prepare = async (some: readonly AttemptId[]): Promise<ReadonlyMap<AttemptId, Launch>> => {
    claiming = claiming.then(() => claim(some.filter((id) => !runs.has(id)))); // one row, one claim after the other
    await claiming;
    const due = some.flatMap((id) => runs.get(id) ?? []);
    if (due.length === 0) return new Map();
    const templates = await templatesOf(spec, Math.max(...due.map(({ template }) => template)), deps);
    if ('kind' in templates) {
      answers.push(...withoutTemplates(due, templates, spec, deps));
      return new Map();
    }
    const items = await itemsOf(spec, due, deps);
    return new Map(due.map((run, i) => [run.id, { run, templates, item: items[i] ?? null }]));
  };
  /** The next moment may be seconds away: until then, they may be cancelled again. */
  const undo = async (missed: readonly AttemptId[]): Promise<void> => {
    const outcomes = outcomesOf(missed.flatMap((id) => runs.get(id) ?? []).map(notCalled));
    if (outcomes.length === 0) return;
    row = await storeOutcomes(uid, row, outcomes, deps);
    for (const { id } of outcomes) runs.delete(id);
  };
  const pace = { name: 'launch', ratePerSec: deps.settings.launchesPerSec, namespace, ahead: claims.ahead } as const;
  const called = new Set<AttemptId>();
  const call = async (launch: Launch): Promise<void> => {
    const { run } = launch;
    called.add(run.id);
    const answered = await runTask(spec, launch, deps);
    const answer = answerTo(run, answered, deps.clock.now());
    answers.push(answer);
    const isOurs = answered.kind === 'refused' && answered.misconfigured === true && answer.kind === 'known';
    isMisconfigured ||= isOurs;
    if (isOurs && answered.deregistered !== true) warnOperator(spec, answered.reason, 1, deps);
    report(spec, run.id, answered, deps);
    if (answered.kind === 'later') await slowDown(pace, deps);
  };

  /** False: there is none, and every attempt has its answer. */
  const hasTemplate = async (): Promise<boolean> => {
    if ((deps.cache.templates.get(uid) ?? []).length > 0) return true;
    // A Job with a slot that says launching cannot be deleted, so its template cannot outlive it.
    if (runs.size === 0) await claim(ids.slice(0, Math.max(1, Math.floor(pace.ratePerSec ?? 1))));
    if (runs.size === 0) return true; // prepare makes it
    const templates = await templatesOf(spec, 0, deps);
    if (!('kind' in templates)) return true;
    const unclaimed = ids.filter((id) => !runs.has(id));
    if (templates.kind === 'later') answers.push(...unclaimed.map(later));
    else await claim(unclaimed);
    answers.push(...withoutTemplates([...runs.values()], templates, spec, deps));
    return false;
  };

  let failed: Launched['failed'] = null;
  try {
    if (ids.length > 0 && (await hasTemplate()))
      for (const id of await callPrepared(ids, pace, deps, { prepare, call, undo })) {
        const run = runs.get(id);
        answers.push(run === undefined ? later(id) : notCalled(run));
      }
  } catch (error) {
    failed = { error };
    // A stop that comes before the message does again need not take it for launched.
    answers.push(...[...runs.values()].filter(({ id }) => !called.has(id)).map(notCalled));
  }
  if (isMisconfigured) await renewed(spec, deps);
  return { answers, row, failed };
}

/** The items of these launches; null: their Job has none. */
async function itemsOf(
  { identity, manifest }: StoredSpec,
  runs: readonly Run[],
  { items, cache }: Deps,
): Promise<readonly (ItemValues | null)[]> {
  const indexes = runs.map(({ id }) => id.index);
  const read = await readItemValues(manifest, indexes, { items, itemCache: cache.items });
  return indexes.map((index) => {
    const item = read.get(index) ?? null;
    invariant(item !== null || jobItemsOf(manifest) === null, `Job ${identity.uid} has its items`);
    return item;
  });
}

/** Nothing can be launched now. Another dispatcher may have made the template meanwhile, and launched from it. */
function withoutTemplates(
  ids: SlotWork['run'],
  templates: Refused | Fatal | Later,
  spec: StoredSpec,
  deps: Deps,
): readonly Answer[] {
  if (templates.kind === 'later') return ids.map(notCalled);
  const doubts: Answer[] = [];
  const fresh: AttemptId[] = [];
  for (const run of ids) {
    const { id, doubtedSince: since } = run;
    if (since === null || templates.kind === 'fatal') fresh.push(id);
    else doubts.push(inDoubt({ id, since, otherwise: templates }, uncalled(run)));
  }
  return [...doubts, ...closeAll(fresh, templates, spec, deps)];
}

type Ran = Awaited<ReturnType<typeof runTask>>;

/** Counts what RunTask answered, and logs that it did not. */
function report(spec: StoredSpec, id: AttemptId, answered: Ran, { telemetry }: Deps): void {
  if (answered.kind === 'launched') telemetry.count('TasksLaunched', 1);
  if (answered.kind === 'later') telemetry.count('LaunchesThrottled', 1);
  if (answered.kind === 'unknown')
    telemetry.warn('launch has no answer', { job: spec.identity.uid, ...id, error: answered.error });
}

/** The stack may have changed since the template was made. If this fails, the next refusal tries it again. */
export async function renewed(spec: StoredSpec, deps: Deps): Promise<void> {
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
async function runTask(
  { identity, manifest }: StoredSpec,
  { run: { id, traits, template: no }, templates, item }: Launch,
  { tasks }: Deps,
) {
  const stored = templates[no];
  invariant(stored !== undefined, 'a launch is made from a template of its Job');
  const template = templateOf(stored, imageOfItem(manifest, item));
  const { onDemand, failures, ignored, restarts = 0 } = traits;
  const values = attemptValues({ identity, manifest }, id, { failures, ignored }, item, template.completions ?? null);
  const size = sizeOfItem(manifest, item);
  try {
    return await tasks.run({
      job: identity,
      id,
      template,
      env: taskEnvironment(manifest, { ...id, restarts }, template.zone),
      overrides: overridesOf(manifest, values, sourcesOfTexts(template.texts ?? [])),
      ...(size === null ? {} : { size }),
      requests: requestsOf(forItem(manifest, item)),
      capacity: onDemand ? 'onDemand' : capacityOf(manifest),
    });
  } catch (error) {
    return { kind: 'unknown', error: String(error) } as const;
  }
}

/** There is no template, now or ever: nothing runs, and nothing will under these nonces. */
function closeAll(ids: readonly AttemptId[], why: Refused | Fatal, spec: StoredSpec, deps: Deps): readonly Answer[] {
  const { kind, reason } = why;
  const at = deps.clock.now();
  if (why.kind === 'refused' && why.misconfigured === true) warnOperator(spec, reason, ids.length, deps);
  return ids.map((id) =>
    known(kind === 'fatal' ? { ...id, kind: 'rejected', reason, at } : refusedFact(id, reason, at), {
      id,
      kind: 'closed',
    }),
  );
}

/** The Job waits and says why. The operator of the installation has to fix it, and has an alarm on the count. */
export function warnOperator({ identity }: StoredSpec, reason: string, launches: number, { telemetry }: Deps): void {
  telemetry.count('LaunchesMisconfigured', launches);
  telemetry.warn('launch refused: the installation is at fault', { job: identity.uid, reason });
}
