import type { Deps } from '../../../control/process/deps.ts';

/** Pages of copies that one sweep looks at. */
const PAGES_MAX = 20;

/**
 * Removes the copies of Secrets that are gone, hourly: what tasks read goes with the Secret. A Secret that is made anew meanwhile
 * gets its copy again before its next task.
 */
export async function sweepCopies({
  objects,
  ports: { secretCopies },
}: Pick<Deps, 'objects' | 'ports'>): Promise<void> {
  if (secretCopies === undefined) return;
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const listed = await secretCopies.list(after);
    for (const secret of listed.secrets) {
      if ((await objects.read('Secret', secret)) === null) await secretCopies.remove(secret);
    }
    if (listed.next === null) return;
    after = listed.next;
  }
}
