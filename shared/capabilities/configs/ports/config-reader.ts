import type { ObjectKey } from '../../../ports/object-store.ts';

/** Reads ConfigMaps and Secrets as tasks need them. */
export type ConfigReader = {
  /** null: there is none. */
  read(kind: 'ConfigMap' | 'Secret', key: ObjectKey): Promise<ReadConfig | null>;
};

export type ReadConfig = {
  readonly uid: string;
  readonly version: number;
  /** Bytes by key. */
  readonly data: ReadonlyMap<string, Uint8Array>;
};

declare module '../../../ports/capability-ports.ts' {
  interface CapabilityPorts {
    readonly configReader: ConfigReader;
  }
}
