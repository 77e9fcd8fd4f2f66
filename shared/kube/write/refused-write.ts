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

/** As the API server (endpoints/filters/warning.go): beyond so many characters warnings are cut, and then left out. */
const WARNINGS_CHARS_MAX = 4096;
const CUT_WARNING_CHARS = 256;

/**
 * Adds Kubernetes' warnings to an answer: kubectl prints them. A header takes printable ASCII only, and a gateway takes
 * 10 KB of headers: with more, the answer to what is stored already would be lost.
 */
export function withWarnings(response: Response, warnings: readonly string[]): Response {
  const texts = [...new Set(warnings)];
  const whole = texts.map((text) => headerOf(text));
  const isTooMuch = lengthOf(whole) > WARNINGS_CHARS_MAX;
  const headers = isTooMuch ? texts.map((text) => headerOf(text.slice(0, CUT_WARNING_CHARS))) : whole;
  let left = WARNINGS_CHARS_MAX;
  for (const header of headers) {
    left -= header.length;
    if (left < 0) break;
    response.headers.append('warning', header);
  }
  return response;
}

const headerOf = (text: string): string => `299 - ${JSON.stringify(text.replaceAll(/[^ -~]/g, '?'))}`;

const lengthOf = (texts: readonly string[]): number => texts.reduce((length, text) => length + text.length, 0);
