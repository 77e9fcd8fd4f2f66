import { indexText, indexWithin, itemsText } from '../../shared/domain/base/shown-index.ts';
import type { JobFailures } from '../client/api-objects.ts';
import { onOneLine, renderTable } from '../text/table.ts';

/** Groups shown in full; `muster doctor` has the others. */
const GROUPS_SHOWN = 3;
/** Thousands of unrelated indexes would hide the rest. */
const INDEXES_CHARS_MAX = 40;

/** Formats a Job's failures below its verdict: each cause, its indexes, and the end of one log. */
export function failureLines(failures: JobFailures | null): readonly string[] {
  const groups = failures?.groups ?? [];
  const shown = groups
    .slice(0, GROUPS_SHOWN)
    .flatMap((group) => [
      `  ${onOneLine(group.cause)}: ${whoOf(group)}`,
      ...group.example.log.map((line) => `    ${onOneLine(line)}`),
    ]);
  return groups.length > GROUPS_SHOWN ? [...shown, `  and ${groups.length - GROUPS_SHOWN} other causes`] : shown;
}

type Group = JobFailures['groups'][number];

function whoOf({ indexes, items, count, example }: Group): string {
  if (indexes === undefined) return count === 1 ? `Pod ${example.pod}` : `${count} Pods`;
  if (count === 1 && example.index !== undefined) return indexText(example.index, example.item ?? null);
  return `${count} indexes (${shortened(indexes)}${itemsText(count, items)})`;
}

const shortened = (text: string): string =>
  text.length <= INDEXES_CHARS_MAX ? text : `${text.slice(0, text.lastIndexOf(',', INDEXES_CHARS_MAX))},…`;

/** The same as a table, with the last line of one log; empty if nothing has failed. */
export function failureTable({ groups }: JobFailures): string {
  if (groups.length === 0) return '';
  const hasItems = groups.some(({ items }) => items.length > 0);
  return renderTable(
    ['FAILED', 'EXIT', 'INDEXES', ...(hasItems ? ['ITEMS'] : []), 'WHY', 'LAST LINE OF ITS LOG'],
    groups.map(({ count, exitCode, indexes = '<none>', items, cause, example }) => [
      String(count),
      exitCode === null ? '' : String(exitCode),
      shortened(indexes),
      ...(hasItems ? [itemsText(count, items).slice(2)] : []),
      cause,
      lastLineOf(example),
    ]),
  );
}

function lastLineOf({ index, item, log }: Group['example']): string {
  const last = log.at(-1);
  if (last === undefined) return '';
  return index === undefined ? last : `${last} (${indexWithin(index, item ?? null)})`;
}
