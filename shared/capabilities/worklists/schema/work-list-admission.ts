import * as z from 'zod';
import { REQUEST_LIMITS, generateMatrix, generateRange } from '../../../domain/items/generate-items.ts';
import { type ItemList, ONLY_COLUMN, columnsFault, itemFault } from '../../../domain/items/item-list.ts';
import type { ObjectMeta } from '../../../domain/manifests/manifest.ts';
import { LIST_FORMATS, type ListFormat } from '../../../schema/items/list-formats.ts';
import { parseItems } from '../../../schema/items/parse-items.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../schema/object/field-error.ts';
import { flag, int32, opt, text, texts } from '../../../schema/object/json-fields.ts';
import { annotationErrors, labelErrors } from '../../../schema/object/metadata-rules.ts';
import { objectMetadataShape, tieErrors, tiesOf } from '../../../schema/object/object-metadata.ts';
import { nameErrors, nameOf, nameWarnings } from '../../../schema/object/object-name.ts';
import { identityErrors, immutableText, isSame } from '../../../schema/object/object-update.ts';
import {
  type FieldValidation,
  type ReadObject,
  type Undecodable,
  readObject,
  misplacedReading,
} from '../../../schema/object/read-object.ts';

const valuesShape = opt(z.array(z.record(z.string(), z.string())));

const specShape = z.strictObject({
  columns: texts,
  items: opt(z.array(z.array(z.string()))),
  text,
  format: text,
  header: flag,
  skipEmpty: flag,
  matrix: opt(z.record(z.string(), z.array(z.string()))),
  include: valuesShape,
  exclude: valuesShape,
  range: text,
  itemsPerPart: int32,
});
export type WorkListSpec = z.output<typeof specShape>;

const WorkListShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: opt(specShape),
  // Muster sets it; a client may send back what it has read.
  status: opt(
    z.strictObject({ sealed: flag, items: opt(z.number()), bytes: opt(z.number()), sha256: text, longestItem: int32 }),
  ),
});
type WorkListShape = z.output<typeof WorkListShape>;

/** A WorkList as it is stored, without what the server adds. */
export type WorkListManifest = {
  readonly apiVersion: 'muster.run/v1';
  readonly kind: 'WorkList';
  readonly metadata: ObjectMeta;
  readonly spec: WorkListSpec;
};

/** `parts`: its items are sent later, this many in each part. */
export type WorkListItems =
  | { readonly kind: 'whole'; readonly list: ItemList }
  | { readonly kind: 'parts'; readonly columns: readonly string[]; readonly itemsPerPart: number };

type Invalid = { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] };

export type WorkListAdmission =
  | {
      readonly kind: 'ok';
      readonly manifest: WorkListManifest;
      readonly items: WorkListItems;
      readonly warnings: readonly string[];
    }
  | Invalid
  | Undecodable;

/** A part is read, checked, and written by one request. */
const ITEMS_PER_PART_MAX = 10_000;

/** Admits an external document as a new WorkList: all of its items, or none of it. */
export function admitWorkList(
  document: unknown,
  context: { readonly namespace: string; readonly nameSuffix: string; readonly fieldValidation: FieldValidation },
): WorkListAdmission {
  const { namespace, nameSuffix, fieldValidation } = context;
  const read = readWorkList(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata, spec = NO_SPEC } = read.object;
  const misplaced = misplacedReading(metadata, namespace);
  if (misplaced !== null) return misplaced;
  const name = nameOf(metadata, nameSuffix);
  const items = itemsIn(spec);
  const errors = [
    ...nameErrors(name, metadata),
    ...metadataErrors(metadata),
    ...(items.kind === 'bad' ? items.errors : []),
  ];
  if (errors.length > 0 || items.kind === 'bad') return { kind: 'invalid', name, errors };
  const manifest = manifestOf({ name, namespace, generateName: metadata?.generateName ?? '' }, metadata, spec);
  return {
    kind: 'ok',
    manifest,
    items: items.items,
    warnings: [...read.warnings, ...nameWarnings(name), ...items.warnings],
  };
}

