import { WORK_LIST_NAMING } from '../annotations/index.ts';
import {
  BOOL,
  INT32,
  INT64,
  STRING,
  STRINGS,
  atomicMapOf,
  field,
  listOf,
  object,
} from '../../../schema/kinds/field.ts';
import type { KindTable } from '../../../schema/kinds/kind-table.ts';

const MUSTER = 'run.muster.v1';

/** Muster's own kind: the items that the indexes of Jobs work on. */
export const WORK_LIST_SHAPES = {
  WorkList: {
    openapi: `${MUSTER}.WorkList`,
    description: `A list of items. A Job that names it with the annotation ${WORK_LIST_NAMING.workList.key} runs an index for each item; it keeps the items that the list has when the Job is created.`,
    apiVersion: 'muster.run/v1',
    jsonOnly: true,
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name, labels and annotations.'),
      spec: field(2, object('WorkListSpec'), 'Its items, or how they are made. It cannot be changed.'),
      status: field(3, object('WorkListStatus'), 'What it holds.'),
    },
  },
  WorkListSpec: {
    openapi: `${MUSTER}.WorkListSpec`,
    description: 'One of items, text, matrix, range, and itemsPerPart.',
    fields: {
      columns: field(1, STRINGS, 'Names of the values of an item. Each is a variable of the task.'),
      items: field(2, listOf(STRINGS), 'The items, each with a value for every column.'),
      text: field(3, STRING, 'The items as text.'),
      format: field(4, STRING, 'The form of text: lines (the default), words, csv, tsv or jsonl.'),
      header: field(5, BOOL, 'Whether the first line of text names the columns.'),
      skipEmpty: field(6, BOOL, 'Whether empty lines of text are left out. They are errors otherwise.'),
      matrix: field(
        7,
        atomicMapOf(STRINGS),
        'Values by name. The items are all combinations, in order of the names; the last name changes fastest.',
      ),
      include: field(
        8,
        listOf(atomicMapOf(STRING)),
        'Values that are added to combinations of matrix, or further items.',
      ),
      exclude: field(9, listOf(atomicMapOf(STRING)), 'Combinations of matrix that are left out.'),
      range: field(10, STRING, 'Numbers, such as 1-100:3 or 3,7,10-20:2.'),
      itemsPerPart: field(11, INT32, 'How many items each part has: they are sent to the subresource parts.'),
    },
  },
  WorkListStatus: {
    openapi: `${MUSTER}.WorkListStatus`,
    description: 'What a WorkList holds.',
    fields: {
      sealed: field(1, BOOL, 'Whether it is whole. Only then Jobs can name it.'),
      items: field(2, INT64, 'How many items it has.'),
      bytes: field(3, INT64, 'Their size in UTF-8, as lines.'),
      sha256: field(4, STRING, 'The hash of the hashes of its parts, a line each.'),
      longestItem: field(5, INT32, 'Characters of its longest item, as JSON.'),
    },
  },
} as const satisfies KindTable;
