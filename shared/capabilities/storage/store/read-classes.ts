import { DEFAULT_NAMESPACE } from '../../../domain/manifests/namespace.ts';
import type { ObjectStore, StoredObject } from '../../../ports/object-store.ts';
import { allObjects } from '../../../store/every-object.ts';
import { STANDARD, standardClass } from '../domain/standard-class.ts';
import { type StorageClass, classIn } from '../domain/storage-objects.ts';

/** All classes that claims may name. `hasFolders`: this machine's folders are volumes. */
export async function readClasses(
  objects: Pick<ObjectStore, 'read' | 'list'>,
  hasFolders: boolean,
): Promise<readonly StorageClass[]> {
  const stored = (await allObjects('StorageClass', null, objects)).map(({ document }) => classIn(document));
  if (!hasFolders || stored.some(({ metadata }) => metadata.name === STANDARD)) return stored;
  return [...stored, classIn((await readStandard(objects)).document)];
}

/** The class of a machine, as old as the installation. Its uid follows from that of a namespace, so it stays the same object. */
export async function readStandard(objects: Pick<ObjectStore, 'read'>): Promise<StoredObject> {
  const home = await objects.read('Namespace', { namespace: '', name: DEFAULT_NAMESPACE });
  const uid = home?.document.metadata.uid ?? NO_UID;
  const bornAt = home?.document.metadata['creationTimestamp'];
  // Where a random UUID has its version; the account `default` has another digit there.
  const document = standardClass(
    `${uid.slice(0, 14)}9${uid.slice(15)}`,
    typeof bornAt === 'string' ? bornAt : UNKNOWN_AGE,
  );
  return { key: { namespace: '', name: STANDARD }, version: 0, document };
}

/** Of an installation whose namespace `default` cannot be read yet. */
const NO_UID = '00000000-0000-0000-0000-000000000000';
const UNKNOWN_AGE = '1970-01-01T00:00:00Z';
