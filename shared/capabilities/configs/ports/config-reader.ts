import type { ObjectKey } from '../../../ports/object-store.ts';

/** Values that tasks get of ConfigMaps and Secrets. */
export type ConfigReader = {
  /**
   * As it is stored now; null: it does not exist.
   *
   * @throws UnreadableRow for a Secret that cannot be opened
   */
  read(kind: 'ConfigMap' | 'Secret', key: ObjectKey): Promise<ConfigValues | null>;
};

export type ConfigValues = {
  readonly uid: string;
  /** Its resourceVersion. */
  readonly version: number;
  /** A Secret's; '': a ConfigMap has none. */
  readonly type: string;
  /** By key. */
  readonly data: ReadonlyMap<string, Uint8Array>;
};
