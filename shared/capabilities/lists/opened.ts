import type { Openers } from '../../runtime/opened-ports.ts';
import { openCloudmap } from '../hostnames/adapters/index.ts';

/** What opens the ports of capabilities, on AWS. */
export const OPENERS: Openers = {
  hostnames: openCloudmap,
};
