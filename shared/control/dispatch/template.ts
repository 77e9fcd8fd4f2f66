import { LAUNCH_NEEDS } from '../../capabilities/lists/dispatches.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { JobManifest } from '../../domain/manifests/manifest.ts';
import { invariant } from '../../domain/base/invariant.ts';
import { OVERRIDES_CHARS_MAX, overridesCharsMax } from '../../domain/task/launch-overrides.ts';
import { taskDefinitionOf } from '../../domain/task/pod-template.ts';
import { takesImages } from '../../domain/items/job-items.ts';
import { withImage } from '../../domain/task/item-template.ts';
import { WAITING } from '../../domain/task/pod-sources.ts';
import { textsForLaunches } from '../../domain/task/launch-sources.ts';
import {
  FILES_CONTAINER,
  type LaunchTemplate,
  type PullSecret,
  type TaskDefinition,
  type TemplateVariant,
  hasFilesContainer,
} from '../../domain/task/task.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Fatal, Later, Refused } from '../../ports/tasks.ts';
import { readItems } from '../../schema/items/job-items-rules.ts';
import { readImages } from '../../store/read-items.ts';
import type { Deps } from '../process/deps.ts';
import { type JobSources, readSources } from './read-sources.ts';

/**
 * Templates being made, by `Deps`, which belongs to one invocation: the packs of a batch share one call. Not by process, where
 * an interrupted invocation would leave its promise to later ones.
 */
const underWay = new WeakMap<Deps, Map<JobUid, ReturnType<typeof makeFirst>>>();

/** Number of the Job's newest launch template, as far as this process knows; 0 for the first, which may not exist yet. */
export async function newestTemplate({ identity: { uid } }: StoredSpec, deps: Deps): Promise<number> {
  const known = deps.cache.templates.get(uid) ?? (await read(uid, deps));
  return Math.max(0, known.length - 1);
}

/**
 * The Job's frozen launch templates, at least up to number `no`. The first is made and stored permanently at the first launch.
 */
export async function templatesOf(
  spec: StoredSpec,
  no: number,
  deps: Deps,
): Promise<readonly LaunchTemplate[] | Later | Refused | Fatal> {
  const { uid } = spec.identity;
  const known = deps.cache.templates.get(uid);
  if (known !== undefined && known.length > no) return known;
  if (known === undefined || no > 0) {
    const stored = await read(uid, deps);
    if (stored.length > no) return stored;
    invariant(no === 0, 'a slot names a template that is stored');
  }
  const asked = underWay.get(deps) ?? new Map<JobUid, ReturnType<typeof makeFirst>>();
  underWay.set(deps, asked);
  const asking = asked.get(uid) ?? makeFirst(spec, deps).finally(() => asked.delete(uid));
  asked.set(uid, asking);
  return asking;
}

/**
 * Prepares the template again after ECS has refused it: by now the stack may have another network, cluster, or role. If it
 * differs, it is stored as the next number, and later launches use it. Launches in progress keep theirs, because a token's
 * request must never change. The number of indexes stays that of the first launch, so all Pods of the Job agree.
 *
 * @returns why it could not be prepared; null: it was
 */
export async function renewTemplate(spec: StoredSpec, deps: Deps): Promise<Later | Refused | Fatal | null> {
  const { uid } = spec.identity;
  const known = deps.cache.templates.get(uid) ?? (await read(uid, deps));
  const last = known.at(-1);
  const completions = last === undefined ? completionsFor(spec.manifest) : last.completions;
  const prepared = await prepare(spec, deps, completions);
  if ('kind' in prepared) return prepared;
  if (JSON.stringify(prepared) === JSON.stringify(last)) return null;
  deps.cache.templates.set(uid, await deps.jobs.addTemplate(uid, known.length, prepared));
  return null;
}

/** All templates of a Job are one row, which holds 400 KB. */
const TEMPLATES_CHARS_MAX = 200_000;

/**
 * Number of the template for launches from now on. What the Job's Pods name may have changed since the newest was made: then it is
 * renewed, so that a Pod sees what is there when it starts, as in a cluster. Launches in progress keep theirs.
 */
