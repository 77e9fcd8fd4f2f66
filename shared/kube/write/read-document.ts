import type { Context } from 'hono';
import { type FieldValidation, type Undecodable, refusedReading } from '../../schema/read-object.ts';
import { readBody } from '../request-body.ts';
import { type Resource, badRequest } from '../status-error.ts';
import { KINDS } from '../../schema/kinds/kinds.ts';
import { refusedFloats } from '../patch/float-fields.ts';
import { isObject, without } from '../patch/json-value.ts';
import { typedFaults } from '../patch/typed-faults.ts';
import { notAdmitted } from './refused-write.ts';
import type { Read } from './write-options.ts';

export type SentDocument = { readonly value: unknown; readonly warnings: readonly string[] };

/** Reads the whole object that a create or an update sends; a field that stands twice is an unknown field's like. */
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
 * Both kinds of strict decoding errors, told at once: fields that stand twice, and those that there are not.
 *
 * @param twice what is said of the field that stands twice
 * @param value the object in which unknown fields are looked for
 */
export function twiceAndUnknown(kind: string, twice: string, value: unknown): Undecodable {
  const faults = [twice, ...unknownFields(kind, value)].join(', ');
  return refusedReading(`${kind} in version "v1" cannot be handled as a ${kind}: strict decoding error: ${faults}`);
}

const unknownFields = (kind: string, value: unknown): readonly string[] =>
  typedFaults(KINDS, { is: 'object', of: kind }, withoutType(value))
    .filter((fault) => fault.endsWith(UNDECLARED))
    .map((fault) => `unknown field ${JSON.stringify(fault.slice(1, -UNDECLARED.length))}`);

const UNDECLARED = ': field not declared in schema';

const withoutType = (value: unknown): unknown => (isObject(value) ? without(value, ['apiVersion', 'kind']) : value);

const unrecognised = (kind: string, reason: string): Read<never> => ({
  kind: 'bad',
  error: badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; ${reason}`,
  ),
});
