import { DEFAULT_ACCOUNT } from '../../domain/callers/accounts.ts';
import { RUN_ANEW, immutableErrors } from '../object/object-update.ts';
import type { ItemValues } from '../../domain/base/late-text.ts';
import {
  type JobItems,
  type PinnedItems,
  indexCount,
  jobItemsOf,
  widestOf,
  widestOfMatrix,
  widestValues,
} from '../../domain/items/job-items.ts';
import { type ItemList, lineBreakFault } from '../../domain/items/item-list.ts';
import { combinationsOf, parseMatrix, taskColumnsOfMatrix } from '../../domain/items/job-matrix.ts';
import { type TaskColumns, taskColumnsOf } from '../../domain/items/task-columns.ts';
import { ANNOTATIONS, parseBatch } from '../../domain/manifests/annotations.ts';
import { LIST_KEYS, namingOf, pinnedBy } from '../../domain/manifests/annotations/lists.ts';
import type { Labels } from '../../domain/manifests/manifest.ts';
import { type FieldError, forbidden, invalid, notFound } from '../object/field-error.ts';
import { parseInlineItems } from './inline-items.ts';
import { matrixErrors } from './matrix-rules.ts';

/** A Job's work list as admission needs it. */
export type AdmittedItems = {
  readonly items: JobItems;
  /** Indexes that the list makes. */
  readonly completions: number;
  readonly widest: ItemValues;
  /** Undefined: an older Muster has made the list, or none of its columns may be about tasks. */
  readonly taskColumns: TaskColumns | undefined;
};

type ReadItems =
  /** null: the Job has no work list */
  | { readonly kind: 'ok'; readonly admitted: AdmittedItems | null }
  | { readonly kind: 'bad'; readonly errors: readonly FieldError[] };

/** What is known of the list that a Job names, when it is created. */
export type NamedList =
  | ({
      readonly kind: 'sealed';
      /** ServiceAccounts that its writer could use; omitted: all. */
      readonly accounts?: readonly string[] | undefined;
    } & PinnedItems)
  /** It has not got all of its items yet. */
  | { readonly kind: 'open' }
  | { readonly kind: 'absent' };

const pathOf = (key: string): string => `metadata.annotations[${key}]`;

/**
 * The annotations of a new Job with the list pinned that it names: nothing that happens to the list later changes the Job.
 *
 * @param list what the Job names; null: it names none
 */
export function pinItems(
  annotations: Labels | undefined,
  list: NamedList | null,
): { readonly annotations: Labels | undefined; readonly errors: readonly FieldError[] } {
  const { [ANNOTATIONS.pinnedItems]: given, ...others } = annotations ?? {};
  if (given !== undefined)
    return {
      annotations: others,
      errors: [forbidden(pathOf(ANNOTATIONS.pinnedItems), 'the server sets it; leave it out of a new Job')],
    };
  const naming = namingOf(annotations);
  if (naming === null || list === null) return { annotations, errors: [] };
  const name = annotations?.[naming.key];
  const path = pathOf(naming.key);
  if (list.kind === 'absent') return { annotations, errors: [notFound(path, name)] };
  if (list.kind === 'open')
    return { annotations, errors: [invalid(path, name, `the ${naming.names} is not sealed yet: it lacks items`)] };
  const { content, columns, count, sha256, widest, taskColumns } = list;
  const pin: PinnedItems = { content, columns, count, sha256, widest, taskColumns };
  return { annotations: { ...annotations, [ANNOTATIONS.pinnedItems]: JSON.stringify(pin) }, errors: [] };
}

/**
 * What runs under a ServiceAccount is said by those who may use it, and a work list says a part of that: its items are words of the
 * command, variables of any name, and images.
 *
 * @param account null: the one that is named `default`, which everybody may use
 */
export function itemsAccountErrors(
  annotations: Labels | undefined,
  list: NamedList | null,
  account: string | null,
): readonly FieldError[] {
  if (list?.kind !== 'sealed' || account === null || account === DEFAULT_ACCOUNT) return [];
  const { accounts } = list;
  if (accounts === undefined || accounts.includes(account)) return [];
  const { key, names } = pinnedBy(annotations);
  const name = annotations?.[key] ?? '';
  const why = `the ${names} ${JSON.stringify(name)} was written by a user who may not use the ServiceAccount ${JSON.stringify(account)}; let one who may write it again`;
  return [forbidden(pathOf(key), why)];
}

/** The annotations of a changed Job: its pin stays, whatever the client sends. */
export function keepPin(annotations: Labels | undefined, before: Labels | undefined): Labels | undefined {
  const pin = before?.[ANNOTATIONS.pinnedItems];
  const { [ANNOTATIONS.pinnedItems]: _sent, ...others } = annotations ?? {};
  return pin === undefined ? others : { ...others, [ANNOTATIONS.pinnedItems]: pin };
}

