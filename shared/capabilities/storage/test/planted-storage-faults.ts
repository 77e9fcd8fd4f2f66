import { type PlantedFault, one } from '../../../../test/planted/planted-fault.ts';

const SETTLE_CLAIM = 'shared/capabilities/storage/control/settle-claim.ts';
const SWEEP = 'shared/capabilities/storage/control/sweep-storage.ts';
const SETTLE_VOLUME = 'shared/capabilities/storage/control/settle-volume.ts';

/** Mistakes with volumes and claims. */
export const STORAGE_FAULTS: readonly PlantedFault[] = [
  one(
    'a volume is written over what others have written meanwhile',
    SETTLE_CLAIM,
    '{ key: found.key, was: found.version, document: bound }',
    "{ key: found.key, was: (await objects.read('PersistentVolume', found.key))?.version ?? 0, document: bound }",
    ['G27'],
  ),
  one(
    'a volume whose claim is gone is never given back by the sweep',
    SWEEP,
    'return (await settleVolumes(claims, seen, until, deps)) + (await settleClaims(claims, seen, until, deps));',
    'return settleClaims(claims, seen, until, deps);',
    ['G27'],
  ),
  one(
    'a binding of which one side is written stays so',
    SWEEP,
    'return (await settleVolumes(claims, seen, until, deps)) + (await settleClaims(claims, seen, until, deps));',
    'return settleVolumes(claims, seen, until, deps);',
    ['G27'],
  ),
  one(
    'the volume goes before its folder',
    SETTLE_VOLUME,
    '  await volumeFolders.remove(owner);\n',
    "  await objects.commit('PersistentVolume', { key: stored.key, was: stored.version, document: null });\n  await volumeFolders.remove(owner);\n",
    ['G27'],
  ),
];
