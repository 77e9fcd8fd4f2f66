import type { KubeObject } from '../http/kube-object.ts';
import { ageOf } from '../list/ages.ts';
import { AGE, NAME, type Printer, text } from '../list/printer.ts';
import { at } from '../list/stored-field.ts';

/** ConfigMaps as rows. */
export const CONFIG_MAP_PRINTER: Printer<KubeObject> = {
  columns: [NAME, text('Data', 'How many values it has.'), AGE],
  cells: (object, now) => [
    object.metadata.name,
    String(Object.keys(at(object, 'data') ?? {}).length),
    ageOf(object.metadata.creationTimestamp, now),
  ],
};
