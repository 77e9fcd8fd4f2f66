import { fieldErrorText } from '../../../../schema/object/field-error.ts';
import {
  type PlainForm,
  type PlainShape,
  admitPlain,
  admitPlainUpdate,
} from '../../../../schema/object/plain-admission.ts';

const UID = '00000000-0000-4000-8000-000000000000';
const STRICT = { fieldValidation: 'Strict' } as const;

/** A new object of a form: its contents, or its faults. */
export function admitted<T extends PlainShape>(form: PlainForm<T>, contents: object, metadata: object = {}): unknown {
  const { kind } = form.resource;
  const document = { apiVersion: 'v1', kind, metadata: { name: 'a', ...metadata }, ...contents };
  return said(admitPlain(form, document, { namespace: 'default', nameSuffix: 'abcde', ...STRICT }));
}

/** The same of one that takes the place of another. */
export function replaced<T extends PlainShape>(form: PlainForm<T>, before: object, contents: object): unknown {
  const { kind } = form.resource;
  const head = { apiVersion: 'v1', kind, metadata: { name: 'a', namespace: 'default' } };
  return said(
    admitPlainUpdate(
      form,
      { manifest: { ...head, content: { ...before } }, uid: UID },
      { ...head, ...contents },
      STRICT,
    ),
  );
}

function said(outcome: ReturnType<typeof admitPlain> | ReturnType<typeof admitPlainUpdate>): unknown {
  if (outcome.kind === 'ok') return outcome.manifest.content;
  if (outcome.kind === 'undecodable') return outcome.message;
  return outcome.errors.map((fault) => `${fault.path}: ${fieldErrorText(fault)}`);
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');
