// Adds up what the tasks have counted and prints the 20 commonest words, in the format and order of
// `sort | uniq -c | sort -k1,1nr -k2 | head -20`. Reads files.txt and counts/<index>.json in MUSTER_WORKSPACE (or, when
// that is not set, in this folder). Ends with 1 and says what is missing if a text has not been counted.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SHOWN_MAX = 20;
const COUNT_WIDTH = 7; // of GNU `uniq -c`

const workspace = process.env.MUSTER_WORKSPACE ?? import.meta.dirname;
const files = readFileSync(join(workspace, 'files.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '');
const total = new Map();
const missing = [];
for (const [index, file] of files.entries()) {
  const counts = readCounts(join(workspace, 'counts', `${index}.json`), file);
  if (counts === null) missing.push(`${index} (${file})`);
  else for (const [word, count] of Object.entries(counts)) total.set(word, (total.get(word) ?? 0) + count);
}
if (missing.length > 0) {
  console.error(`${missing.length} of ${files.length} texts have not been counted: ${missing.join(', ')}`);
  console.error('Has the Job completed?');
  process.exit(1);
}
const commonest = [...total].sort(([wordA, a], [wordB, b]) => b - a || (wordA < wordB ? -1 : 1)).slice(0, SHOWN_MAX);
for (const [word, count] of commonest) console.log(`${String(count).padStart(COUNT_WIDTH)} ${word}`);

/** The counts of one text, or null when there are none, or when they are of another text (files.txt was changed since). */
function readCounts(path, file) {
  let result;
  try {
    result = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
  return result.file === file ? result.counts : null;
}
