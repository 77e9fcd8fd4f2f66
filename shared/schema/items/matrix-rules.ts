import * as z from 'zod';
import { referredVariables } from '../../domain/base/variable-expansion.ts';
import { COLUMNS_MAX, columnFault, itemLine, lineFault } from '../../domain/items/item-list.ts';
import {
  COMBINATIONS_MAX,
  IMAGE_COMBINATIONS_MAX,
  type JobMatrix,
  combinationsOf,
  imageCombinations,
  matrixImages,
  widestMatrixRow,
} from '../../domain/items/job-matrix.ts';
import { IMAGES_MAX, IMAGE_COLUMN, isImage } from '../../domain/items/task-columns.ts';
import { type FieldError, duplicate, fieldPath, invalid, required, tooLong, tooMany } from '../object/field-error.ts';
import { readJsonText } from '../text/json-text.ts';

const FORM = 'must be JSON such as {"values":[{"name":"node","values":["18","20"]}],"image":"node:$(node)"}';

const MatrixShape = z.strictObject({
  values: z.array(z.strictObject({ name: z.string(), values: z.array(z.string()) })),
  image: z.string().optional(),
});

/**
 * The faults of the annotation that gives a Job's work list as a matrix; none: its text is a {@link JobMatrix}.
 *
 * @param path of the annotation; that of the part which is wrong follows it
 */
export function matrixErrors(text: string, path: string): readonly FieldError[] {
  const matrix = readMatrix(text);
  if ('message' in matrix) return [invalid(joined(path, matrix.part), undefined, `${FORM}: ${matrix.message}`)];
  const errors = [...nameErrors(matrix, path), ...valueErrors(matrix, path)];
  if (errors.length > 0) return errors;
  const count = combinationsOf(matrix);
  if (count > COMBINATIONS_MAX)
    return [invalid(path, undefined, `has ${count} combinations; a Job's matrix may have ${COMBINATIONS_MAX}`)];
  const ofImage = imageErrors(matrix, path);
  return ofImage.length > 0 ? ofImage : lengthErrors(matrix, path);
}

function readMatrix(text: string): JobMatrix | { readonly part: string; readonly message: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { part: '', message: 'this is no JSON' };
  }
  const [twice] = readJsonText(text).strays.told;
  if (twice !== undefined) return { part: twice.path, message: 'it is there twice' };
  const read = MatrixShape.safeParse(json);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return { part: fieldPath(issue?.path ?? []), message: issue?.message ?? '' };
}

const joined = (path: string, part: string): string => (part === '' ? path : `${path}.${part}`);

/** A name is a column's, and therefore a variable's. */
function nameErrors({ values, image }: JobMatrix, path: string): readonly FieldError[] {
  if (values.length === 0) return [required(`${path}.values`, 'a matrix needs a name with its values')];
  if (values.length > COLUMNS_MAX) return [tooMany(`${path}.values`, values.length, COLUMNS_MAX)];
  const names = new Set<string>();
  const faults = values.flatMap(({ name }, i) => {
    const fault = columnFault(name, names);
    names.add(name);
    return fault === null ? [] : [invalid(`${path}.values[${i}].name`, name, fault)];
  });
  return image !== undefined && names.has(IMAGE_COLUMN)
    ? [...faults, invalid(`${path}.image`, image, `leave it out: the values of ${IMAGE_COLUMN} are the images`)]
    : faults;
}

function valueErrors({ values }: JobMatrix, path: string): readonly FieldError[] {
  return values.flatMap(({ name, values: own }, i) => {
    const at = `${path}.values[${i}].values`;
    if (own.length === 0) return [required(at, `${name} needs a value`)];
    const seen = new Set<string>();
    return own.flatMap((value, k) => {
      const isTwice = seen.has(value);
      seen.add(value);
      if (value === '') return [invalid(`${at}[${k}]`, value, 'is empty: write a value, or leave it out')];
      if (isTwice) return [duplicate(`${at}[${k}]`, value)];
      const fault = lineFault(value);
      return fault === null ? [] : [invalid(`${at}[${k}]`, value, fault)];
    });
  });
}

/** An image has 255 characters, and names are longer than the values that replace them. */
const IMAGE_BYTES_MAX = 2_048;

/** Each image is a task definition. */
function imageErrors(matrix: JobMatrix, path: string): readonly FieldError[] {
  const { image, values } = matrix;
  if (image === undefined) return [];
  const refuse = (why: string): readonly FieldError[] => [invalid(`${path}.image`, image, why)];
  if (image.length > IMAGE_BYTES_MAX) return [tooLong(`${path}.image`, IMAGE_BYTES_MAX)];
  const names = new Set(values.map(({ name }) => name));
  const stray = referredVariables(image).find((name) => !names.has(name));
  if (stray !== undefined) return refuse(`$(${stray}) is no name of the matrix: it has ${[...names].join(', ')}`);
  const combinations = imageCombinations(matrix);
  if (combinations > IMAGE_COMBINATIONS_MAX)
    return refuse(`its values have ${combinations} combinations; the limit is ${IMAGE_COMBINATIONS_MAX}`);
  const images = matrixImages(matrix);
  const bad = images.find(({ value }) => !isImage(value));
  if (bad !== undefined) return refuse(`makes ${JSON.stringify(bad.value)}, which is no image such as debian:12-slim`);
  return images.length > IMAGES_MAX
    ? refuse(`makes more than ${IMAGES_MAX} images; a Job may have ${IMAGES_MAX}, each with a task definition`)
    : [];
}

/** The longest combination. Whether it fits into a launch, another rule checks. */
function lengthErrors(matrix: JobMatrix, path: string): readonly FieldError[] {
  const bytes = new TextEncoder();
  const widest = widestMatrixRow(matrix, (value) => bytes.encode(value).length);
  const fault = lineFault(itemLine(widest));
  return fault === null ? [] : [invalid(path, undefined, `its longest combination ${fault}`)];
}
