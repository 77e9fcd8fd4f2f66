import { type EpochMs, plusMs } from '../../../domain/base/time.ts';
import { decideVolume } from '../domain/decide-volume.ts';
import { claimIn, volumeIn } from '../domain/storage-objects.ts';
import type { StoredObject } from '../../../ports/object-store.ts';
import { allObjects } from '../../../store/every-object.ts';
import type { Deps } from '../../../control/process/deps.ts';
import {
  type Seen,
  type StorageDeps,
  bindingOf,
  isSettled,
  seeStorage,
  seeVolumes,
  settleClaim,
} from './settle-claim.ts';
import { afterStep, settleVolume } from './settle-volume.ts';

/** All sweeps have 55 seconds in total. */
const SWEPT_MS = 10_000;

/**
 * Finishes what calls have begun: volumes whose claims are gone, bindings of which one side is written, claims that wait for a volume
 * that is there. Every minute. Resolves to the number of volumes and claims that were looked at again. Where there are neither volumes
 * nor folders, nothing can be left to do.
 */
export async function sweepStorage(deps: Deps): Promise<number> {
  if (deps.ports.volumeFolders === undefined && (await seeVolumes(deps)).size === 0) return 0;
  const seen = await seeStorage(deps);
  const claims = await allObjects('PersistentVolumeClaim', null, deps.objects);
  const until = plusMs(deps.clock.now(), SWEPT_MS);
  return (await settleVolumes(claims, seen, until, deps)) + (await settleClaims(claims, seen, until, deps));
}

/** Looks at the claims of all namespaces that something is to be written for. */
export async function lookAtClaims(deps: StorageDeps): Promise<void> {
  const claims = await allObjects('PersistentVolumeClaim', null, deps.objects);
  if (claims.length > 0) await settleClaims(claims, await seeStorage(deps), plusMs(deps.clock.now(), SWEPT_MS), deps);
}

async function settleVolumes(
  claims: readonly StoredObject[],
  { volumes }: Seen,
  until: EpochMs,
  deps: StorageDeps,
): Promise<number> {
  const byKey = new Map(claims.map(({ key, document }) => [keyText(key), claimIn(document)]));
  let count = 0;
  for (const [name, { document }] of volumes) {
    const volume = volumeIn(document);
    const { claimRef } = volume.spec;
    const step = decideVolume(volume, (claimRef && byKey.get(keyText(claimRef))) ?? null);
    if (step.kind !== 'remove' && afterStep(volume, step, deps) === volume) continue;
    if (deps.clock.now() >= until) break;
    await settleVolume(name, deps);
    count++;
  }
  return count;
}

async function settleClaims(
  claims: readonly StoredObject[],
  seen: Seen,
  until: EpochMs,
  deps: StorageDeps,
): Promise<number> {
  let count = 0;
  for (const claim of claims) {
    if (isSettled(claim, bindingOf(claimIn(claim.document), seen, deps), deps)) continue;
    if (deps.clock.now() >= until) break;
    await settleClaim(claim.key, deps);
    count++;
  }
  return count;
}

const keyText = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;
