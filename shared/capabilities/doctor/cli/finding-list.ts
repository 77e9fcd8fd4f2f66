import { formatAge } from '../../../../cli/text/age.ts';
import { type Theme, type Paint } from '../../../../cli/render/theme.ts';
import { onOneLine } from '../../../../cli/text/table.ts';

/** A finding as the server reports it. */
export type ShownFinding = {
  readonly severity: string;
  readonly kind: string;
  readonly subject: string;
  readonly what: string;
  readonly since: number | null;
  readonly remedy: string;
};

const PAINTS: Readonly<Record<string, Paint>> = { error: 'red', warning: 'yellow', info: 'dim' };
const INDENT = '  ';

/**
 * Formats findings for people, by subject in the given order: what is wrong, since when, and what to do. Each finding has
 * lines of its own, because a long sentence does not fit a table's column.
 */
export function findingList(findings: readonly ShownFinding[], nowMs: number, { paint }: Theme): string {
  const bySubject = new Map<string, ShownFinding[]>();
  for (const finding of findings) bySubject.set(finding.subject, [...(bySubject.get(finding.subject) ?? []), finding]);
  const widths = { severity: widest(findings, 'severity'), kind: widest(findings, 'kind') };
  return [...bySubject]
    .map(([subject, some]) => {
      const lines = some.map(({ severity, kind, what, since, remedy }) => {
        const word = onOneLine(severity).padEnd(widths.severity);
        const painted = paint[PAINTS[severity] ?? 'bold'](word);
        const age = since === null ? '' : ` (${formatAge(since, nowMs)})`;
        const head = `${INDENT}${painted}  ${onOneLine(kind).padEnd(widths.kind)}  ${onOneLine(what)}${age}\n`;
        return remedy === ''
          ? head
          : `${head}${INDENT}${' '.repeat(widths.severity + widths.kind + 4)}${onOneLine(remedy)}\n`;
      });
      return `${paint.bold(onOneLine(subject))}\n${lines.join('')}`;
    })
    .join('\n');
}

const widest = (findings: readonly ShownFinding[], key: 'severity' | 'kind'): number =>
  findings.reduce((most, finding) => Math.max(most, onOneLine(finding[key]).length), 0);
