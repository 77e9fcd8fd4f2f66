// Counts the words of one text. The completion index says which: index i takes line i + 1 of files.txt.
//
//   JOB_COMPLETION_INDEX   0..(lines of files.txt - 1)
//   MUSTER_WORKSPACE       the folder that all tasks share: holds files.txt and the texts, gets counts/<index>.json
//
// A word is what `tr -cs 'A-Za-z' '\n' | tr 'A-Z' 'a-z'` makes a line of its own: a run of the letters a to z, so "don't"
// is two words. The result depends on the text alone and appears under its name only when it is whole, so a second
// attempt at an index changes nothing. No packages: any image with node in it runs this file.

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const workspace = process.env.MUSTER_WORKSPACE ?? import.meta.dirname;
const files = readFileSync(join(workspace, 'files.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '');
const given = process.env.JOB_COMPLETION_INDEX ?? '';
const index = Number(given);
if (!/^\d+$/.test(given) || index >= files.length) {
  console.error(
    `JOB_COMPLETION_INDEX must be 0..${files.length - 1}, for files.txt has ${files.length} lines; it is '${given}'`,
  );
  process.exit(1);
}

const file = files[index];
const counts = countWords(readFileSync(join(workspace, file), 'latin1')); // one character a byte, as tr sees them
let total = 0;
for (const count of counts.values()) total += count;
const folder = join(workspace, 'counts');
mkdirSync(folder, { recursive: true });
writeWhole(join(folder, `${index}.json`), `${JSON.stringify({ file, counts: Object.fromEntries(counts) })}\n`);
console.log(`${file}: ${total} words, ${counts.size} different ones`);

/** How often each word occurs in a text, lower-cased. */
function countWords(text) {
  const found = new Map();
  for (const [word] of text.matchAll(/[A-Za-z]+/g)) {
    const lower = word.toLowerCase();
    found.set(lower, (found.get(lower) ?? 0) + 1);
  }
  return found;
}

/**
 * Writes a file so that nobody ever sees half of it. The draft's name is random, for a process id is not enough: every
 * container has a process 1.
 */
function writeWhole(path, text) {
  const draft = `${path}.${randomUUID()}.tmp`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}
