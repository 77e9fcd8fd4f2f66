import type { Deps } from '../../../control/process/deps.ts';
import type { StoredObject } from '../../../ports/object-store.ts';
import type { KeptPull } from '../ports/secret-copies.ts';
import { versionOf } from './object-version.ts';

/** Pages of copies that one sweep looks at. */
const PAGES_MAX = 20;

/**
 * Removes the copies of Secrets that are gone, hourly: what tasks read goes with the Secret. A Secret that is made anew meanwhile
 * gets its copy again before its next task. Credentials of registries are copied one by one, so those of an earlier version go, too.
 */
export async function sweepCopies({
  objects,
  clock,
  ports: { secretCopies },
}: Pick<Deps, 'objects' | 'clock' | 'ports'>): Promise<void> {
  if (secretCopies === undefined) return;
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const listed = await secretCopies.list(after);
    for (const secret of listed.secrets) {
      if ((await objects.read('Secret', secret)) === null) await secretCopies.remove(secret);
    }
    for (const pull of listed.pulls) {
      const { namespace, name } = pull;
      const now = clock.now();
      const step = stepFor(pull, await objects.read('Secret', { namespace, name }), now);
      if (step === 'remove') await secretCopies.removePull(pull);
      if (step === 'retire') await secretCopies.retirePull(pull, now);
    }
    if (listed.next === null) return;
    after = listed.next;
  }
}

/** A launch is repeated as it was for 45 minutes, and its task then pulls. */
const LAST_PULLS_MS = 2 * 60 * 60_000;

/** What is done with credentials of a version that is not, or no longer, the Secret's own. */
function stepFor(
  { version, retiredAtMs }: KeptPull,
  secret: StoredObject | null,
  now: number,
): 'keep' | 'retire' | 'remove' {
  if (secret === null) return 'remove';
  const { uid } = secret.document.metadata;
  if (version === versionOf({ uid, version: secret.version })) return 'keep';
  if (retiredAtMs === null) return 'retire';
  return now - retiredAtMs < LAST_PULLS_MS ? 'keep' : 'remove';
}
