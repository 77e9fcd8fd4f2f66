import { POD_SOURCES } from '../../capabilities/lists/pod-sources.ts';
import { expandedChars } from '../../domain/task/container-env.ts';
import { sourcesPrint } from '../../domain/task/launch-sources.ts';
import {
  NO_SOURCES,
  type NamedSource,
  type PodSources,
  WAITING,
  missingSource,
  namedSources,
} from '../../domain/task/pod-sources.ts';
import type { SecretCopy } from '../../ports/secret-copies.ts';
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
  readonly copies: readonly SecretCopy[];
};

const NOTHING: JobSources = { kind: 'ready', sources: NO_SOURCES, print: null, copies: [] };

/** By `Deps`, which belongs to one invocation: packs that come at once read once. */
const underWay = new WeakMap<Deps, Map<string, Promise<JobSources | Later>>>();

/**
 * Reads what the Pods of a Job name. `later`: something is missing; the Pods wait, and the reason says for what. A Job that names
 * nothing costs nothing.
 */
export async function readSources(spec: StoredSpec, deps: Deps): Promise<JobSources | Later> {
  const named = namedSources(spec.manifest.spec.template.spec);
  if (named.length === 0) return NOTHING;
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
  const reason = missingSource(namespace, manifest.spec.template.spec, sources) ?? tooLong(manifest, sources);
  if (reason !== null) return { kind: 'later', reason };
  return {
    kind: 'ready',
    sources,
    print: sourcesPrint(manifest, sources, deps.hash),
    copies: all.flatMap(({ copies }: ReadSources) => copies),
  };
}

/** More than any task definition holds. A value may name another one twice, so this is known before they are put together. */
const CHARS_MAX = 2 ** 20;

function tooLong(manifest: StoredSpec['manifest'], sources: PodSources): string | null {
  const { containers, initContainers = [] } = manifest.spec.template.spec;
  const long = [...initContainers, ...containers].find(
    (container) => expandedChars(container, manifest, null, sources) > CHARS_MAX,
  );
  return long === undefined
    ? null
    : `${WAITING.variable}: the variables of container ${long.name} have more than ${CHARS_MAX} characters`;
}

/** Puts what tasks read of Secrets where they read it. null: it is there. */
export async function copySecrets(copies: readonly SecretCopy[], deps: Deps): Promise<Later | Refused | Fatal | null> {
  const { secretCopies } = deps;
  for (const copy of secretCopies === undefined ? [] : copies) {
    const put = await secretCopies?.put(copy);
    if (put !== undefined && put.kind !== 'there') return put;
  }
  return null;
}
