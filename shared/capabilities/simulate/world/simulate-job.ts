import { JOB_FORMS } from '../../lists/job-forms.ts';
import type { JobParts } from '../../../domain/manifests/job-parts.ts';
import { ensureNamespace } from '../../../control/lifecycle/ensure-namespace.ts';
import { createHash } from 'node:crypto';
import { createJob } from '../../../control/lifecycle/job-changes.ts';
import { inheriting } from '../../../control/lifecycle/rerun.ts';
import { ANNOTATIONS } from '../../../domain/manifests/annotations.ts';
import { parseIndexesStrict } from '../../../domain/base/index-set.ts';
import { jobItemsOf } from '../../../domain/items/job-items.ts';
import { type EpochMs, plusMs } from '../../../domain/base/time.ts';
import { type JobUid, asJobUid } from '../../../domain/base/ids.ts';
import type { JobManifest } from '../../../domain/manifests/manifest.ts';
import { isOver } from '../../../domain/scoreboard/status.ts';
import { at } from '../../../kube/list/stored-field.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import { type AdmissionContext, type Admission, admitJob } from '../../../schema/job/job-manifest.ts';
import { invalid } from '../../../schema/object/field-error.ts';
import type { PlainManifest } from '../../../schema/object/plain-admission.ts';
import { annotationPath } from '../../../schema/job/selection-rules.ts';
import { fateOf, scriptErrors } from './fates.ts';
import { type SimulatedCourse, type SimulatedOutcome, launchKey, outcomeOf } from './report.ts';
import type { Script, ScriptError } from './script.ts';
import {
  type SimulatedList,
  type SimulatedLists,
  findSimulatedList,
  itemsByIndex,
  storeSimulatedList,
} from './simulated-list.ts';
import { tasksMax } from './tasks-max.ts';
import { Timeline } from './timeline.ts';
import { findSimulatedLimits, limitErrors, scriptErrorOf, storeSimulatedLimits } from './simulated-limits.ts';
import { userAct } from './user-acts.ts';
import { VirtualWorld } from './virtual-world.ts';

export type SimulationOptions = {
  /** The Job's manifest, as it came out of YAML or JSON. */
  readonly document: unknown;
  readonly script: Script;
  /** Another seed, another uid: other Pod names, the same course of events. */
  readonly seed: number;
  /** When the Job is created. */
  readonly start: EpochMs;
  /** For a Job with `muster.run/rerun-of`: the indexes that had succeeded in that Job, as text. */
  readonly succeededBefore?: string;
  /** For a Job that names its list; none if left out. */
  readonly lists?: SimulatedLists;
  /** ResourceQuotas and LimitRanges of its namespace, in which nothing else runs; none if left out. */
  readonly limits?: readonly unknown[];
  /** Hears after each commit how many indexes (or Pods) are done. */
  readonly progress?: (done: number, total: number | null) => void;
  /** What has not ended by then is not waited for; {@link HORIZON_MS} if left out. */
  readonly horizonMs?: number;
};

export type Simulation = SimulatedOutcome & {
  readonly manifest: JobManifest;
  readonly warnings: readonly string[];
  /** The API has refused a patch of the script's. */
  readonly patchRefused: boolean;
};

/** A month: longer than a Job should run, and soon simulated. */
const HORIZON_MS = 30 * 86_400_000;

/** Simulates a Job in virtual time; the same wish gives the same simulation. `refused`: the Job or the script is wrong. */
export async function simulateJob(
  wanted: SimulationOptions,
): Promise<
  | { readonly kind: 'simulated'; readonly simulation: Simulation }
  | { readonly kind: 'refused'; readonly what: 'Job' | 'script'; readonly errors: readonly ScriptError[] }
> {
  const { script, start } = wanted;
  const uid = uidOf(wanted.seed);
  const namespace = namespaceOf(wanted.document) ?? 'default';
  const found = findSimulatedList(annotationsIn(wanted.document), { ...(wanted.lists ?? NO_LISTS), namespace }, sha256);
  if (found.kind === 'refused') return { kind: 'refused', what: 'Job', errors: found.errors.map(scriptErrorOf) };
  const { list } = found;
  const named = list?.named ?? null;
  const context = { list: named, namespace, uid, nameSuffix: uid.slice(0, 5), fieldValidation: 'Strict' } as const;
  const admission = admit(wanted.document, context, start);
  if (admission.kind === 'undecodable')
    return { kind: 'refused', what: 'Job', errors: [{ path: '', message: admission.message }] };
  if (admission.kind === 'invalid')
    return { kind: 'refused', what: 'Job', errors: admission.errors.map(scriptErrorOf) };
  const { manifest, warnings } = admission;
  const itemsOf = itemsByIndex(manifest, list);
  const errors = scriptErrors(script, manifest.spec.template.spec, itemsOf !== null);
  if (errors.length > 0) return { kind: 'refused', what: 'script', errors };
  const { name } = manifest.metadata;
  const admitted = { identity: { uid, namespace, name, createdAt: start }, revision: 1, generation: 1, manifest };
  const rerun = withSuccesses(admitted, wanted.succeededBefore);
  if (rerun.kind === 'invalid') return { kind: 'refused', what: 'Job', errors: rerun.errors.map(scriptErrorOf) };
  const { spec } = rerun;
  const beside = findSimulatedLimits(wanted.limits ?? [], namespace);
  const unfit = beside.kind === 'refused' ? beside.errors : await limitErrors(spec, beside.limits, openFor(spec, list));
  if (beside.kind === 'refused' || unfit.length > 0) return { kind: 'refused', what: 'Job', errors: unfit };
  return {
    kind: 'simulated',
    simulation: {
      manifest,
      warnings,
      ...(await play(
        { spec, list, limits: beside.limits, itemsOf, progress: wanted.progress },
        script,
        plusMs(start, wanted.horizonMs ?? HORIZON_MS),
      )),
    },
  };
}