export type WorkListUpdate =
  | {
      readonly kind: 'ok';
      readonly manifest: WorkListManifest;
      readonly warnings: readonly string[];
      readonly changed: 'nothing' | 'metadata';
    }
  | Invalid
  | Undecodable;

/** Admits a document that replaces a stored WorkList: labels and annotations may change, its items never do. */
export function admitWorkListUpdate(
  stored: { readonly manifest: WorkListManifest; readonly uid: string },
  document: unknown,
  { fieldValidation }: { readonly fieldValidation: FieldValidation },
): WorkListUpdate {
  const read = readWorkList(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata, spec = NO_SPEC } = read.object;
  const { name, namespace, generateName = '' } = stored.manifest.metadata;
  const errors = [
    ...identityErrors({ metadata }, stored),
    ...metadataErrors(metadata),
    ...(isSame(spec, stored.manifest.spec)
      ? []
      : [invalid('spec', undefined, immutableText('spec', spec, stored.manifest.spec, MAKE_ANOTHER))]),
  ];
  if (errors.length > 0) return { kind: 'invalid', name, errors };
  const manifest = manifestOf({ name, namespace, generateName }, metadata, stored.manifest.spec);
  const { managedFields: _managers, ...before } = stored.manifest.metadata;
  const changed = isSame(before, manifest.metadata) ? 'nothing' : 'metadata';
  return { kind: 'ok', manifest, warnings: read.warnings, changed };
}

const MAKE_ANOTHER = 'make another WorkList, and name it in new Jobs';

const NO_SPEC: WorkListSpec = specShape.parse({});

const readWorkList = (document: unknown, fieldValidation: FieldValidation): ReadObject<WorkListShape> =>
  readObject(document, fieldValidation, { apiVersion: 'muster.run/v1', kind: 'WorkList', shape: WorkListShape });

type Metadata = WorkListShape['metadata'];

const metadataErrors = (metadata: Metadata): readonly FieldError[] => [
  ...labelErrors('metadata.labels', metadata?.labels),
  ...annotationErrors('metadata.annotations', metadata?.annotations),
  ...tieErrors('metadata', tiesOf(metadata)),
  ...((metadata?.finalizers ?? []).length === 0
    ? []
    : [forbidden('metadata.finalizers', 'Jobs keep the items that they need; nothing waits for a WorkList')]),
];

function manifestOf(
  {
    name,
    namespace,
    generateName,
  }: { readonly name: string; readonly namespace: string; readonly generateName: string },
  metadata: Metadata,
  spec: WorkListSpec,
): WorkListManifest {
  const { labels, annotations } = metadata ?? {};
  return {
    apiVersion: 'muster.run/v1',
    kind: 'WorkList',
    metadata: {
      name,
      namespace,
      ...(generateName === '' ? {} : { generateName }),
      ...(labels === undefined || Object.keys(labels).length === 0 ? {} : { labels }),
      ...(annotations === undefined || Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...tiesOf(metadata),
    },
    spec: Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined)) as WorkListSpec,
  };
}

type ReadItems =
  | { readonly kind: 'ok'; readonly items: WorkListItems; readonly warnings: readonly string[] }
  | { readonly kind: 'bad'; readonly errors: readonly FieldError[] };

const bad = (...errors: readonly FieldError[]): ReadItems => ({ kind: 'bad', errors });
const whole = (list: ItemList): ReadItems => ({ kind: 'ok', items: { kind: 'whole', list }, warnings: [] });

const SOURCES = ['items', 'text', 'matrix', 'range', 'itemsPerPart'] as const;
/** Fields that have a meaning beside one source only. */
const BESIDE = { format: 'text', header: 'text', skipEmpty: 'text', include: 'matrix', exclude: 'matrix' } as const;

