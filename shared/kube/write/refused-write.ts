import { type FieldError, REDACTED, invalid } from '../../schema/object/field-error.ts';
import type { Undecodable } from '../../schema/object/read-object.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import {
  type Resource,
  type StatusError,
  alreadyExists,
  badRequest,
  namespaceTerminating,
  invalidObject,
  notFound,
} from '../http/status-error.ts';
import type { ObjectName, Refusal } from './writable-kind.ts';

/** The answer for an object that was not admitted: 422, also if a `patch` has made it unreadable. */
export function notAdmitted(
  resource: Resource,
  refused: Undecodable | { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] },
  patch?: unknown,
): StatusError {
  if (refused.kind === 'invalid') return invalidObject(resource, refused.name, refused.errors);
  if (patch !== undefined) {
    const message = refused.message.replace(/^.* cannot be handled as an? \w+: (?=strict decoding error: )/, '');
    const said = resource.isConfidential === true ? REDACTED : JSON.stringify(patch);
    return invalidObject(NOTHING, '', [invalid('patch', said, message)]);
  }
  return badRequest(
    refused.message,
    refused.problems.map(({ path, message }) => ({ reason: 'FieldValueInvalid', message, field: path })),
  );
}

/** Kubernetes does not name the kind in messages about a patch. */
const NOTHING: Resource = { group: '', plural: '', kind: '' };

/** The answer for an object that cannot be in its place. */
export function notCreated(resource: Resource, { namespace, name }: ObjectName, refusal: Refusal): StatusError {
  switch (refusal) {
    case 'taken':
      return alreadyExists(resource, name);
    case 'noNamespace':
      return notFound(API_KINDS.Namespace, namespace);
    case 'terminating':
      return namespaceTerminating(resource, name, namespace);
  }
}
