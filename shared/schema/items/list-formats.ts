/** How a work list may be written: see `parseItems`. */
export const LIST_FORMATS = ['lines', 'words', 'csv', 'tsv', 'jsonl'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

const ENDINGS: Readonly<Record<string, ListFormat>> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  txt: 'lines',
};

/** The format that a file's name says; null: it says none. */
export const formatOfFile = (name: string): ListFormat | null =>
  ENDINGS[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''] ?? null;
