import type { KubeObject } from '../http/kube-object.ts';
import { ageOf } from '../list/ages.ts';
import { AGE, NAME, type Printer, text } from '../list/printer.ts';
import { at } from '../list/stored-field.ts';

/** ServiceAccounts as rows; they have no Secrets of their own. */
export const SERVICE_ACCOUNT_PRINTER: Printer<KubeObject> = {
  columns: [NAME, text('Secrets', 'How many Secrets it has.'), AGE],
  cells: ({ metadata }, now) => [metadata.name, '0', ageOf(metadata.creationTimestamp, now)],
};

/** ConfigMaps as rows. */
export const CONFIG_MAP_PRINTER: Printer<KubeObject> = {
  columns: [NAME, text('Data', 'How many values it has.'), AGE],
  cells: (object, now) => [
    object.metadata.name,
    String(Object.keys(at(object, 'data') ?? {}).length),
    ageOf(object.metadata.creationTimestamp, now),
  ],
};
