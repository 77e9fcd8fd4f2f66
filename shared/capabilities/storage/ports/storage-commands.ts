import type { Volume } from '../domain/storage-objects.ts';
import type { ObjectKey, StoredObject } from '../../../ports/object-store.ts';

declare module '../../../ports/extra-commands.ts' {
  interface CapabilityCommands {
    readonly storage: StorageCommands;
  }
}

/** What follows a change of a volume, a claim, or a class. Each call may be repeated; a sweep makes those that are missing. */
export type StorageCommands = {
  /** Whether this machine's folders can be volumes. */
  readonly hasFolders: boolean;
  /** The folder that was made for the claim of a volume; null: it is not such a volume. */
  folderOf(volume: Volume): string | null;
  /** A claim is new or has changed. @returns the claim as it is then; null: it is gone */
  claimChanged(key: ObjectKey): Promise<StoredObject | null>;
  /** A claim is gone. `volume`: what it named; '': nothing. */
  claimRemoved(volume: string): Promise<void>;
  /** A volume is new or has changed. @returns the volume as it is then; null: it is gone */
  volumeChanged(key: ObjectKey): Promise<StoredObject | null>;
  /** A volume is gone, or a class has come: claims may have to hear of it. */
  lookAtClaims(): Promise<void>;
};
