import { IMAGES_MAX } from '../../../domain/items/task-columns.ts';
import { expandVariables, referredVariables } from '../../../domain/base/variable-expansion.ts';
import { type TemplateVariables, replaceInImage, replaceInWord } from '../domain/template-variables.ts';
import { type FieldError, forbidden, invalid } from '../../../schema/object/field-error.ts';
import type { IndexColumn } from './index-columns.ts';

type Fields = { readonly [field: string]: unknown };

export type CompiledTemplate = {
  readonly template: Fields;
  /** The image of each item, as the matrix says it; null: all have the template's. */
  readonly image: string | null;
  readonly errors: readonly FieldError[];
};

/**
 * A Pod template with its variables replaced: in images, commands, arguments, and the values of variables, of containers and init
 * containers, and nowhere else.
 *
 * @param pod the template as it was admitted by its shape
 * @param path of the template, for faults
 */
export function compileTemplate(
  pod: Fields,
  variables: TemplateVariables,
  columns: readonly IndexColumn[],
  path: string,
): CompiledTemplate {
  const spec = asFields(pod['spec']);
  const errors: FieldError[] = [];
  let image: string | null = null;
  const compiled = (list: 'containers' | 'initContainers') => {
    const containers = spec[list];
    if (!Array.isArray(containers)) return {};
    return {
      [list]: containers.map((each: unknown, nth) => {
        const container = asFields(each);
        const own = `${path}.spec.${list}[${nth}].image`;
        const said = imageOf(container['image'], variables, columns, own, list === 'containers' && nth === 0);
        errors.push(...said.errors);
        image = said.ofItems ?? image;
        return { ...container, ...said.image, ...wordsOf(container, variables) };
      }),
    };
  };
  const template = { ...pod, spec: { ...spec, ...compiled('initContainers'), ...compiled('containers') } };
  return { template, image, errors };
}

const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

function wordsOf(container: Fields, variables: TemplateVariables): Fields {
  const words = (field: 'command' | 'args') => {
    const given = container[field];
    return Array.isArray(given)
      ? { [field]: given.map((word: unknown) => (typeof word === 'string' ? replaceInWord(word, variables) : word)) }
      : {};
  };
  const env = container['env'];
  return {
    ...words('command'),
    ...words('args'),
    ...(Array.isArray(env) ? { env: env.map((each: unknown) => withValue(asFields(each), variables)) } : {}),
  };
}

const withValue = (variable: Fields, variables: TemplateVariables): Fields =>
  typeof variable['value'] === 'string'
    ? { ...variable, value: replaceInWord(variable['value'], variables) }
    : variable;

type Image = {
  readonly image: { readonly image?: string };
  readonly ofItems: string | null;
  readonly errors: readonly FieldError[];
};

/** A task definition has its image, so it may differ by item only where the definitions differ by item. */
function imageOf(
  written: unknown,
  variables: TemplateVariables,
  columns: readonly IndexColumn[],
  path: string,
  isFirst: boolean,
): Image {
  if (typeof written !== 'string') return { image: {}, ofItems: null, errors: [] };
  const replaced = replaceInImage(written, variables);
  if (replaced.kind === 'fixed') return { image: { image: replaced.image }, ofItems: null, errors: [] };
  const stray = replaced.variables.find((name) => columns.every(({ variable }) => variable !== name));
  // Some valid image, so that it has no other fault.
  const refuse = (error: FieldError): Image => ({ image: { image: 'image' }, ofItems: null, errors: [error] });
  if (!isFirst) return refuse(forbidden(path, "variables of the task can be only in the first container's image"));
  if (stray !== undefined)
    return refuse(
      forbidden(path, `\${${stray}} cannot be in an image: only \${task.index_key} and \${task.index_matrix.…} can`),
    );
  const images = imagesOf(replaced.image, columns);
  const [first = ''] = images;
  return images.length > IMAGES_MAX
    ? refuse(
        invalid(
          path,
          written,
          `makes ${images.length} images; a Job may have ${IMAGES_MAX}, each with a task definition`,
        ),
      )
    : { image: { image: first }, ofItems: replaced.image, errors: [] };
}

/** The distinct images of all items; that of the first item is first. */
function imagesOf(image: string, columns: readonly IndexColumn[]): readonly string[] {
  const referred = referredVariables(image);
  let rows: ReadonlyMap<string, string>[] = [new Map()];
  for (const { name, values } of columns)
    if (referred.includes(name)) rows = rows.flatMap((row) => values.map((value) => new Map([...row, [name, value]])));
  return [...new Set(rows.map((row) => expandVariables(image, row)))];
}