/** A Job has its work list for life. A client may leave out the pin, which it has not set. */
export function pinChangeErrors(sent: Labels | undefined, before: Labels | undefined): readonly FieldError[] {
  const pin = ANNOTATIONS.pinnedItems;
  if (sent?.[pin] === undefined) return [];
  return immutableErrors(pathOf(pin), sent[pin], before?.[pin], RUN_ANEW);
}

/** Whether these annotations give a work list, in whatever way. */
export const givesItems = (annotations: Labels | undefined): boolean =>
  LIST_KEYS.some((key) => annotations?.[key] !== undefined);

/** Reads the work list of a Job, with every fault of the list itself; the rows of annotations have the others. */
export function readItems(annotations: Labels | undefined): ReadItems {
  const text = annotations?.[ANNOTATIONS.items];
  const matrix = annotations?.[ANNOTATIONS.matrix];
  const batch = annotations?.[ANNOTATIONS.batch];
  const [first, ...others] = LIST_KEYS.filter((key) => annotations?.[key] !== undefined);
  const errors = others.map((key) => forbidden(pathOf(key), `a Job has one work list: leave out ${first}`));
  if (text !== undefined) errors.push(...inlineErrors(text, batch !== undefined));
  if (matrix !== undefined) {
    const path = pathOf(ANNOTATIONS.matrix);
    const faults = matrixErrors(matrix, path);
    errors.push(...faults, ...(batch === undefined || faults.length > 0 ? [] : brokenValues(matrix, path)));
  }
  if (errors.length > 0 || (batch !== undefined && parseBatch(batch) === null)) return { kind: 'bad', errors };
  const items = jobItemsOf({ metadata: { annotations } });
  return { kind: 'ok', admitted: items === null ? null : admittedOf(items) };
}

/** More of them help nobody. */
const FAULTS_MAX = 10;

function inlineErrors(text: string, isBatched: boolean): readonly FieldError[] {
  const path = pathOf(ANNOTATIONS.items);
  const parsed = parseInlineItems(text);
  const faults = parsed.kind === 'bad' ? parsed.faults : isBatched ? brokenItems(parsed.list) : [];
  return faults.slice(0, FAULTS_MAX).map(({ line, message }) => invalid(path, undefined, `line ${line}: ${message}`));
}

/** In an inline list each item is a line, and the first has the columns. */
const brokenItems = ({ columns, rows }: ItemList) =>
  rows.flatMap((row, i) => {
    const message = lineBreakFault(columns, row);
    return message === null ? [] : [{ line: i + 2, message }];
  });

function brokenValues(matrix: string, path: string): readonly FieldError[] {
  const found = parseMatrix(matrix)?.values.find(({ values }) => values.some((value) => value.includes('\n')));
  return found === undefined ? [] : [invalid(path, undefined, lineBreakFault([found.name], ['\n']) ?? '')];
}

function admittedOf(items: JobItems): AdmittedItems {
  const { source, columns, batch } = items;
  if (source.kind === 'pinned')
    return {
      items,
      completions: indexCount(source.count, batch),
      widest: widestValues({ columns, widest: source.widest, batch }),
      taskColumns: source.taskColumns,
    };
  if (source.kind === 'matrix')
    return {
      items,
      completions: indexCount(combinationsOf(source), batch),
      widest: widestValues({ columns, widest: widestOfMatrix(source), batch }),
      taskColumns: taskColumnsOfMatrix(source),
    };
  const parsed = parseInlineItems(source.text);
  const rows = parsed.kind === 'ok' ? parsed.list.rows : [];
  const widest = widestOf(columns.length, rows);
  return {
    items,
    completions: indexCount(rows.length, batch),
    widest: widestValues({ columns, widest, batch }),
    taskColumns: taskColumnsOf(columns, rows),
  };
}

/** What a Job's spec must be to have this work list. */
export function itemSpecErrors(
  { items, completions }: AdmittedItems,
  spec: { readonly completions?: number | undefined; readonly completionMode: string },
): readonly FieldError[] {
  if (spec.completionMode !== 'Indexed')
    return [invalid('spec.completionMode', spec.completionMode, 'must be Indexed: the Job has a work list')];
  if (spec.completions === completions) return [];
  const batch = items.batch > 1 ? `, ${items.batch} items for each index` : '';
  const why = `must be ${completions}, as its work list says${batch}; or leave it out`;
  return [invalid('spec.completions', spec.completions, why)];
}

/** A Job with a work list is Indexed and has as many completions as the list says, unless it says otherwise. */
export const withItemDefaults = <
  S extends { readonly completions?: number | undefined; readonly completionMode?: string | undefined },
>(
  spec: S,
  admitted: AdmittedItems | null,
): S =>
  admitted === null
    ? spec
    : {
        ...spec,
        completions: spec.completions ?? admitted.completions,
        completionMode: spec.completionMode ?? 'Indexed',
      };
