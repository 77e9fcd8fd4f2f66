import type { KubeObject } from '../../../kube/http/kube-object.ts';
import { ageOf } from '../../../kube/list/ages.ts';
import { AGE, NAME, type Printer, text } from '../../../kube/list/printer.ts';
import { at, words } from '../../../kube/list/stored-field.ts';

const DATA = text('Data', 'How many values it has.');

/** ConfigMaps as rows. */
export const CONFIG_MAP_PRINTER: Printer<KubeObject> = {
  columns: [NAME, DATA, AGE],
  cells: (object, now) => [
    object.metadata.name,
    String(countIn(object, 'data') + countIn(object, 'binaryData')),
    ageOf(object.metadata.creationTimestamp, now),
  ],
};

/** Secrets as rows. */
export const SECRET_PRINTER: Printer<KubeObject> = {
  columns: [NAME, text('Type', 'What kind of values it has.'), DATA, AGE],
  cells: (object, now) => [
    object.metadata.name,
    words(at(object, 'type')),
    String(countIn(object, 'data')),
    ageOf(object.metadata.creationTimestamp, now),
  ],
};

const countIn = (object: KubeObject, field: string): number => Object.keys(at(object, field) ?? {}).length;
