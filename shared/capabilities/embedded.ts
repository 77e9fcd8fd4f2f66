import type { EmbeddedPorts } from '../runtime/opened-ports.ts';
import { embedCloudmap } from './hostnames/embedded/index.ts';

/** What makes the ports of capabilities of services that run in this process. */
export const EMBEDDED_PORTS: EmbeddedPorts = {
  hostnames: embedCloudmap,
};
