import { USUAL_ZONE } from '../shared/names/bounds.ts';
import { createCloudmap, type Cloudmap } from './cloudmap/create-cloudmap.ts';

import { startDns } from './dns/dns-server.ts';
import { openAddresses } from './ecs/driver/addresses.ts';
import type { TaskNetwork } from './ecs/driver/task-network.ts';
import { keptPorts, portBefore, rememberPort } from './kept-port.ts';

export type TaskNames = {
  readonly cloudmap: Cloudmap;
  /** The network settings that tasks receive. */
  readonly network: TaskNetwork;
  close(): Promise<void>;
};

/**
 * Cloud Map, a DNS server that answers from it, and addresses for tasks. The server keeps its port across runtimes on a
 * folder, because tasks outlive runtimes, and calls `warn` if it could not. Names are stored only if Jobs are.
 * Otherwise they would belong to forgotten Jobs, and the next Job of the same name would find tasks that no longer
 * exist.
 */
export async function startTaskNames(
  dataDir: string,
  { region, jobsAreKept }: { readonly region: string; readonly jobsAreKept: boolean },
  warn: (message: string) => void,
): Promise<TaskNames> {
  const cloudmap = createCloudmap({ zone: USUAL_ZONE, dataDir: jobsAreKept ? dataDir : null, region, warn });
  try {
    const before = portBefore(dataDir, 'dns-port');
    const dns = await startDns(cloudmap, keptPorts(dataDir, 'dns-port'));
    if (before !== null && before !== dns.port)
      warn(`port ${before} is in use: tasks from before this start use it for DNS and get no answers`);
    rememberPort(dataDir, 'dns-port', dns.port);
    return {
      cloudmap,
      network: { addresses: await openAddresses(), dns: dns.address },
      async close() {
        await dns.close();
        cloudmap.close();
      },
    };
  } catch (error) {
    cloudmap.close();
    throw error;
  }
}
