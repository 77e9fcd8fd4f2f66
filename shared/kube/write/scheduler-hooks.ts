import { isTerminating } from '../../domain/manifests/namespace.ts';
import type { OwnerCommands } from '../../ports/owner-commands.ts';
import type { StoredDocument } from '../../ports/object-store.ts';
import type { Extent } from '../../schema/object/object-update.ts';
import type { AdmittedObject, KindHooks } from './stored-kind.ts';

/**
 * The hooks of a kind whose objects own Jobs: its scheduler is armed before each change that it must see, and woken afterwards.
 *
 * @param isNews whether it must see a change
 */
export const schedulerHooks = (
  { arm, wake, remove, finish }: OwnerCommands,
  isNews: (was: StoredDocument, is: StoredDocument, changed: Extent) => boolean,
): Omit<KindHooks<AdmittedObject>, 'objection'> => ({
  async beforeCreate({ document: { metadata } }) {
    await arm(metadata.uid, { namespace: metadata.namespace ?? '', name: metadata.name });
  },
  async afterCreate(created) {
    await wake(created.document.metadata.uid);
    return created;
  },
  async beforeReplace({ key, document: was }, document, changed) {
    if (isNews(was, document, changed)) await arm(was.metadata.uid, key);
  },
  async afterReplace({ document: was }, is, changed) {
    if (isNews(was, is.document, changed)) await wake(was.metadata.uid);
    // Without its last finalizer, a deleted object is gone.
    if (isTerminating(is.document)) await finish(is);
    return is;
  },
  beforeRemove: remove,
});
