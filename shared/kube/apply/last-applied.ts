import type { KindTable } from '../../schema/kinds/kind-table.ts';
import { EMPTY, type FieldSet, difference } from './field-set.ts';
import { type JsonObject, isObject, own, without } from '../patch/json-value.ts';
import { compareFields, fieldsOf } from './object-fields.ts';
import { shared } from './tracked-fields.ts';
import { typedErrors } from './type-errors.ts';

/** Where client-side `kubectl apply` stores what it sent. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The fields that client-side apply set and that are unchanged: when kubectl switches to server-side apply, it takes them over
 * without a conflict (managedfields, lastAppliedManager).
 */
export function lastApplied(table: KindTable, type: string, live: JsonObject): FieldSet {
  const said = parsed(annotation(live));
  if (!isObject(said) || own(said, 'apiVersion') !== own(live, 'apiVersion')) return EMPTY;
  const root = { is: 'object', of: type } as const;
  const [config, now] = [shared(said), shared(live)];
  if (typedErrors(table, root, config).length > 0) return EMPTY;
  const { added, modified, removed } = compareFields(table, root, config, now);
  return [added, modified, removed].reduce(difference, fieldsOf(table, root, config));
}

/**
 * The object with the annotation updated, if it has one: kubectl may return to client-side apply (managedfields,
 * lastAppliedUpdater).
 */
export function withLastApplied(object: JsonObject, config: JsonObject, byKubectl: boolean): JsonObject {
  const metadata = own(object, 'metadata');
  if (!byKubectl || annotation(object) === '' || !isObject(metadata)) return object;
  const annotations = own(metadata, 'annotations');
  const said = `${goJson(configWithoutAnnotation(config))}\n`;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...(isObject(annotations) ? annotations : {}), [LAST_APPLIED]: said } },
  };
}

function annotation(object: JsonObject): string {
  const metadata = own(object, 'metadata');
  const annotations = isObject(metadata) ? own(metadata, 'annotations') : undefined;
  const said = isObject(annotations) ? own(annotations, LAST_APPLIED) : undefined;
  return typeof said === 'string' ? said : '';
}

function configWithoutAnnotation(config: JsonObject): JsonObject {
  const metadata = own(config, 'metadata');
  const annotations = isObject(metadata) ? own(metadata, 'annotations') : undefined;
  if (!isObject(metadata) || !isObject(annotations)) return config;
  return { ...config, metadata: { ...metadata, annotations: without(annotations, [LAST_APPLIED]) } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** JSON as Go's encoder writes it, with sorted keys and HTML escapes: kubectl compares the text. */
const goJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  ).replaceAll(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
