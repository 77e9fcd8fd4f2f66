import type { DispatchMessage } from '../ports/queues.ts';
import type { Deps } from './deps.ts';

type HostsMessage = Extract<DispatchMessage, { kind: 'hosts' }>;

/** Brings the names of ten indexes in line with the tasks that they are of. */
export async function syncHosts(message: HostsMessage, { hosts }: Deps): Promise<void> {
  await hosts.readHosts(message.uid, message.row);
}