/** The items that the spec says, with the path of whatever is wrong. */
function itemsIn(spec: WorkListSpec): ReadItems {
  const given = SOURCES.filter((source) => spec[source] !== undefined);
  const [source] = given;
  if (source === undefined) return bad(required('spec', `one of ${SOURCES.join(', ')}`));
  const stray = Object.entries(BESIDE).filter(
    ([name, of]) => spec[name as keyof typeof BESIDE] !== undefined && of !== source,
  );
  const errors = [
    ...given
      .slice(1)
      .map((other) => forbidden(`spec.${other}`, `a WorkList has one source of items, and this has ${source}`)),
    ...stray.map(([name, of]) => forbidden(`spec.${name}`, `only beside ${of}`)),
  ];
  if (errors.length > 0) return bad(...errors);
  switch (source) {
    case 'items':
      return rowsIn(spec.columns ?? [ONLY_COLUMN], spec.items ?? []);
    case 'text':
      return textIn(spec);
    case 'matrix':
      return matrixIn(spec);
    case 'range':
      return generated(generateRange(spec.range ?? '', spec.columns?.[0] ?? ONLY_COLUMN, REQUEST_LIMITS));
    case 'itemsPerPart':
      return partsIn(spec);
  }
}

const FAULTS_MAX = 10;

function rowsIn(columns: readonly string[], rows: readonly (readonly string[])[]): ReadItems {
  const columnFault = columnsFault(columns);
  if (columnFault !== null) return bad(invalid('spec.columns', undefined, columnFault));
  if (rows.length === 0) return bad(required('spec.items', 'a list has at least one item'));
  const errors = rows.flatMap((row, index) => {
    const fault = itemFault(row, index, columns.length);
    return fault === null ? [] : [invalid(`spec.items[${index}]`, undefined, fault)];
  });
  return errors.length > 0 ? bad(...errors.slice(0, FAULTS_MAX)) : whole({ columns, rows });
}

function textIn({
  text: source = '',
  format = 'lines',
  header = false,
  skipEmpty = false,
  columns,
}: WorkListSpec): ReadItems {
  if (!isFormat(format)) return bad(notSupported('spec.format', format, [...LIST_FORMATS]));
  const parsed = parseItems(source, { format, header, skipEmpty, ...(columns === undefined ? {} : { columns }) });
  if (parsed.kind === 'ok') return whole(parsed.list);
  return bad(
    ...parsed.faults.map(({ line, column, message }) =>
      invalid('spec.text', undefined, `line ${line}${column === undefined ? '' : `, column ${column}`}: ${message}`),
    ),
  );
}

const isFormat = (format: string): format is ListFormat => LIST_FORMATS.some((known) => known === format);

/** JSON keeps no order of names that all clients respect, so names are in their own. */
function matrixIn({ matrix = {}, include, exclude, columns }: WorkListSpec): ReadItems {
  if (columns !== undefined) return bad(forbidden('spec.columns', 'the names of matrix are the columns'));
  const values = Object.entries(matrix)
    .map(([name, all]) => ({ name, values: all }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return generated(
    generateMatrix(
      {
        values,
        ...(include === undefined ? {} : { include }),
        ...(exclude === undefined ? {} : { exclude }),
      },
      REQUEST_LIMITS,
    ),
  );
}

const generated = (made: ReturnType<typeof generateMatrix>): ReadItems =>
  made.kind === 'ok'
    ? whole(made.list)
    : bad(...made.faults.map(({ path, message }) => invalid(`spec.${path}`, undefined, message)));

function partsIn({ columns = [ONLY_COLUMN], itemsPerPart = 0 }: WorkListSpec): ReadItems {
  const fault = columnsFault(columns);
  if (fault !== null) return bad(invalid('spec.columns', undefined, fault));
  if (itemsPerPart < 1 || itemsPerPart > ITEMS_PER_PART_MAX)
    return bad(invalid('spec.itemsPerPart', itemsPerPart, `must be between 1 and ${ITEMS_PER_PART_MAX}`));
  return { kind: 'ok', items: { kind: 'parts', columns, itemsPerPart }, warnings: [] };
}
