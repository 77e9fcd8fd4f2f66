import type { FolderClaim } from '../domain/storage-objects.ts';

declare module '../../../ports/capability-ports.ts' {
  interface CapabilityPorts {
    /** Only where tasks run on this machine. */
    readonly volumeFolders: VolumeFolders;
  }
}

/** Folders of this machine that are volumes. All calls may be repeated. */
export type VolumeFolders = {
  /** What they are in. */
  readonly root: string;
  /** Makes it; only its owner may look into it. */
  make(owner: FolderClaim): Promise<void>;
  /** Removes it with all that is in it. */
  remove(owner: FolderClaim): Promise<void>;
};
