import { createCloudmapClient, sdkCloudmapCalls } from '../../../adapters/aws/cloudmap/sdk-cloudmap-calls.ts';
import type { Openers } from '../../../runtime/opened-ports.ts';
import { createCloudmap } from './cloudmap.ts';

/** AWS Cloud Map, where the installation has names for tasks. */
export const openCloudmap: NonNullable<Openers['hostnames']> = ({ names }, at, sleep) => {
  if (names === null) return null;
  const { namespaceId, zone, endpoint } = names;
  const client = createCloudmapClient(at(endpoint));
  return { client, port: createCloudmap({ calls: sdkCloudmapCalls(client), namespaceId, zone, sleep }) };
};
