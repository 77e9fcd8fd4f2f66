import type { Context } from 'hono';
import { REDACTED } from '../../schema/object/field-error.ts';
import type { FieldValidation } from '../../schema/object/read-object.ts';
import { readBody } from '../http/request-body.ts';
import { type Resource, badRequest } from '../http/status-error.ts';
import { refusedFloats } from '../patch/float-fields.ts';
import { isObject, own } from '../patch/json-value.ts';
import { notAdmitted } from './refused-write.ts';
import {
  type WrittenKind,
  faultsOfObject,
  hasFaults,
  isMistyped,
  refusedStrictly,
  warningsOf,
} from './strict-reading.ts';
import type { Read } from './write-options.ts';

export type SentDocument = { readonly value: unknown; readonly warnings: readonly string[] };

/** Parses the whole object that a create or an update sends; what strict decoding finds in it is refused, or a warning each. */
export async function readDocument(
  c: Context,
  written: WrittenKind,
  fieldValidation: FieldValidation,
): Promise<Read<SentDocument>> {
  const { resource } = written;
  const { kind } = resource;
  const body = await readBody(c, resource.bodyBytesMax);
  if (body.kind === 'refused') return { kind: 'bad', error: body.error };
  if (body.kind === 'empty') return unrecognised(kind, 'the body is empty');
  const { document } = body;
  if (document.kind === 'unreadable') return unrecognised(kind, toldReason(resource, document.reason));
  const refused = refusedFloats(written, document.floats ?? []);
  if (refused !== null) return { kind: 'bad', error: notAdmitted(resource, refused) };
  const { value } = document;
  if (fieldValidation === 'Ignore') return { kind: 'ok', value: { value, warnings: [] } };
  const faults = faultsOfObject(written.type, document, body.text);
  if (fieldValidation === 'Warn') return { kind: 'ok', value: { value, warnings: warningsOf(faults) } };
  // Admission refuses unknown fields, too, but names another kind and wrong types first.
  const isOfAdmission = isForeign(written, value) || isMistyped(written.type, value);
  if (!hasFaults(faults) || (document.kind === 'parsed' && isOfAdmission))
    return { kind: 'ok', value: { value, warnings: [] } };
  return { kind: 'bad', error: notAdmitted(resource, refusedStrictly(written, faults)) };
}

function isForeign({ apiVersion, resource }: WrittenKind, value: unknown): boolean {
  if (!isObject(value)) return true;
  const said = [own(value, 'apiVersion') ?? '', own(value, 'kind') ?? ''];
  return [apiVersion, resource.kind].some((wanted, i) => said[i] !== '' && said[i] !== wanted);
}

/** Why a text cannot be parsed. A parser cites what it reads. */
export const toldReason = ({ isConfidential }: Pick<Resource, 'isConfidential'>, reason: string): string =>
  isConfidential === true ? `it cannot be parsed: ${REDACTED}` : reason;

const unrecognised = (kind: string, reason: string): Read<never> => ({
  kind: 'bad',
  error: badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; ${reason}`,
  ),
});
