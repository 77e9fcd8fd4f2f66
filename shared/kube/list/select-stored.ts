import type { Context } from 'hono';
import type { StoredKind } from '../../ports/object-store.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { followed } from '../feed/watched.ts';
import { type Parsed, ok } from '../http/query.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors/label-selector.ts';
import type { Collection } from './collection.ts';
import { type StoredSelection, listStored, watchStored } from './stored-objects.ts';

/** A kind whose objects are stored as they are shown. */
export type ListedKind = Pick<Collection, 'resource' | 'apiVersion' | 'printer'> &
  Pick<StoredSelection, 'before'> & {
    readonly kind: StoredKind;
    /** What a field selector may name; omitted: {@link USUAL_FIELDS}. */
    readonly fields?: SelectableFields;
  };

/** Fields that a field selector may name. They never change, or `before` says what they were. */
export type SelectableFields = Readonly<Record<string, (object: KubeObject) => string>>;

export const USUAL_FIELDS: SelectableFields = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace ?? '',
};

/** The objects of a namespace (null: of all) that match a request's selectors. `bad`: a selector cannot be read. */
export function selectStored(
  c: Context,
  namespace: string | null,
  { kind, fields: known = USUAL_FIELDS, before, ...shown }: ListedKind,
  { objects, tails }: Pick<ApiDeps, 'objects' | 'tails'>,
): Parsed<Collection> {
  const { labelSelector, fieldSelector } = c.req.query();
  const labels = parseLabelSelector(labelSelector);
  if (labels.kind === 'bad') return labels;
  const fields = parseFieldSelector(fieldSelector, Object.keys(known));
  if (fields.kind === 'bad') return fields;
  const valuesOf = (object: KubeObject) =>
    Object.fromEntries(Object.entries(known).map(([path, value]) => [path, value(object)]));
  const selection: StoredSelection = {
    kind,
    apiVersion: shown.apiVersion,
    namespace: namespace ?? fields.value.exact('metadata.namespace') ?? null,
    matches: (object) => labels.value.matches(object.metadata.labels ?? {}) && fields.value.matches(valuesOf(object)),
    ...(before === undefined ? {} : { before }),
  };
  return ok({
    ...shown,
    list: (page) => listStored(selection, page, objects),
    watch: () => followed(tails.of(kind), watchStored(selection, objects)),
  });
}
