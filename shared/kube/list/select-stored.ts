import type { Context } from 'hono';
import type { StoredKind } from '../../ports/object-store.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { followed } from '../feed/watched.ts';
import { type Parsed, ok } from '../http/query.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors/label-selector.ts';
import type { Collection } from './collection.ts';
import { type Selection, listStored, watchStored } from './stored-objects.ts';

/** A kind whose objects are stored as they are shown, and live in namespaces. */
export type ListedKind = Pick<Collection, 'resource' | 'apiVersion' | 'printer'> & {
  readonly kind: StoredKind;
  /** Further fields that a field selector may name, which never change; omitted: none. */
  readonly fields?: Readonly<Record<string, (object: KubeObject) => string>>;
};

/** The objects of a namespace (null: of all) that match a request's selectors. `bad`: a selector cannot be read. */
export function selectStored(
  c: Context,
  namespace: string | null,
  { kind, fields: further = {}, ...shown }: ListedKind,
  { objects, tails }: Pick<ApiDeps, 'objects' | 'tails'>,
): Parsed<Collection> {
  const { labelSelector, fieldSelector } = c.req.query();
  const labels = parseLabelSelector(labelSelector);
  if (labels.kind === 'bad') return labels;
  const fields = parseFieldSelector(fieldSelector, ['metadata.name', 'metadata.namespace', ...Object.keys(further)]);
  if (fields.kind === 'bad') return fields;
  const valuesOf = (object: KubeObject) =>
    Object.fromEntries(Object.entries(further).map(([path, value]) => [path, value(object)]));
  const selection: Selection = {
    kind,
    apiVersion: shown.apiVersion,
    namespace: namespace ?? fields.value.exact('metadata.namespace') ?? null,
    matches: (object) => {
      const { name, namespace: home = '', labels: has = {} } = object.metadata;
      const values = { 'metadata.name': name, 'metadata.namespace': home, ...valuesOf(object) };
      return labels.value.matches(has) && fields.value.matches(values);
    },
  };
  return ok({
    ...shown,
    list: (page) => listStored(selection, page, objects),
    watch: () => followed(tails.of(kind), watchStored(selection, objects)),
  });
}
