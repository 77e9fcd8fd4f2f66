import type { EmbeddedPorts } from '../../../runtime/opened-ports.ts';
import { createCloudmap } from '../adapters/cloudmap.ts';

/** The embedded Cloud Map, called in this process: no AWS client is loaded. */
export const embedCloudmap: NonNullable<EmbeddedPorts['hostnames']> = ({ cloudmap }, sleep) =>
  createCloudmap({ ...cloudmap, sleep });
