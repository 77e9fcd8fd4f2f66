import { type LateText, knownText } from '../base/late-text.ts';
import type { Container } from '../manifests/pod-spec.ts';
import type { JobManifest } from '../manifests/manifest.ts';
import { type PodOwner, variablesOf, wordExpander } from './container-env.ts';
import { commandLine } from './launch-overrides.ts';
import {
  NO_SOURCES,
  type NamedSource,
  type PodSources,
  namedSources,
  referredIn,
  sourceKey,
  textOf,
} from './pod-sources.ts';
import type { ConfigTexts } from './task.ts';

/**
 * Says which versions of a template's sources a launch template is made from: equal prints, equal sources.
 *
 * @returns null: the template names none
 */
export function sourcesPrint(
  { spec }: Pick<JobManifest, 'spec'>,
  sources: PodSources,
  hash: (text: string) => string,
): string | null {
  const named = namedSources(spec.template.spec);
  if (named.length === 0) return null;
  const versions = named.map((source) => [sourceKey(source), stateOf(source, sources)]);
  return hash(JSON.stringify(versions)).slice(0, PRINT_CHARS);
}

/** What differs whenever a source has changed; null: it is not there. */
function stateOf(source: NamedSource, { configs, claims, pulls }: PodSources) {
  if (source.kind === 'claim') return claims.get(source.name) ?? null;
  const object = source.kind === 'pullSecret' ? pulls.get(source.name) : configs.get(sourceKey(source));
  return object?.version ?? null;
}

/** Enough that two versions of one Job's sources never look alike. */
const PRINT_CHARS = 32;

/**
 * The keys of ConfigMaps that containers refer to in words and values, as in `$(NAME)`. Where such a word also says something of
 * the attempt, it is put together at each launch, so a launch template keeps these texts.
 */
export function textsForLaunches(manifest: PodOwner, sources: PodSources): readonly ConfigTexts[] {
  const texts = new Map<string, Record<string, string>>();
  const { containers, initContainers = [] } = manifest.spec.template.spec;
  for (const container of [...initContainers, ...containers]) {
    const referred = referredIn(container);
    if (referred.size === 0 || !isPutTogetherLate(container, manifest, sources)) continue;
    for (const { name, key, variable } of keysOf(container, sources)) {
      const value = sources.configs.get(sourceKey({ kind: 'configMap', name }))?.keys.get(key);
      const text = value?.kind === 'bytes' ? textOf(value) : null;
      if (text !== null && referred.has(variable)) texts.set(name, { ...texts.get(name), [key]: text });
    }
  }
  return [...texts].map(([name, keys]) => ({ name, keys }));
}

/** The sources that launches are made with. */
export function sourcesOfTexts(texts: readonly ConfigTexts[]): PodSources {
  if (texts.length === 0) return NO_SOURCES;
  const encoder = new TextEncoder();
  const configs = texts.map(({ name, keys }) => {
    const values = Object.entries(keys).map(([key, text]) => {
      const bytes = encoder.encode(text);
      return [key, { kind: 'bytes' as const, bytes }] as const;
    });
    return [sourceKey({ kind: 'configMap', name }), { version: '', keys: new Map(values) }] as const;
  });
  return { ...NO_SOURCES, configs: new Map(configs) };
}

/** Whether a word or a value says something of the attempt, so that the container's words are put together at each launch. */
function isPutTogetherLate(container: Container, manifest: PodOwner, sources: PodSources): boolean {
  const variables = variablesOf(container, manifest, sources);
  const isLate = (text: LateText): boolean => knownText(text) === null;
  const { entryPoint, command } = commandLine(container, wordExpander(variables));
  return (
    [...entryPoint, ...command].some(isLate) ||
    (container.env ?? []).some(({ name, valueFrom }) => {
      const variable = valueFrom === undefined ? variables.get(name) : undefined;
      return variable?.kind === 'text' && isLate(variable.text);
    })
  );
}

/** Which key of which ConfigMap each variable of a container has. */
function keysOf({ env = [], envFrom = [] }: Container, { configs }: PodSources) {
  return [
    ...envFrom.flatMap(({ prefix = '', configMapRef }) => {
      const name = configMapRef?.name ?? '';
      const keys = configs.get(sourceKey({ kind: 'configMap', name }))?.keys.keys() ?? [];
      return [...keys].map((key) => ({ name, key, variable: `${prefix}${key}` }));
    }),
    ...env.flatMap(({ name: variable, valueFrom }) =>
      valueFrom?.configMapKeyRef === undefined
        ? []
        : [{ name: valueFrom.configMapKeyRef.name, key: valueFrom.configMapKeyRef.key, variable }],
    ),
  ];
}
