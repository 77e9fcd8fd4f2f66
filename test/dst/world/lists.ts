import { widestOf } from '../../../shared/domain/items/job-items.ts';
import { type ItemPart, partsOf, sealedOf } from '../../../shared/domain/items/item-parts.ts';
import { taskColumnsOf } from '../../../shared/domain/items/task-columns.ts';
import { ANNOTATIONS } from '../../../shared/domain/manifests/annotations.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import type { EpochMs } from '../../../shared/domain/base/time.ts';
import type { Deps } from '../../../shared/control/process/deps.ts';
import type { ContentHead } from '../../../shared/ports/item-store.ts';
import { formatInlineItems } from '../../../shared/schema/items/inline-items.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import { LIST_KEEPERS } from '../parts/list-keepers.ts';
import type { Random } from '../random.ts';

/** What has the lists that Jobs name; undefined: no Job names one. */
const [KEEPER] = LIST_KEEPERS;

/** Of Indexed Jobs, and of those with a list, those that name it. */
const [SHARE, NAMED_SHARE] = [0.6, 0.7];
/** Of Jobs with a list, those whose items say how much memory they need. */
const SIZED_SHARE = 0.4;
const ITEMS_PER_PART = 7;
/** Of Jobs with a list and no batch, those whose items say their image. */
const IMAGED_SHARE = 0.8;
const [COLUMN, MEMORY, IMAGE] = ['F', 'memory', 'image'];
/** Items say them in turn; an item without one has the template's. */
const IMAGES = ['a:1', '', 'b:1', 'a:2', 'c:1'];
/** What items say in turn, and Fargate's smallest size for it: CPU units and MiB. The Pods themselves ask for nothing. */
const SIZES = [
  ['', '256/512'],
  ['3Gi', '512/3072'],
  ['1Gi', '256/1024'],
  ['20Gi', '4096/20480'],
] as const;

/** The list of one seed. `mark` tells its items from those of others. */
export type SeedList = {
  readonly uid: JobUid;
  readonly content: string;
  readonly count: number;
  readonly batch: number;
  readonly isNamed: boolean;
  /** Its items say how much memory they need. */
  readonly isSized: boolean;
  /** Its items say their image. */
  readonly isImaged: boolean;
  /** The image of the template. */
  readonly image: string;
};

/** The items of a list, whatever its Job does with them. */
type Items = Pick<SeedList, 'content' | 'count' | 'isSized' | 'isImaged'>;

const ANOTHER = 'another ';

const itemOf = (content: string, number: number): string => `${content} item ${number}`;
/** A list that is made anew says other sizes and images. */
const turnOf = (content: string, number: number, length: number): number =>
  (number + (content.startsWith(ANOTHER) ? 1 : 0)) % length;
const sizeNoOf = (content: string, number: number): number => turnOf(content, number, SIZES.length);
const imageOf = (content: string, number: number): string => IMAGES[turnOf(content, number, IMAGES.length)] ?? '';

const rowsOf = ({ content, count, isSized, isImaged }: Items): readonly (readonly string[])[] =>
  Array.from({ length: count }, (_, number) => [
    itemOf(content, number),
    ...(isSized ? [SIZES[sizeNoOf(content, number)]?.[0] ?? ''] : []),
    ...(isImaged ? [imageOf(content, number)] : []),
  ]);
const columnsOf = ({ isSized, isImaged }: Pick<SeedList, 'isSized' | 'isImaged'>): readonly string[] => [
  COLUMN,
  ...(isSized ? [MEMORY] : []),
  ...(isImaged ? [IMAGE] : []),
];

const numbersOf = ({ count, batch }: SeedList, index: number): readonly number[] =>
  Array.from({ length: Math.min(batch, count - index * batch) }, (_, nth) => index * batch + nth);

/** What the task of an index must have in its variable {@link COLUMN}. */
export const trueValue = (list: SeedList, index: number): string =>
  numbersOf(list, index)
    .map((number) => itemOf(list.content, number))
    .join('\n');

/** The size that the task of an index must have, as `CPU/MiB`; null: that of the Pod template. */
export function trueSize(list: SeedList, index: number): string | null {
  if (!list.isSized) return null;
  const said = numbersOf(list, index).map((number) => SIZES[sizeNoOf(list.content, number)]?.[1] ?? '');
  const memoryOf = (size: string): number => Number(size.split('/')[1]);
  return said.reduce((largest, size) => (memoryOf(size) > memoryOf(largest) ? size : largest));
}

/** The image that the task of an index must run in; null: the list says nothing of images. */
export const trueImage = ({ content, image, isImaged }: SeedList, index: number): string | null =>
  isImaged ? imageOf(content, index) || image : null;

