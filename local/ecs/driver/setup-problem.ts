import type { Definition } from '../definition.ts';
import { type HostPlaces, hostPathsOf } from './host-paths.ts';
import { type SecretStores, readSecrets } from './secret-files.ts';

/** Why a task cannot be set up on this machine, in ECS's words; null if it can: its secrets are there, and so are its volumes. */
export function setupProblemOf(
  definition: Pick<Definition, 'containerDefinitions' | 'volumes'>,
  secrets: SecretStores,
  hosts: HostPlaces,
): string | null {
  for (const container of definition.containerDefinitions) {
    const read = readSecrets(container, secrets);
    if (read.kind === 'missing') return read.reason;
  }
  for (const { name, efsVolumeConfiguration, s3filesVolumeConfiguration } of definition.volumes ?? [])
    if (efsVolumeConfiguration !== undefined || s3filesVolumeConfiguration !== undefined)
      return notHere(name, efsVolumeConfiguration === undefined ? 'S3 Files' : 'EFS');
  const hostPaths = hostPathsOf(definition, hosts);
  return hostPaths.kind === 'refused' ? hostPaths.reason : null;
}

const notHere = (volume: string, service: string): string =>
  `ResourceInitializationError: MountVolume.SetUp failed for volume "${volume}" : a file system of ${service} is not mounted on this machine; use a PersistentVolumeClaim of the storage class "standard", or a hostPath that muster local --allow-host-path names`;
