import type { Context } from 'hono';
import { type FieldValidation, type Undecodable, refusedReading } from '../../schema/object/read-object.ts';
import { readBody } from '../http/request-body.ts';
import { badRequest } from '../http/status-error.ts';
import { KINDS } from '../../schema/kinds/kinds.ts';
import { refusedFloats } from '../patch/float-fields.ts';
import { isObject, without } from '../patch/json-value.ts';
import { typedErrors } from '../apply/type-errors.ts';
import { notAdmitted } from './refused-write.ts';
import type { Found, WritableKind } from './writable-kind.ts';
import type { Read } from './write-options.ts';

/** A kind, as far as its documents are read. */
export type WrittenKind = Pick<WritableKind<Found, unknown>, 'type' | 'resource' | 'apiVersion'>;

export type SentDocument = { readonly value: unknown; readonly warnings: readonly string[] };

/** Parses the whole object that a create or an update sends; a duplicate field is treated like an unknown one. */
export async function readDocument(
  c: Context,
  written: WrittenKind,
  fieldValidation: FieldValidation,
): Promise<Read<SentDocument>> {
  const { resource } = written;
  const { kind } = resource;
  const body = await readBody(c);
  if (body.kind === 'refused') return { kind: 'bad', error: body.error };
  if (body.kind === 'empty') return unrecognised(kind, 'the body is empty');
  const { document } = body;
  if (document.kind === 'unreadable') return unrecognised(kind, document.reason);
  const refused = refusedFloats(written, document.floats ?? []);
  if (refused !== null) return { kind: 'bad', error: notAdmitted(resource, refused) };
  if (document.kind === 'parsed') return { kind: 'ok', value: { value: document.value, warnings: [] } };
  if (fieldValidation === 'Strict') {
    const error = notAdmitted(resource, twiceAndUnknown(written, document.reason, document.value));
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
export function twiceAndUnknown(
  { type, resource, apiVersion }: WrittenKind,
  twice: string,
  value: unknown,
): Undecodable {
  const { kind } = resource;
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const errors = [twice, ...unknownFields(type, value)].join(', ');
  return refusedReading(
    `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${errors}`,
  );
}

const unknownFields = (type: string, value: unknown): readonly string[] =>
  typedErrors(KINDS, { is: 'object', of: type }, withoutType(value))
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
