import { invariant } from '../../../domain/base/invariant.ts';
import { type ItemList, itemLine } from '../../../domain/items/item-list.ts';
import { type ItemPart, type SealedContent, partsOf, sealedOf } from '../../../domain/items/item-parts.ts';
import { jobItemsOf, matrixRows } from '../../../domain/items/job-items.ts';
import { ANNOTATIONS } from '../../../domain/manifests/annotations.ts';
import type { JobIdentity } from '../../../domain/manifests/job.ts';
import type { JobManifest } from '../../../domain/manifests/manifest.ts';
import { at } from '../../../kube/list/stored-field.ts';
import type { ItemStore } from '../../../ports/item-store.ts';
import { parseInlineItems } from '../../../schema/items/inline-items.ts';
import type { NamedList } from '../../../schema/items/job-items-rules.ts';
import { type FieldError, invalid } from '../../../schema/object/field-error.ts';
import { annotationPath } from '../../../schema/job/selection-rules.ts';
import { admitWorkList } from '../../../schema/worklist/work-list-admission.ts';

/** The WorkList that a simulated Job names, and what pins it. */
export type SimulatedList = {
  readonly list: ItemList;
  readonly parts: readonly ItemPart[];
  readonly sealed: SealedContent;
  readonly named: NamedList;
};

type Found =
  /** null: the Job names no WorkList */
  | { readonly kind: 'ok'; readonly list: SimulatedList | null }
  | { readonly kind: 'refused'; readonly errors: readonly FieldError[] };

const CONTENT = 'simulated';
const ITEMS_PER_PART = 1_000;

/**
 * The WorkList that a Job names. A simulation has no server to ask: the list stands beside the Job, or its items are given.
 *
 * @param name what the Job's annotation says; undefined: it names none
 * @param documents WorkLists beside the Job
 * @param items what takes the place of the WorkList that is named; null: nothing
 */
export function findSimulatedList(
  name: unknown,
  { documents, items, namespace }: SimulatedLists & { readonly namespace: string },
  hash: (text: string) => string,
): Found {
  const path = annotationPath(ANNOTATIONS.workList);
  const unfit = (why: string): Found => ({ kind: 'refused', errors: [invalid(path, name ?? null, why)] });
  if (typeof name !== 'string') return items === null ? NO_LIST : unfit('is needed where --items gives its items');
  if (items !== null) return { kind: 'ok', list: pinnable(items, hash) };
  const document = documents.find((each) => at(each, 'metadata', 'name') === name);
  if (document === undefined)
    return unfit('that WorkList is not simulated: put it beside the Job, or give its items with --items');
  const admission = admitWorkList(document, { namespace, nameSuffix: '', fieldValidation: 'Strict' });
  if (admission.kind === 'undecodable') return unfit(`that WorkList is refused: ${admission.message}`);
  if (admission.kind === 'invalid')
    return { kind: 'refused', errors: admission.errors.map((each) => ({ ...each, path: `WorkList ${each.path}` })) };
  if (admission.items.kind === 'parts') return unfit('that WorkList gets its items later: give them with --items');
  return { kind: 'ok', list: pinnable(admission.items.list, hash) };
}

/** What a simulation is given in place of stored WorkLists. */
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