export const LIST_VARIABLE = COLUMN;

/** The Job as it was, or with a list of items, inline or by name, one or several for each index. */
export function listByLuck(
  spec: StoredSpec,
  random: Random,
): { readonly spec: StoredSpec; readonly list: SeedList | null } {
  const { completionMode, completions = 0 } = spec.manifest.spec;
  if (completionMode !== 'Indexed' || completions < 1 || completions > 500 || !random.chance(SHARE))
    return { spec, list: null };
  const batch = random.pick([1, 1, 2, 5]);
  const count = batch * completions - random.between(0, batch - 1);
  const { uid } = spec.identity;
  const isNamed = random.chance(NAMED_SHARE) && KEEPER !== undefined;
  const isSized = random.chance(SIZED_SHARE);
  const isImaged = batch === 1 && random.chance(IMAGED_SHARE);
  const list = { uid, content: `list of ${uid}`, count, batch, isNamed, isSized, isImaged, image: ownImage(spec) };
  return { spec: withList(spec, list), list };
}

/** The Job with a list of its own, which it names; `isImaged`: its items say their image. */
export function withNamedList(
  spec: StoredSpec,
  isImaged = false,
): { readonly spec: StoredSpec; readonly list: SeedList } {
  const { uid } = spec.identity;
  const count = spec.manifest.spec.completions ?? 0;
  const list = {
    uid,
    content: `list of ${uid}`,
    count,
    batch: 1,
    isNamed: KEEPER !== undefined,
    isSized: false,
    isImaged,
    image: ownImage(spec),
  };
  return { spec: withList(spec, list), list };
}

const ownImage = ({ manifest }: StoredSpec): string => manifest.spec.template.spec.containers[0]?.image ?? '';

function withList(spec: StoredSpec, list: SeedList): StoredSpec {
  const { metadata } = spec.manifest;
  const annotations = {
    ...metadata.annotations,
    ...(list.batch === 1 ? {} : { [ANNOTATIONS.batch]: String(list.batch) }),
    ...(list.isSized ? { [ANNOTATIONS.resourcesFromItems]: 'true' } : {}),
    ...(list.isImaged ? { [ANNOTATIONS.imageFromItems]: 'true' } : {}),
    ...(list.isNamed && KEEPER !== undefined
      ? { [KEEPER.key]: nameOf(list), [ANNOTATIONS.pinnedItems]: pinOf(list) }
      : { [ANNOTATIONS.items]: inline(list) }),
  };
  return { ...spec, manifest: { ...spec.manifest, metadata: { ...metadata, annotations } } };
}

const inline = (list: SeedList): string => formatInlineItems({ columns: columnsOf(list), rows: rowsOf(list) });

function pinOf(list: SeedList): string {
  const { content, count, batch } = list;
  const columns = columnsOf(list);
  const widest = widestOf(columns.length, rowsOf(list));
  const taskColumns = taskColumnsOf(columns, rowsOf(list));
  return JSON.stringify({ content, columns, count, sha256: `${count}/${batch}`, widest, taskColumns });
}

/** Stores a list under its name, from the first call to the last as the API does it. */
export async function storeList(
  { uid, ...list }: Items & Pick<SeedList, 'uid'>,
  { items, objects }: Pick<Deps, 'items' | 'objects'>,
  at: EpochMs,
): Promise<void> {
  const { content } = list;
  const columns = columnsOf(list);
  const head: ContentHead = {
    content,
    namespace: 'default',
    name: nameOf({ uid }),
    columns,
    itemsPerPart: ITEMS_PER_PART,
    createdAt: at,
    sealed: null,
  };
  await items.begin(head);
  const hash = (text: string): string => String(text.length);
  const parts: readonly ItemPart[] = [...partsOf({ columns, rows: rowsOf(list) }, ITEMS_PER_PART, hash)];
  for (const part of parts) await items.writePart(head, part);
  const whole = sealedOf(parts, ITEMS_PER_PART, hash);
  if (whole.kind === 'ok') await items.seal(content, whole.sealed);
  await KEEPER?.show(nameOf({ uid }), content, { objects });
}

const nameOf = ({ uid }: Pick<SeedList, 'uid'>): string => `items-of-${uid}`;

/** Somebody deletes the list, and makes another under its name, as long. */
export async function replaceList(list: SeedList, deps: Deps): Promise<void> {
  await KEEPER?.remove(nameOf(list), list.content, deps);
  await storeList({ ...list, content: `${ANOTHER}${list.content}` }, deps, deps.clock.now());
}
