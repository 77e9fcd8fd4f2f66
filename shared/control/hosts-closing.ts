import type { JobUid } from '../domain/brand.ts';
import type { Deps } from './deps.ts';

/** Removes all names of a Job that is over, and gives back what it had reserved. */
export async function closeHosts(uid: JobUid, { hosts }: Deps): Promise<void> {
  await hosts.release(uid);
}