export async function templateForLaunch(
  spec: StoredSpec,
  { print }: JobSources,
  deps: Deps,
): Promise<number | Later | Refused | Fatal> {
  const no = await newestTemplate(spec, deps);
  const newest = deps.cache.templates.get(spec.identity.uid)?.at(-1);
  if (newest === undefined || print === null || newest.sources === print) return no;
  const kept = JSON.stringify(deps.cache.templates.get(spec.identity.uid) ?? []).length;
  if (kept > TEMPLATES_CHARS_MAX)
    return {
      kind: 'refused',
      reason: `${WAITING.variable}: what its Pods name has changed ${no} times since its first launch, and no more is kept of it: create the Job anew`,
    };
  return (await renewTemplate(spec, deps)) ?? newestTemplate(spec, deps);
}

async function read(uid: JobUid, { jobs, cache }: Deps): Promise<readonly LaunchTemplate[]> {
  const stored = await jobs.readTemplates(uid);
  cache.templates.set(uid, stored);
  return stored;
}

async function makeFirst(spec: StoredSpec, deps: Deps) {
  const prepared = await prepare(spec, deps, completionsFor(spec.manifest));
  if ('kind' in prepared) return prepared;
  const { uid } = spec.identity;
  const templates = await deps.jobs.addTemplate(uid, 0, prepared);
  deps.cache.templates.set(uid, templates);
  return templates;
}

async function prepare(
  spec: StoredSpec,
  deps: Deps,
  completions: number | undefined,
): Promise<LaunchTemplate | Later | Refused | Fatal> {
  const { manifest } = spec;
  const { tasks, hash, cache } = deps;
  const named = await readSources(spec, deps);
  if (named.kind !== 'ready') return named;
  const { sources, print, provide } = named;
  const definition = taskDefinitionOf(manifest, { hash, sources });
  const images = takesImages(manifest) ? readImages(manifest, cache.items) : [];
  const ofImages = images.map((image) => ({
    image,
    definition: taskDefinitionOf(withImage(manifest, image), { hash, sources }),
  }));
  const fault = await provide(pullSecretsOf([definition, ...ofImages.map((each) => each.definition)]));
  if (fault !== null) return fault;
  const prepared = await tasks.prepare(definition);
  if (prepared.kind !== 'ready') return prepared;
  const variants: TemplateVariant[] = [];
  // One after the other: what is registered stays registered, so a call that is throttled loses nothing.
  for (const { image, definition: other } of ofImages) {
    const variant = await tasks.prepare(other);
    if (variant.kind !== 'ready') return variant;
    variants.push({ image, taskDefinition: variant.template.taskDefinition });
  }
  const { taskDefinition, containers, placement } = prepared.template;
  const told = LAUNCH_NEEDS.reduce<Pick<LaunchTemplate, 'zone'>>(
    (all, need) => ({ ...all, ...need.told(manifest, deps) }),
    {},
  );
  const texts = textsForLaunches(manifest, sources);
  return {
    taskDefinition,
    containers: hasFilesContainer(definition) ? [...containers, FILES_CONTAINER] : containers,
    placement,
    ...told,
    ...(completions === undefined ? {} : { completions }),
    ...(variants.length === 0 ? {} : { variants }),
    ...(print === null ? {} : { sources: print }),
    ...(texts.length === 0 ? {} : { texts }),
  };
}

const pullSecretsOf = (definitions: readonly TaskDefinition[]): readonly PullSecret[] =>
  definitions.flatMap(({ containers }) => containers.flatMap(({ pullSecret }) => pullSecret ?? []));

/**
 * How many indexes the first launch tells its Pods; undefined: it does not, because there are none, or because the manifest leaves
 * no room for it.
 */
function completionsFor({ metadata, spec }: JobManifest): number | undefined {
  if (spec.completionMode !== 'Indexed') return undefined;
  const items = readItems(metadata.annotations);
  const widest = items.kind === 'ok' ? (items.admitted?.widest ?? null) : null;
  return overridesCharsMax({ metadata, spec }, widest) > OVERRIDES_CHARS_MAX ? undefined : spec.completions;
}
