import { formatAge } from './age.ts';
import { type Looks, type Paint } from './looks.ts';
import { onOneLine } from './table.ts';

/** A finding as the server tells it. */
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
 * Findings for people, by subject in the order given: what it is, since when, and below it what to do. A sentence of
 * any length would burst a table's column, so each has lines of its own.
 */
export function findingList(findings: readonly ShownFinding[], nowMs: number, { paint }: Looks): string {
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
