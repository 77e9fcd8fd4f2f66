import { type Fault, invalid } from '../../schema/fault.ts';
import type { Undecodable } from '../../schema/read-object.ts';
import {
  NAMESPACES,
  type Resource,
  type StatusError,
  alreadyExists,
  badRequest,
  namespaceTerminating,
  invalidObject,
  notFound,
} from '../status-error.ts';
import type { ObjectName, Refusal } from './writable-kind.ts';

/** What a client is told whose object was not admitted: 422, also where a `patch` has made something unreadable of it. */
export function notAdmitted(
  resource: Resource,
  refused: Undecodable | { readonly kind: 'invalid'; readonly name: string; readonly faults: readonly Fault[] },
  patch?: unknown,
): StatusError {
  if (refused.kind === 'invalid') return invalidObject(resource, refused.name, refused.faults);
  if (patch !== undefined) {
    const message = refused.message.replace(/^.* cannot be handled as an? \w+: (?=strict decoding error: )/, '');
    return invalidObject(NOTHING, '', [invalid('patch', JSON.stringify(patch), message)]);
  }
  return badRequest(
    refused.message,
    refused.problems.map(({ path, message }) => ({ reason: 'FieldValueInvalid', message, field: path })),
  );
}

/** Kubernetes names no kind where it speaks of a patch. */
const NOTHING: Resource = { group: '', plural: '', kind: '' };

/** What a client is told whose object cannot be where it should be. */
export function notCreated(resource: Resource, { namespace, name }: ObjectName, refusal: Refusal): StatusError {
  switch (refusal) {
    case 'taken':
      return alreadyExists(resource, name);
    case 'noNamespace':
      return notFound(NAMESPACES, namespace);
    case 'terminating':
      return namespaceTerminating(resource, name, namespace);
  }
}

/** Adds Kubernetes' warnings to an answer: kubectl prints them. A header takes printable ASCII only. */
export function withWarnings(response: Response, warnings: readonly string[]): Response {
  for (const text of warnings)
    response.headers.append('warning', `299 - ${JSON.stringify(text.replaceAll(/[^ -~]/g, '?'))}`);
  return response;
}
