import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(import.meta.dirname, '../../../docs/job-manifests.md');

/** The annotations in the first cells of the tables about Muster's own, in docs/job-manifests.md. */
export function annotationsOnPage(): readonly string[] {
  const section = /^## Muster's own annotations$([^]*?)^###? /m.exec(readFileSync(PAGE, 'utf8'))?.[1] ?? '';
  const cells = section.split('\n').flatMap((line) => /^\|(.*?)\|/.exec(line)?.[1] ?? []);
  return cells.flatMap((cell) => cell.match(/muster\.run\/[-a-z]+/g) ?? []);
}
