import type { EpochMs } from '../../domain/base/time.ts';
import type { KubeObject } from '../http/kube-object.ts';
import type { Form, MetaVersion } from '../http/negotiate.ts';
import type { Printer } from './printer.ts';
import type { Bookmark } from './watch.ts';

/** How objects are written in the requested form. */
export type Writer<T> = {
  /** One object, as an answer or in a watch. In a watch, only the first event has column definitions. */
  readonly object: (object: T, columns: Columns) => unknown;
  readonly bookmark: (bookmark: Bookmark, columns: Columns) => unknown;
  /** The beginning of a list without its metadata, and the field that holds its items. */
  readonly head: Readonly<Record<string, unknown>>;
  readonly field: 'items' | 'rows';
  readonly item: (object: T) => unknown;
  /** What decides an object's text: writers with the same value write it the same. */
  readonly formatKey: (columns: Columns) => string;
};

export type Columns = 'withColumns' | 'withoutColumns';

/** @param now ages in a table are relative to it, at the moment of writing */
export function writerOf<T extends KubeObject>(
  form: Form,
  of: { readonly kind: string; readonly apiVersion: string; readonly printer: Printer<T> },
  now: () => EpochMs,
): Writer<T> {
  switch (form.kind) {
    case 'plain':
      return {
        object: (object) => object,
        bookmark: (bookmark) => bookmark,
        head: { kind: `${of.kind}List`, apiVersion: of.apiVersion },
        field: 'items',
        item: (object) => object,
        formatKey: () => 'plain',
      };
    case 'metadata':
      return {
        object: (object) => partial(object, form.apiVersion),
        bookmark: (bookmark) => partial(bookmark, form.apiVersion),
        head: { kind: 'PartialObjectMetadataList', apiVersion: form.apiVersion },
        field: 'items',
        item: (object) => partial(object, form.apiVersion),
        formatKey: () => `metadata ${form.apiVersion}`,
      };
    case 'table':
      return tableWriter(form, of.printer, now);
  }
}

function tableWriter<T extends KubeObject>(
  { apiVersion, objects }: Extract<Form, { readonly kind: 'table' }>,
  { columns, cells, conditions }: Printer<T>,
  now: () => EpochMs,
): Writer<T> {
  const beside = (object: Partial): unknown => {
    if (objects === 'None') return null;
    return objects === 'Object' ? object : partial(object, apiVersion);
  };
  const item = (object: T) => {
    const said = conditions?.(object) ?? [];
    return {
      cells: cells(object, now()),
      ...(said.length === 0 ? {} : { conditions: said }),
      object: beside(object),
    };
  };
  const table = (resourceVersion: string, rows: readonly unknown[], named: Columns) => ({
    kind: 'Table',
    apiVersion,
    metadata: { resourceVersion },
    columnDefinitions: named === 'withColumns' ? columns : null,
    rows,
  });
  return {
    object: (object, named) => table(object.metadata.resourceVersion, [item(object)], named),
    bookmark: (bookmark, named) => {
      const row = { cells: columns.map(() => ''), object: beside(bookmark) };
      return table(bookmark.metadata.resourceVersion, [row], named);
    },
    head: { kind: 'Table', apiVersion, columnDefinitions: columns },
    field: 'rows',
    item,
    // Ages are in seconds.
    formatKey: (named) => `table ${apiVersion} ${objects} ${named} ${Math.floor(now() / 1000)}`,
  };
}

type Partial = { readonly kind: string; readonly apiVersion: string; readonly metadata: object };

const partial = ({ metadata }: Partial, apiVersion: MetaVersion) => ({
  kind: 'PartialObjectMetadata',
  apiVersion,
  metadata,
});
