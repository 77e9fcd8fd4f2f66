import { CONFIG_READERS } from '../../capabilities/lists/config-readers.ts';
import type { ConfigReader } from '../../capabilities/configs/ports/config-reader.ts';

const NOTHING: ConfigReader = { read: async () => null };

/** What reads ConfigMaps and Secrets in a process with these ports. */
export const configReaderOf = (...from: Parameters<(typeof CONFIG_READERS)[number]>): ConfigReader =>
  CONFIG_READERS[0]?.(...from) ?? NOTHING;
