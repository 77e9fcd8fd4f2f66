import type { KubeObject } from '../../../kube/http/kube-object.ts';
import { ageOf } from '../../../kube/list/ages.ts';
import { AGE, NAME, type Printer, flag, text, wide } from '../../../kube/list/printer.ts';
import { at, listed, words } from '../../../kube/list/stored-field.ts';

const numberOf = (value: unknown): string => (typeof value === 'number' ? String(value) : '<none>');

/** WorkLists as rows. */
export const WORK_LIST_PRINTER: Printer<KubeObject> = {
  columns: [
    NAME,
    text('Items', 'How many items it has.'),
    flag('Sealed', 'Whether it is whole, so that Jobs can name it.'),
    AGE,
    wide('Bytes', 'The size of its items.'),
    wide('Columns', 'The names of the values of an item, as far as it says them.'),
    wide('SHA256', 'The hash of its items.'),
  ],
  cells: (list, now) => [
    list.metadata.name,
    numberOf(at(list, 'status', 'items')),
    at(list, 'status', 'sealed') === true ? 'True' : 'False',
    ageOf(list.metadata.creationTimestamp, now),
    numberOf(at(list, 'status', 'bytes')),
    listed(at(list, 'spec', 'columns'))
      .map(words)
      .join(',') || '<none>',
    words(at(list, 'status', 'sha256')).slice(0, 12) || '<none>',
  ],
};