/** A Job of another form is simulated as the Job that runs it. In a simulation there is nothing that it might name. */
function admit(document: unknown, context: AdmissionContext, now: EpochMs): Admission & JobParts {
  const form = JOB_FORMS.find(({ apiVersion }) => apiVersion === at(document, 'apiVersion'));
  return form === undefined ? admitJob(document, context) : form.admit(document, { ...context, now });
}

const NO_LISTS: SimulatedLists = { documents: [], items: null };

/** In a simulation there is no other Job: the caller says what has become of it. */
function withSuccesses(spec: StoredSpec, succeeded: string | undefined): ReturnType<typeof inheriting> {
  const other = spec.manifest.metadata.annotations?.[ANNOTATIONS.rerunOf];
  const unfit = (why: string) => ({
    kind: 'invalid' as const,
    errors: [invalid(annotationPath(ANNOTATIONS.rerunOf), other ?? null, why)],
  });
  if (other === undefined)
    return succeeded === undefined ? { kind: 'ok', spec } : unfit('is needed where indexes have succeeded before');
  if (succeeded === undefined)
    return unfit('that Job is not simulated: say with --succeeded which indexes succeeded there');
  const { completions = 0 } = spec.manifest.spec;
  const read = parseIndexesStrict(succeeded, completions);
  return read.kind === 'ok'
    ? inheriting(spec, { completions, succeeded: read.set, items: jobItemsOf(spec.manifest) })
    : unfit(`--succeeded ${JSON.stringify(succeeded)}: ${read.reason}`);
}

type Played = {
  readonly spec: StoredSpec;
  readonly list: SimulatedList | null;
  readonly limits: readonly PlainManifest[];
  readonly itemsOf: ReturnType<typeof itemsByIndex>;
  readonly progress: SimulationOptions['progress'];
};

async function play(
  { spec, list, limits, itemsOf, progress }: Played,
  script: Script,
  horizon: EpochMs,
): Promise<Omit<Simulation, 'manifest' | 'warnings'>> {
  const { createdAt: start, namespace } = spec.identity;
  const timeline = new Timeline(start);
  const tries = new Map<number, number>();
  const tryOf = new Map<string, number>();
  const course: { overAt: SimulatedCourse['overAt']; finished: SimulatedCourse['finished'] } = {
    overAt: null,
    finished: null,
  };
  const world = new VirtualWorld({
    start,
    launchesPerSec: script.limits.launchesPerSec,
    fate: ({ id }) => {
      const attempt = tries.get(id.index) ?? 0;
      tries.set(id.index, attempt + 1);
      tryOf.set(launchKey(id), attempt);
      const tried = { index: id.index, attempt, items: itemsOf?.(id.index) ?? [] };
      return fateOf(script, tried, spec.manifest.spec.template.spec);
    },
    committed: (view, now) => {
      const shown = timeline.committed(view, now);
      progress?.(shown.succeeded ?? 0, spec.manifest.spec.completions ?? null);
      const { phase } = view.status;
      if (isOver(phase)) course.overAt ??= now;
      if (phase.kind === 'finished') course.finished = { status: shown, verdict: phase.verdict };
    },
  });
  await openFor(spec, list)(world);
  await storeSimulatedLimits(limits, namespace, world);
  const user = scheduleUser(script, spec, world, timeline);
  world.begin(async () => createJob(spec, world.deps));
  const isTooMuch = (): boolean => world.tasks.all.size > tasksMax(spec.manifest.spec, world.status?.size ?? 0);
  const ended = await world.run(() => (user.actsLeft === 0 && isDone(world)) || isTooMuch(), horizon);
  const outcome = outcomeOf(world, { ...course, start, timeline: timeline.entries, tryOf, itemsOf, ended });
  return { ...outcome, patchRefused: user.patchRefused };
}

/** Lets the script's user act at its times. The answer changes while the world runs. */
function scheduleUser(
  { user }: Script,
  { identity }: StoredSpec,
  world: VirtualWorld,
  timeline: Timeline,
): { readonly actsLeft: number; readonly patchRefused: boolean } {
  const course = { actsLeft: user.length, patchRefused: false };
  for (const act of user)
    world.schedule(plusMs(identity.createdAt, act.atMs), () => {
      course.actsLeft--;
      world.begin(async () => {
        const refusal = await userAct(act, identity, world);
        if (refusal === null) return;
        course.patchRefused ||= act.kind === 'patch';
        timeline.addEvent({ type: 'Warning', ...refusal }, world.clock.now());
      });
    });
  return course;
}

/** Makes the namespace of the Job, and the list that it names. */
const openFor =
  ({ identity }: StoredSpec, list: SimulatedList | null) =>
  async ({ store: { objects, items }, clock }: VirtualWorld): Promise<void> => {
    await ensureNamespace(identity.namespace, identity.uid, { objects, clock });
    if (list !== null) await storeSimulatedList(list, identity, items);
  };

const isDone = ({ status }: VirtualWorld): boolean => status !== null && isOver(status.phase);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Looks random, is made from the seed. */
function uidOf(seed: number): JobUid {
  const hex = sha256(`muster simulate ${seed}`);
  return asJobUid(
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
  );
}

function annotationsIn(document: unknown): Readonly<Record<string, unknown>> {
  const annotations = at(document, 'metadata', 'annotations');
  return typeof annotations === 'object' && annotations !== null ? { ...annotations } : {};
}

function namespaceOf(document: unknown): string | null {
  const namespace = at(document, 'metadata', 'namespace');
  return typeof namespace === 'string' && namespace !== '' ? namespace : null;
}
