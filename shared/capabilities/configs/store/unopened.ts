import { type StoredKind, type StoredObject, UnreadableObject } from '../../../ports/object-store.ts';
import type { SealError } from '../ports/sealer.ts';

const ADVICE =
  'put back the key that it was sealed with, or delete the object, which needs no key, if it can be made again (docs/configs.md)';

/** A sealed object that the key of this installation does not open. */
export class Unopened extends UnreadableObject {
  constructor(kind: StoredKind, sealed: StoredObject, why: SealError) {
    const { namespace, name } = sealed.key;
    super(sealed, `${kind} ${namespace}/${name}`, 'the table', ADVICE, why);
  }
}
