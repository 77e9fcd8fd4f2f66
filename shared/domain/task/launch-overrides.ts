import { COMPLETIONS_VARIABLE, OWN_LABELS, type PodOwner, wordExpander, variablesOf } from './container-env.ts';
import { type AttemptValues, type ItemValues, type LateText, fillIn, knownText } from '../base/late-text.ts';
import { ZONE_CHARS_MAX } from './host-names.ts';
import { POD_NAME_CHARS_MAX } from './pod-name.ts';
import type { Container } from '../manifests/pod-spec.ts';
import { takesResources } from '../items/job-items.ts';
import { type TaskOwner, taskEnvironment } from './task-environment.ts';
import { NO_SOURCES, type PodSources } from './pod-sources.ts';
import { FILES_CONTAINER, type TaskSize, fileVariable } from './task.ts';
import { volumeFiles } from './volumes/volume-files.ts';
import { needsFilesContainer } from './volumes/volume-groups.ts';

/** What RunTask changes of one container of the task definition (aws.md 1.1: environment and command, no more). */
export type ContainerOverride = {
  readonly name: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** What follows the entry point; null: as in the definition. */
  readonly command: readonly string[] | null;
};

/** Marks the main container in its overrides, which events repeat in no documented order; the value is its name. */
export const MAIN_VARIABLE = 'MUSTER_MAIN';

/** The container to mark, of those of a definition, the main one first; null: one that is alone needs no mark. */
export const mainOf = (names: readonly string[]): string | null => (names.length > 1 ? (names[0] ?? null) : null);

/** ECS's limit for all overrides of a call as JSON, including formatting (aws.md 1.1). */
export const OVERRIDES_CHARS_MAX = 8_192;

const INT32_MAX = 2_147_483_647;

const INDEX_MAX = 999_999;
/** The size with the most digits. */
const WIDEST_SIZE: TaskSize = { cpu: 32_768, memoryMib: 249_856, ephemeralStorageGib: 200 };

/**
 * The most characters that the overrides of any attempt may take, as JSON, whatever the installation's zone.
 *
 * @param widest the longest values of the Job's work list; null: it has none
 * @param sources omitted: nothing is known of them yet
 */
export function overridesCharsMax(
  manifest: PodOwner & TaskOwner,
  widest: ItemValues | null = null,
  sources: PodSources = NO_SOURCES,
): number {
  const { containers, initContainers = [] } = manifest.spec.template.spec;
  const long = 'x'.repeat(63);
  const labels = Object.fromEntries(OWN_LABELS.map((key) => [key, long]));
  const overrides = overridesOf(
    manifest,
    {
      podName: 'x'.repeat(POD_NAME_CHARS_MAX),
      podUid: long,
      completionIndex: INDEX_MAX,
      completions: INDEX_MAX + 1,
      retryIndex: INT32_MAX,
      failureCount: INT32_MAX,
      ignoredFailureCount: INT32_MAX,
      labels,
      item: widest,
    },
    sources,
  );
  const env = taskEnvironment(
    manifest,
    { index: INDEX_MAX, attempt: INT32_MAX, restarts: 0 },
    'x'.repeat(ZONE_CHARS_MAX),
  );
  const writer = needsFilesContainer(manifest.spec.template.spec) ? [FILES_CONTAINER] : [];
  const names = [...[...containers, ...initContainers].map(({ name }) => name), ...writer];
  const size = takesResources(manifest) ? WIDEST_SIZE : null;
  return JSON.stringify(overridesRequest(names, env, overrides, size, mainOf(names))).length;
}

/**
 * The `overrides` of a RunTask call, byte for byte.
 *
 * @param names the containers of the definition
 * @param env the variables that each of them gets
 * @param size of the task; null: the definition's
 * @param main the container that decides how the task has ended, which is marked; null: none is
 */
