import { type FieldError, required } from '../object/field-error.ts';
import type { ContainerShape, PodSpecShape } from './pod-shape.ts';

/**
 * Where tasks are processes of a machine, no image says what to run: every container has to.
 *
 * @param path of the Pod's spec; another rule reports missing fields
 */
export function missingCommandErrors(path: string, spec: PodSpecShape | undefined): readonly FieldError[] {
  const of = (list: 'containers' | 'initContainers'): readonly FieldError[] =>
    (spec?.[list] ?? []).flatMap(({ command = [] }, i) =>
      command.length > 0
        ? []
        : [
            required(
              `${path}.${list}[${i}].command`,
              'this Muster runs commands as processes of its machine and pulls no image: write what the image would start, such as ["node", "render.mjs"]',
            ),
          ],
    );
  return [...of('containers'), ...of('initContainers')];
}

const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
const SHELL = /(?:^|\/)(?:ba|da|a|z|k|fi)?sh$/;
/** As a shell writes variables. A word with blanks is a program text, in which a dollar may mean anything. */
const SHELL_VARIABLE = /\$(?:\{(\w+)\}|(\w+))/g;

/**
 * A variable in shell syntax where there is no shell: the program would get the variable's name.
 *
 * @param path of the container
 */
export function shellVariableWarnings(
  path: string,
  { command = [], args = [], env = [] }: ContainerShape,
): readonly string[] {
  if (command.length === 0) return []; // the image may start a shell
  const names = new Set([INDEX_VARIABLE, ...env.map(({ name = '' }) => name)]);
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
        ? [`${at}: no shell reads "${written}" here, the program gets it as it stands; write $(${name})`]
        : [];
    });
  });
}
