import { UnreadableRow } from '../../../domain/base/unreadable-row.ts';
import type { ObjectKey } from '../../../ports/object-store.ts';
import type { SealError } from '../ports/sealer.ts';

const ADVICE =
  'put back the key that it was sealed with, which everybody who keeps a copy of the table should keep, too; or delete its namespace, if it can be made again';

/** A sealed object that the key of this installation does not open. */
export class Unopened extends UnreadableRow {
  constructor(kind: string, { namespace, name }: ObjectKey, why: SealError) {
    super(`${kind} ${namespace}/${name}`, 'the table', ADVICE, why);
  }
}
