import type { StoredKind } from '../../domain/kinds/api-kinds.ts';
import type { PlainAdmission } from '../object/plain-admission.ts';
import type { FieldValidation } from '../object/read-object.ts';

/** A kind whose objects limit what a namespace may have. */
export type NamespaceLimit = {
  readonly name: StoredKind;
  /** Admits an external document as a new object of the kind. */
  readonly admit: (
    document: unknown,
    context: { readonly namespace: string; readonly nameSuffix: string; readonly fieldValidation: FieldValidation },
  ) => PlainAdmission;
};