export const overridesRequest = (
  names: readonly string[],
  env: ContainerOverride['env'],
  overrides: readonly ContainerOverride[],
  size: TaskSize | null,
  main: string | null = null,
) => ({
  containerOverrides: names.flatMap((name) => {
    const own = overrides.find((override) => override.name === name);
    const isOurs = name === FILES_CONTAINER;
    if (isOurs && own === undefined) return [];
    const mark = name === main ? [{ name: MAIN_VARIABLE, value: name }] : [];
    return {
      name,
      environment: [...(isOurs ? [] : env), ...(own?.env ?? []), ...mark].map((variable) => ({
        name: variable.name,
        value: variable.value,
      })),
      ...(own === undefined || own.command === null ? {} : { command: [...own.command] }),
    };
  }),
  ...(size === null ? {} : { cpu: String(size.cpu), memory: String(size.memoryMib) }),
  ...(size === null || size.ephemeralStorageGib === null
    ? {}
    : { ephemeralStorage: { sizeInGiB: size.ephemeralStorageGib } }),
});

/**
 * What differs between the attempts of a Job, by container; containers without a difference are omitted.
 *
 * @param sources as the launch template has them; omitted: it has none
 */
export function overridesOf(
  manifest: PodOwner,
  attempt: AttemptValues,
  sources: PodSources = NO_SOURCES,
): readonly ContainerOverride[] {
  const { containers, initContainers = [] } = manifest.spec.template.spec;
  return [
    ...[...containers, ...initContainers].flatMap((container) =>
      containerOverrides(container, manifest, attempt, sources),
    ),
    ...fileOverrides(manifest, attempt),
  ];
}

/** The files that say something of the attempt. They come first in the list, whatever the sources. */
function fileOverrides(manifest: PodOwner, attempt: AttemptValues): readonly ContainerOverride[] {
  const env = volumeFiles(manifest, NO_SOURCES).flatMap(({ content }, nth) =>
    content.kind === 'late' ? [{ name: fileVariable(nth), value: fillIn(content.text, attempt) }] : [],
  );
  return env.length === 0 ? [] : [{ name: FILES_CONTAINER, env, command: null }];
}

function containerOverrides(
  container: Container,
  manifest: PodOwner,
  attempt: AttemptValues,
  sources: PodSources,
): readonly ContainerOverride[] {
  const variables = variablesOf(container, manifest, sources);
  const env = [...variables].flatMap(([name, variable]) =>
    variable.kind === 'text' &&
    knownText(variable.text) === null &&
    // A Job's launches are alike: its template says whether its Pods hear of it.
    (name !== COMPLETIONS_VARIABLE || attempt.completions !== null)
      ? [{ name, value: fillIn(variable.text, attempt) }]
      : [],
  );
  const { command } = commandLine(container, wordExpander(variables));
  const late = command.some((word) => knownText(word) === null);
  return env.length === 0 && !late
    ? []
    : [{ name: container.name, env, command: late ? command.map((word) => fillIn(word, attempt)) : null }];
}

/** The words that a container is started with, as the task of an attempt sees them. */
export function startWords(container: Container, manifest: PodOwner, attempt: AttemptValues): readonly string[] {
  const { entryPoint, command } = commandLine(container, wordExpander(variablesOf(container, manifest)));
  return [...entryPoint, ...command].map((word) => fillIn(word, attempt));
}

/** Whether the program that a container runs is known only at launch, when it can no longer be set. */
export function hasLateProgram(container: Container, manifest: PodOwner): boolean {
  const variables = variablesOf(container, manifest);
  const [program] = container.command ?? [];
  return program !== undefined && knownText(wordExpander(variables)(program)) === null;
}

/**
 * Kubernetes' `command` and `args` as ECS's entry point and command. An entry point cannot be overridden at launch, so if one
 * of its words is known only then, the words after the first move into the command: the program sees no difference.
 */
export function commandLine(
  { command = [], args = [] }: Pick<Container, 'command' | 'args'>,
  expand: (word: string) => LateText,
): { readonly entryPoint: readonly LateText[]; readonly command: readonly LateText[] } {
  const [program, ...rest] = command.map(expand);
  const tail = args.map(expand);
  if (program === undefined) return { entryPoint: [], command: tail };
  return rest.some((word) => knownText(word) === null)
    ? { entryPoint: [program], command: [...rest, ...tail] }
    : { entryPoint: [program, ...rest], command: tail };
}
