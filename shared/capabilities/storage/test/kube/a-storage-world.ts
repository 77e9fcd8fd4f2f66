import { type World, aWorld } from '../../../../../test/kube/a-world.ts';
import { type FolderClaim, folderPath } from '../../domain/storage-objects.ts';
import type { VolumeFolders } from '../../ports/volume-folders.ts';

export const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
export const VOLUMES = '/api/v1/persistentvolumes';
export const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';

/** Folders that are only a list of names. */
function namedFolders(): VolumeFolders & { readonly there: Set<string> } {
  const there = new Set<string>();
  const root = '/data/volumes';
  const pathOf = (owner: FolderClaim): string => folderPath(root, owner);
  return {
    there,
    root,
    make: async (owner) => void there.add(pathOf(owner)),
    remove: async (owner) => void there.delete(pathOf(owner)),
  };
}

type Shown = Readonly<Record<string, never>> & {
  readonly metadata: Readonly<Record<string, never>>;
  readonly spec: Readonly<Record<string, never>>;
  readonly status: Readonly<Record<string, never>>;
};

/** What a call answers with, as an object. */
export const shown = async (response: Promise<Response> | Response): Promise<Shown> =>
  (await (await response).json()) as Shown;

/** A machine whose folders are volumes, or AWS. */
export async function aStorageWorld(place: 'machine' | 'aws' = 'aws') {
  const folders = namedFolders();
  const world: World = await aWorld(
    { hostFolders: place === 'machine' ? ['/srv'] : null },
    place === 'machine' ? { ports: { volumeFolders: folders } } : {},
  );
  const send = (method: string, path: string, body?: unknown, type = 'application/json') =>
    world.app.request(path, {
      method,
      headers: { 'content-type': type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    ...world,
    folders,
    put: (path: string, body: unknown) => send('PUT', path, body),
    patch: (path: string, body: unknown) => send('PATCH', path, body, 'application/merge-patch+json'),
    remove: (path: string) => send('DELETE', path),
    show: async (path: string) => shown(world.get(path)),
  };
}
