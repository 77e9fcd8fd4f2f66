import { isSamePath } from '../../domain/task/volumes/host-folders.ts';
import { volumeVariable } from '../../domain/task/volumes/volume-variable.ts';
import { type FieldError, required } from '../object/field-error.ts';
import type { ContainerShape, PodSpecShape } from '../pod/pod-shape.ts';

/**
 * If tasks are local processes, images are not used, so every container needs a command, or args that are one.
 *
 * @param path the path of the Pod's spec. Another rule reports missing fields.
 */
export const missingCommandErrors = (path: string, spec: PodSpecShape | undefined): readonly FieldError[] =>
  containersOf(path, spec)
    .filter(({ c: { command = [], args = [] } }) => command.length + args.length === 0)
    .map(({ at }) =>
      required(
        `${at}.command`,
        'this Muster runs commands as local processes and pulls no images: write the command that the image would run, such as ["node", "render.mjs"]',
      ),
    );

/**
 * Warnings about a template of Jobs, where tasks are local processes. A template without a command may be stored: each Job that is
 * made of it is refused.
 *
 * @param path the path of the Pod's spec
 */
export const templateCommandWarnings = (path: string, spec: PodSpecShape | undefined): readonly string[] => [
  ...missingCommandErrors(path, spec).map(({ path: at, message }) => `${at}: no Job can be made of it: ${message}`),
  ...processWarnings(path, spec),
];

/**
 * Warnings about what local processes do not have of a container.
 *
 * @param path the path of the Pod's spec
 */
export const processWarnings = (path: string, spec: PodSpecShape | undefined): readonly string[] => [
  ...argsOnlyWarnings(path, spec),
  ...mountWarnings(path, spec),
];

/**
 * Nothing can be mounted at a path of the Pod's choice: a program has to look where its volume is. What is at the same path of the
 * machine is there.
 */
const mountWarnings = (path: string, spec: PodSpecShape | undefined): readonly string[] =>
  containersOf(path, spec).flatMap(({ c, at }) => {
    const words = [...(c.command ?? []), ...(c.args ?? []), ...(c.env ?? []).map(({ value = '' }) => value)].join(' ');
    return (c.volumeMounts ?? []).flatMap(({ name = '', mountPath = '' }, i) => {
      const variable = volumeVariable(name);
      const hostPath = spec?.volumes?.find((volume) => volume.name === name)?.hostPath?.path;
      return words.includes(variable) || (hostPath !== undefined && isSamePath(hostPath, mountPath))
        ? []
        : [
            `${at}.volumeMounts[${i}].mountPath: tasks are processes of this machine, for which no ${mountPath} is made: $${variable} says where the volume is; muster local --driver docker mounts it`,
          ];
    });
  });

/**
 * Warnings about containers with args only, where tasks are local processes. The entry point of a tool's image mostly runs its
 * arguments, so they are the command.
 *
 * @param path the path of the Pod's spec
 */
const argsOnlyWarnings = (path: string, spec: PodSpecShape | undefined): readonly string[] =>
  containersOf(path, spec)
    .filter(({ c: { command = [], args = [] } }) => command.length === 0 && args.length > 0)
    .map(
      ({ at }) =>
        `${at}.args: this Muster pulls no images, so the args are the command, without the entry point of the image; write command if that does more than run them`,
    );

const containersOf = (path: string, spec: PodSpecShape | undefined) => [
  ...(spec?.containers ?? []).map((c, i) => ({ c, at: `${path}.containers[${i}]` })),
  ...(spec?.initContainers ?? []).map((c, i) => ({ c, at: `${path}.initContainers[${i}]` })),
];

const GIVEN = ['JOB_COMPLETION_INDEX', 'MUSTER_COMPLETIONS'];
const SHELL = /(?:^|\/)(?:ba|da|a|z|k|fi)?sh$/;
/** Shell syntax for variables. A word with blanks is a script, where a dollar sign may mean anything. */
const SHELL_VARIABLE = /\$(?:\{(\w+)\}|(\w+))/g;

/**
 * Warns about shell syntax where no shell runs: the program would get the literal text.
 *
 * @param path the container's path
 * @param columns those of the Job's work list
 */
export function shellVariableWarnings(
  path: string,
  { command = [], args = [], env = [] }: ContainerShape,
  columns: readonly string[] = [],
): readonly string[] {
  if (command.length === 0) return []; // the image may start a shell
  const names = new Set([...GIVEN, ...columns, ...env.map(({ name = '' }) => name)]);
  const words = [
    ...command.map((word, i) => ({ word, at: `${path}.command[${i}]` })),
    ...args.map((word, i) => ({ word, at: `${path}.args[${i}]` })),
  ];
  if (words.some(({ word }) => SHELL.test(word))) return [];
  return words.flatMap(({ word, at }) => {
    if (/\s/.test(word)) return [];
    return [...word.matchAll(SHELL_VARIABLE)].flatMap(([written, braced, bare]) => {
      const name = braced ?? bare ?? '';
      return names.has(name)
        ? [`${at}: no shell runs here, so the program gets "${written}" unchanged; write $(${name})`]
        : [];
    });
  });
}
