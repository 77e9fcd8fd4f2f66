import { type FieldError, required } from '../object/field-error.ts';
import type { ContainerShape, PodSpecShape } from './pod-shape.ts';

/**
 * If tasks are local processes, images are not used, so every container needs a command.
 *
 * @param path the path of the Pod's spec. Another rule reports missing fields.
 */
export function missingCommandErrors(path: string, spec: PodSpecShape | undefined): readonly FieldError[] {
  const of = (list: 'containers' | 'initContainers'): readonly FieldError[] =>
    (spec?.[list] ?? []).flatMap(({ command = [] }, i) =>
      command.length > 0
        ? []
        : [
            required(
              `${path}.${list}[${i}].command`,
              'this Muster runs commands as local processes and pulls no images: write the command that the image would run, such as ["node", "render.mjs"]',
            ),
          ],
    );
  return [...of('containers'), ...of('initContainers')];
}

const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
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
  const names = new Set([INDEX_VARIABLE, ...columns, ...env.map(({ name = '' }) => name)]);
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
