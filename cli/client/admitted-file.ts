import { at } from '../../shared/kube/list/stored-field.ts';
import { type FieldError, fieldErrorText } from '../../shared/schema/object/field-error.ts';
import type { Undecodable } from '../../shared/schema/object/read-object.ts';
import { EXIT, Failure } from '../shell/failure.ts';
import { onOneLine } from '../text/table.ts';

type Admission<M> =
  | { readonly kind: 'ok'; readonly manifest: M }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }
  | Undecodable;

/** What a server would know. */
export type FileContext = {
  readonly namespace: string;
  readonly uid: string;
  readonly nameSuffix: string;
  readonly fieldValidation: 'Strict';
};

/**
 * Judges an object of a file as the API would; what `kubectl get -o yaml` prints is good, too.
 *
 * @throws Failure with all that is wrong
 */
export function admittedFrom<M>(
  found: unknown,
  file: string,
  admit: (document: unknown, context: FileContext) => Admission<M>,
): M {
  const document = structuredClone(found);
  const metadata = at(document, 'metadata');
  if (typeof metadata === 'object' && metadata !== null) Reflect.deleteProperty(metadata, 'resourceVersion');
  const named = at(document, 'metadata', 'namespace');
  const namespace = typeof named === 'string' && named !== '' ? named : 'default';
  const admission = admit(document, { namespace, uid: '', nameSuffix: 'a1b2c', fieldValidation: 'Strict' });
  const head = `error: ${nameOfFile(file)} is refused:`;
  switch (admission.kind) {
    case 'ok':
      return admission.manifest;
    case 'undecodable':
      throw new Failure(`${head} ${onOneLine(admission.message)}`, EXIT.usage);
    case 'invalid': {
      const lines = admission.errors.map((each) => onOneLine(`${each.path}: ${fieldErrorText(each)}`));
      const text = lines.length === 1 ? `${head} ${lines[0]}` : [head, ...lines.map((l) => `* ${l}`)].join('\n');
      throw new Failure(text, EXIT.usage);
    }
  }
}

export const nameOfFile = (file: string): string => (file === '-' ? 'standard input' : file);
