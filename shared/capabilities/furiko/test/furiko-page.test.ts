import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../../..');
const TITLE = 'faults of Furiko that Muster does not have';

/** The first cells of the table below that heading. */
const faults = (readFileSync(join(ROOT, 'docs/furiko.md'), 'utf8').split(`## F${TITLE.slice(1)}`)[1] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.split(' | ')[0]?.slice(2) ?? '');

test('each fault of Furiko on its page is the name of a test', () => {
  const files = ['test', 'shared/capabilities/furiko/test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(ROOT, folder, file)),
  );
  const sources = files
    .filter((file) => file.endsWith('.test.ts') && file !== import.meta.filename)
    .map((file) => readFileSync(file, 'utf8'))
    .filter((text) => text.includes(`'${TITLE}'`));
  expect(faults.length).toBeGreaterThan(6);
  const isNamed = (fault: string): boolean =>
    sources.some((text) => text.includes(`'${fault}'`) || text.includes(`"${fault}"`));
  expect(faults.filter((fault) => !isNamed(fault))).toEqual([]);
});
