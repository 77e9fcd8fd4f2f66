import type { ItemList } from '../../shared/domain/items/item-list.ts';
import {
  IMAGES_MAX,
  IMAGE_COLUMN,
  RESOURCE_COLUMNS,
  isImage,
  quantityFault,
} from '../../shared/domain/items/task-columns.ts';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { usageFailure } from '../shell/failure.ts';
import type { LineFlags } from './line-flags.ts';

/**
 * The annotations with which columns of the list say something about tasks.
 *
 * @throws Failure (invalid command line) that names the first value which no task can have
 */
export function taskColumnAnnotations(
  { resourcesFromItems, imageFromItems, batch }: LineFlags,
  list: ItemList | null,
): Readonly<Record<string, string>> {
  if (resourcesFromItems === true) checkResources('--resources-from-items', list);
  if (imageFromItems === true) checkImages('--image-from-items', list);
  if (imageFromItems === true && batch !== undefined)
    throw usageFailure('--batch and --image-from-items: an index runs in one image, and each item says its own');
  return {
    ...(resourcesFromItems === true ? { [ANNOTATIONS.resourcesFromItems]: 'true' } : {}),
    ...(imageFromItems === true ? { [ANNOTATIONS.imageFromItems]: 'true' } : {}),
  };
}

function checkResources(option: string, list: ItemList | null): void {
  const columns = columnsIn(option, list, RESOURCE_COLUMNS);
  if (columns.length === 0)
    throw usageFailure(`${option}: the list has none of the columns ${RESOURCE_COLUMNS.join(', ')}`);
  for (const { name, values } of columns)
    for (const [i, value] of values.entries()) {
      const fault = quantityFault(name, value);
      if (fault !== null) throw wrongValue(option, i, name, value, fault);
    }
}

function checkImages(option: string, list: ItemList | null): void {
  const [column] = columnsIn(option, list, [IMAGE_COLUMN]);
  if (column === undefined) throw usageFailure(`${option}: the list has no column ${IMAGE_COLUMN}`);
  const images = new Set<string>();
  for (const [i, value] of column.values.entries()) {
    if (value !== '' && !isImage(value))
      throw wrongValue(option, i, IMAGE_COLUMN, value, 'write an image such as debian:12-slim, or leave it empty');
    if (value !== '') images.add(value);
  }
  if (images.size > IMAGES_MAX)
    throw usageFailure(`${option}: the list has ${images.size} images; a Job may have ${IMAGES_MAX}`);
}

const wrongValue = (option: string, i: number, name: string, value: string, fault: string) =>
  usageFailure(`${option}: item ${i + 1}, column ${name}: ${JSON.stringify(value)}: ${fault}`);

/** Those of the columns that the list has. */
function columnsIn<N extends string>(option: string, list: ItemList | null, names: readonly N[]) {
  if (list === null) throw usageFailure(`${option} needs a list`);
  const { columns, rows } = list;
  return names
    .filter((name) => columns.includes(name))
    .map((name) => ({ name, values: rows.map((row) => row[columns.indexOf(name)] ?? '') }));
}

/**
 * The image of the template.
 *
 * @throws Failure (invalid command line) if there is none: an item without an image needs it
 */
export function templateImage({ image = '', imageFromItems }: LineFlags, list: ItemList | null): string {
  if (image !== '') return image;
  const nth = imageFromItems === true ? (list?.columns.indexOf(IMAGE_COLUMN) ?? -1) : -1;
  const images = nth === -1 ? [] : (list?.rows ?? []).map((row) => row[nth] ?? '');
  const [first = ''] = images;
  const missing = images.indexOf('');
  if (missing !== -1) throw usageFailure(`--image is required: item ${missing + 1} says none`);
  if (first === '')
    throw usageFailure('--image is required (an embedded Muster does not pull it: there, any name will do)');
  return first;
}
