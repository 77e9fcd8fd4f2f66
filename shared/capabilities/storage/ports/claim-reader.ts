import type { ClaimVolume } from '../../../domain/task/volumes/claim-volume.ts';

/** Tells what claims of storage stand for. */
export type ClaimReader = {
  /** What the PersistentVolumeClaim of this name stands for now. */
  read(claim: { readonly namespace: string; readonly name: string }): Promise<ClaimVolume>;
};
