import * as z from 'zod';
import type { CapabilityPorts } from '../../../ports/capability-ports.ts';
import type { ConfigReader, ConfigValues } from '../ports/config-reader.ts';
import type { ObjectKey, ObjectStore, StoredObject } from '../../../ports/object-store.ts';
import { ROOT_CA, rootCaOf } from './root-ca.ts';
import { sealedObjects } from './sealed-objects.ts';

const Values = z.record(z.string(), z.string()).default({});
const ConfigMapSchema = z.looseObject({ data: Values, binaryData: Values });
const SecretSchema = z.looseObject({ data: Values, type: z.string().default('') });

/** Reads the values of ConfigMaps and Secrets. */
export function createConfigReader({
  objects,
  ports,
}: {
  readonly objects: ObjectStore;
  readonly ports: Partial<CapabilityPorts>;
}): ConfigReader {
  const opened = sealedObjects(objects, ports);
  const rootCaIn = async ({ namespace, name }: ObjectKey): Promise<StoredObject | null> => {
    const home = name === ROOT_CA ? await objects.read('Namespace', { namespace: '', name: namespace }) : null;
    return home === null ? null : rootCaOf(home);
  };
  return {
    async read(kind, key) {
      const found = (await opened.read(kind, key)) ?? (kind === 'ConfigMap' ? await rootCaIn(key) : null);
      if (found === null) return null;
      const { version, document } = found;
      return {
        uid: document.metadata.uid,
        version,
        ...(kind === 'Secret' ? ofSecret(document) : { type: '', data: ofConfigMap(document) }),
      };
    },
  };
}

function ofSecret(document: unknown): Pick<ConfigValues, 'type' | 'data'> {
  const { type, data } = SecretSchema.parse(document);
  return { type, data: new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64')])) };
}

function ofConfigMap(document: unknown): ReadonlyMap<string, Uint8Array> {
  const { data, binaryData } = ConfigMapSchema.parse(document);
  return new Map([
    ...Object.entries(data).map(([key, value]) => [key, Buffer.from(value)] as const),
    ...Object.entries(binaryData).map(([key, value]) => [key, Buffer.from(value, 'base64')] as const),
  ]);
}
