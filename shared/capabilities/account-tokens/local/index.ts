import type { OpenKeptPorts, OpenTaskTokens } from '../../../../local/local-part.ts';
import { openPodDoor } from './pod-door.ts';
import { openSigner } from './signer.ts';
import { taskTokens } from './pod-token-signer.ts';

/** Signs with a key of the data folder. */
export const openAccountTokens: OpenKeptPorts = (dataDir) => ({ accountTokens: openSigner(dataDir) });

/** Signs tokens for tasks with the same key, and opens a door to the API for containers, where they have a way to it. */
export const openTaskTokens: OpenTaskTokens = async ({ dataDir, deps, readAccount, gateway, warn }) => {
  const door =
    gateway === null
      ? null
      : await openPodDoor(dataDir, gateway).catch((error: unknown) => {
          warn('containers cannot call the API: nothing can listen where they would look for it', { gateway, error });
          return null;
        });
  return {
    tokens: taskTokens(openSigner(dataDir), deps, readAccount, door?.place ?? null),
    serve: (ask, upgrades) => door?.serve(ask, upgrades),
    close: async () => door?.close(),
  };
};
