import type { Context } from 'hono';
import type { ApiDeps } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { badRequest, errorResponse } from '../http/status-error.ts';
import { changeObject, metadataOf } from './change-object.ts';
import { readDocument } from './read-document.ts';
import { withWarnings } from '../http/warnings.ts';
import type { Changeable, FoundObject, ObjectName } from './writable-kind.ts';
import { writeOptions } from './write-options.ts';

/** Answers `PUT`: the document replaces the object, if it names the current version or none. */
export async function updateObject<F extends FoundObject, A>(
  c: Context,
  kind: Changeable<F, A>,
  key: ObjectName,
  show: (object: KubeObject, code: 200 | 201) => Response,
  deps: ApiDeps,
): Promise<Response> {
  const options = writeOptions(c, 'UpdateOptions');
  if (options.kind === 'bad') return errorResponse(options.error);
  const request = { ...options.value, user: deps.callerOf(c) };
  const sent = await readDocument(c, kind, options.value.fieldValidation);
  if (sent.kind === 'bad') return errorResponse(sent.error);
  const { value: document, warnings } = sent.value;
  const { name = '', namespace = key.namespace } = metadataOf(document);
  if (name !== key.name)
    return errorResponse(
      badRequest(`the name of the object (${String(name)}) does not match the name on the URL (${key.name})`),
    );
  // What is in no namespace loses the one that is named, as in Kubernetes.
  if (namespace !== '' && key.namespace !== '' && namespace !== key.namespace)
    return errorResponse(
      badRequest('the namespace of the provided object does not match the namespace sent on the request'),
    );
  const changed = await changeObject(kind, key, () => ({ kind: 'wish', wanted: { document } }), request, deps);
  if (changed.kind === 'refused') return errorResponse(changed.error);
  return withWarnings(show(changed.object, 200), [...warnings, ...changed.warnings]);
}
