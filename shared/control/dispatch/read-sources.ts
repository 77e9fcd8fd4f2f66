import { POD_SOURCES } from '../../capabilities/lists/dispatches.ts';
import { expandedChars } from '../../domain/task/container-env.ts';
import { OVERRIDES_CHARS_MAX, overridesCharsMax } from '../../domain/task/launch-overrides.ts';
import { sourcesOfTexts, sourcesPrint, textsForLaunches } from '../../domain/task/launch-sources.ts';
import {
  NO_SOURCES,
  type NamedSource,
  type PodSources,
  WAITING,
  missingSource,
  namedSources,
} from '../../domain/task/pod-sources.ts';
import type { PullSecret } from '../../domain/task/task.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Fatal, Later, Refused } from '../../ports/tasks.ts';
import type { ReadSources } from '../process/pod-source.ts';
import type { Deps } from '../process/deps.ts';

/** What a Job's Pods name outside of themselves, as it is now. */
export type JobSources = {
  readonly kind: 'ready';
  readonly sources: PodSources;
  /** See {@link sourcesPrint}; null: they name nothing. */
  readonly print: string | null;
  /** Puts what tasks read by themselves where they read it. null: it is there. */
  readonly provide: (pulls: readonly PullSecret[]) => Promise<Later | Refused | Fatal | null>;
};

const NOTHING: JobSources = {
  kind: 'ready',
  sources: NO_SOURCES,
  print: null,
  provide: async () => Promise.resolve(null),
};

/** By `Deps`, which belongs to one invocation: packs that come at once read once. */
const underWay = new WeakMap<Deps, Map<string, Promise<JobSources | Later>>>();

/**
 * Reads what the Pods of a Job name. `later`: something is missing; the Pods wait, and the reason says for what. A Job that names
 * nothing costs nothing.
 */
export async function readSources(spec: StoredSpec, deps: Deps): Promise<JobSources | Later> {
  const named = namedSources(spec.manifest.spec.template.spec);
  if (named.length === 0 || deps.settings.assumesSources === true) return NOTHING;
  const asked = underWay.get(deps) ?? new Map<string, Promise<JobSources | Later>>();
  underWay.set(deps, asked);
  const { uid } = spec.identity;
  const reading = asked.get(uid) ?? read(spec, named, deps).finally(() => asked.delete(uid));
  asked.set(uid, reading);
  return reading;
}

async function read(
  { manifest, identity: { namespace } }: StoredSpec,
  named: readonly NamedSource[],
  deps: Deps,
): Promise<JobSources | Later> {
  const all = await Promise.all(POD_SOURCES.map(async (source) => source.read(namespace, named, deps)));
  const sources = all.reduce<PodSources>((sum, each) => ({ ...sum, ...each.sources }), NO_SOURCES);
  const fault = all.find((each) => each.fault !== undefined)?.fault;
  const reason = fault ?? missingSource(namespace, manifest.spec.template.spec, sources) ?? tooLong(manifest, sources);
  if (reason !== null) return { kind: 'later', reason };
  return {
    kind: 'ready',
    sources,
    print: sourcesPrint(manifest, sources, deps.hash),
    provide: async (pulls) => provideAll(all, pulls),
  };
}

/** More than any task definition holds. A value may name another one twice, so this is known before they are put together. */
const CHARS_MAX = 2 ** 20;

function tooLong(manifest: StoredSpec['manifest'], sources: PodSources): string | null {
  return tooManyChars(manifest, sources) ?? tooLongForLaunches(manifest, sources);
}

/** Texts of ConfigMaps that are put together with words at each launch have to fit into the call. */
function tooLongForLaunches(manifest: StoredSpec['manifest'], sources: PodSources): string | null {
  const texts = textsForLaunches(manifest, sources);
  const chars = texts.length === 0 ? 0 : overridesCharsMax(manifest, null, sourcesOfTexts(texts));
  return chars <= OVERRIDES_CHARS_MAX
    ? null
    : `${WAITING.variable}: what differs from Pod to Pod takes ${chars} characters with the texts of ConfigMaps in it, and ECS allows ${OVERRIDES_CHARS_MAX}: let a shell read the variable`;
}

function tooManyChars(manifest: StoredSpec['manifest'], sources: PodSources): string | null {
  const { containers, initContainers = [] } = manifest.spec.template.spec;
  const long = [...initContainers, ...containers].find(
    (container) => expandedChars(container, manifest, null, sources) > CHARS_MAX,
  );
  return long === undefined
    ? null
    : `${WAITING.variable}: the variables of container ${long.name} have more than ${CHARS_MAX} characters`;
}

async function provideAll(
  all: readonly ReadSources[],
  pulls: readonly PullSecret[],
): Promise<Later | Refused | Fatal | null> {
  for (const { provide } of all) {
    const fault = (await provide?.(pulls)) ?? null;
    if (fault !== null) return fault;
  }
  return null;
}
