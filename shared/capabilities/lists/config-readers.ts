import type { CapabilityPorts } from '../../ports/capability-ports.ts';
import type { ConfigReader } from '../configs/ports/config-reader.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import { createConfigReader } from '../configs/store/index.ts';

type From = { readonly objects: ObjectStore; readonly ports: Partial<CapabilityPorts> };

/** What reads values for tasks: the first. None: there are no ConfigMaps and no Secrets. */
export const CONFIG_READERS: readonly ((from: From) => ConfigReader)[] = [createConfigReader];
