import { DEFAULT_ACCOUNT } from '../domain/callers/accounts.ts';
import type { ObjectKey, ObjectStore, StoredObject } from '../ports/object-store.ts';
import { defaultAccountOf } from './default-account.ts';

/** A ServiceAccount, stored or not: each namespace has one named default. null: there is none. */
export async function readAccount(key: ObjectKey, objects: Pick<ObjectStore, 'read'>): Promise<StoredObject | null> {
  const stored = await objects.read('ServiceAccount', key);
  if (stored !== null || key.name !== DEFAULT_ACCOUNT) return stored;
  const home = await objects.read('Namespace', { namespace: '', name: key.namespace });
  return home === null ? null : defaultAccountOf(home);
}
