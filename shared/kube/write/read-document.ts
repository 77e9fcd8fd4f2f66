import type { Context } from 'hono';
import { type FieldValidation, type Undecodable, refusedReading } from '../../schema/object/read-object.ts';
import { readBody } from '../http/request-body.ts';
import { type Resource, badRequest } from '../http/status-error.ts';
import { KINDS } from '../../schema/kinds/kinds.ts';
import { refusedFloats } from '../patch/float-fields.ts';
import { isObject, without } from '../patch/json-value.ts';
import { typedErrors } from '../apply/type-errors.ts';
import { notAdmitted } from './refused-write.ts';
import type { Read } from './write-options.ts';

export type SentDocument = { readonly value: unknown; readonly warnings: readonly string[] };

/** Parses the whole object that a create or an update sends; a duplicate field is treated like an unknown one. */
export async function readDocument(
  c: Context,
  resource: Resource,
  fieldValidation: FieldValidation,
): Promise<Read<SentDocument>> {
  const { kind } = resource;
  const body = await readBody(c);
  if (body.kind === 'refused') return { kind: 'bad', error: body.error };
  if (body.kind === 'empty') return unrecognised(kind, 'the body is empty');
  const { document } = body;
  if (document.kind === 'unreadable') return unrecognised(kind, document.reason);
  const refused = refusedFloats(kind, document.floats ?? []);
  if (refused !== null) return { kind: 'bad', error: notAdmitted(resource, refused) };
  if (document.kind === 'parsed') return { kind: 'ok', value: { value: document.value, warnings: [] } };
  if (fieldValidation === 'Strict') {
    const error = notAdmitted(resource, twiceAndUnknown(kind, document.reason, document.value));
    return { kind: 'bad', error };
  }
  const warnings = fieldValidation === 'Warn' ? [document.reason] : [];
  return { kind: 'ok', value: { value: document.value, warnings } };
}

/**
 * Both kinds of strict decoding errors at once: duplicate fields and unknown fields.
 *
 * @param twice the message for the duplicate field
 * @param value the object to check for unknown fields
 */
export function twiceAndUnknown(kind: string, twice: string, value: unknown): Undecodable {
  const errors = [twice, ...unknownFields(kind, value)].join(', ');
  return refusedReading(`${kind} in version "v1" cannot be handled as a ${kind}: strict decoding error: ${errors}`);
}

const unknownFields = (kind: string, value: unknown): readonly string[] =>
  typedErrors(KINDS, { is: 'object', of: kind }, withoutType(value))
    .filter((fieldError) => fieldError.endsWith(UNDECLARED))
    .map((fieldError) => `unknown field ${JSON.stringify(fieldError.slice(1, -UNDECLARED.length))}`);

const UNDECLARED = ': field not declared in schema';

const withoutType = (value: unknown): unknown => (isObject(value) ? without(value, ['apiVersion', 'kind']) : value);

const unrecognised = (kind: string, reason: string): Read<never> => ({
  kind: 'bad',
  error: badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; ${reason}`,
  ),
});
