import { ITEM_SOURCES } from '../../lists/item-sources.ts';
import { invariant } from '../../../domain/base/invariant.ts';
import { type ItemList, itemLine } from '../../../domain/items/item-list.ts';
import { type ItemPart, type SealedContent, partsOf, sealedOf } from '../../../domain/items/item-parts.ts';
import { jobItemsOf, matrixRows } from '../../../domain/items/job-items.ts';
import { pinnedBy } from '../../../domain/manifests/annotations/lists.ts';
import type { JobIdentity } from '../../../domain/manifests/job.ts';
import type { JobManifest } from '../../../domain/manifests/manifest.ts';
import { at } from '../../../kube/list/stored-field.ts';
import type { ItemStore } from '../../../ports/item-store.ts';
import { parseInlineItems } from '../../../schema/items/inline-items.ts';
import type { NamedList } from '../../../schema/items/job-items-rules.ts';
import { type FieldError, invalid } from '../../../schema/object/field-error.ts';
import { annotationPath } from '../../../schema/job/selection-rules.ts';

/** The list that a simulated Job names, and what pins it. */
export type SimulatedList = {
  readonly list: ItemList;
  readonly parts: readonly ItemPart[];
  readonly sealed: SealedContent;
  readonly named: NamedList;
};

type Found =
  /** null: the Job names none */
  | { readonly kind: 'ok'; readonly list: SimulatedList | null }
  | { readonly kind: 'refused'; readonly errors: readonly FieldError[] };

const CONTENT = 'simulated';
const ITEMS_PER_PART = 1_000;

/**
 * The list that a Job names. A simulation has no server to ask: the list stands beside the Job, or its items are given.
 *
 * @param annotations of the Job as it was written
 * @param documents of the kinds of {@link ITEM_SOURCES}, beside the Job
 * @param items what takes the place of the list that is named; null: nothing
 */
export function findSimulatedList(
  annotations: Readonly<Record<string, unknown>>,
  { documents, items, namespace }: SimulatedLists & { readonly namespace: string },
  hash: (text: string) => string,
): Found {
  const source = ITEM_SOURCES.find(({ key }) => typeof annotations[key] === 'string');
  const { key } = source ?? pinnedBy(annotations);
  const name = annotations[key];
  const unfit = (why: string): Found => ({
    kind: 'refused',
    errors: [invalid(annotationPath(key), name ?? null, why)],
  });
  if (source === undefined) return items === null ? NO_LIST : unfit('is needed where --items gives its items');
  if (items !== null) return { kind: 'ok', list: pinnable(items, hash) };
  const document = documents.find((each) => at(each, 'kind') === source.kind && at(each, 'metadata', 'name') === name);
  if (document === undefined)
    return unfit(`that ${source.kind} is not simulated: put it beside the Job, or give its items with --items`);
  const read = source.read(document, namespace);
  switch (read.kind) {
    case 'undecodable':
      return unfit(`that ${source.kind} is refused: ${read.message}`);
    case 'invalid':
      return {
        kind: 'refused',
        errors: read.errors.map((each) => ({ ...each, path: `${source.kind} ${each.path}` })),
      };
    case 'later':
      return unfit(`that ${source.kind} gets its items later: give them with --items`);
    case 'ok':
      return { kind: 'ok', list: pinnable(read.list, hash) };
  }
}

/** What a simulation is given in place of stored lists. */
export type SimulatedLists = { readonly documents: readonly unknown[]; readonly items: ItemList | null };

const NO_LIST: Found = { kind: 'ok', list: null };

function pinnable(list: ItemList, hash: (text: string) => string): SimulatedList {
  const parts = [...partsOf(list, ITEMS_PER_PART, hash)];
  const whole = sealedOf(parts, ITEMS_PER_PART, hash);
  invariant(whole.kind === 'ok', 'a list has items, and parts of our own are whole');
  const { sealed } = whole;
  const { count, sha256, widest } = sealed;
  const named: NamedList = { kind: 'sealed', content: CONTENT, columns: list.columns, count, sha256, widest };
  return { list, parts, sealed, named };
}

/** Stores the list as the API would have, and keeps it for the Job. */
export async function storeSimulatedList(
  { list, parts, sealed }: SimulatedList,
  { namespace, uid, createdAt }: JobIdentity,
  items: ItemStore,
): Promise<void> {
  const head = {
    content: CONTENT,
    namespace,
    name: CONTENT,
    columns: list.columns,
    itemsPerPart: ITEMS_PER_PART,
    createdAt,
    sealed: null,
  };
  await items.begin(head);
  for (const part of parts) await items.writePart(head, part);
  await items.seal(CONTENT, sealed);
  await items.reserve(CONTENT, uid, createdAt);
}

/** A function that says the items of an index, as lines; null: the Job has no work list. */
export function itemsByIndex(
  manifest: JobManifest,
  list: SimulatedList | null,
): ((index: number) => readonly string[]) | null {
  const items = jobItemsOf(manifest);
  if (items === null) return null;
  const { source, batch } = items;
  if (source.kind === 'matrix') return (index) => matrixRows(source, batch, index).map(itemLine);
  const rows = list?.list.rows ?? inlineRows(source.kind === 'inline' ? source.text : '');
  return (index) => rows.slice(index * batch, (index + 1) * batch).map(itemLine);
}

function inlineRows(text: string): ItemList['rows'] {
  const parsed = parseInlineItems(text);
  invariant(parsed.kind === 'ok', 'admission takes readable lists only');
  return parsed.list.rows;
}
