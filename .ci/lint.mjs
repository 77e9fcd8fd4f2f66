// Lints the files that differ from the main branch; in CI, all of them. Type-aware rules take some 20 s for all files, which is too
// long to wait for after a change of three.
import { execFileSync, spawnSync } from 'node:child_process';

/** @param {string[]} args @returns {string[]} the lines that git prints; none where it fails */
function git(...args) {
  try {
    const text = execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return text.split('\n').filter((line) => line !== '');
  } catch {
    return [];
  }
}

/** Files that changed since this branch left the main one, committed or not. */
function changedFiles() {
  const [base = 'HEAD'] = ['origin/HEAD', 'main'].flatMap((branch) => git('merge-base', 'HEAD', branch));
  const files = [
    ...git('diff', '--name-only', '--diff-filter=d', base),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
  return files.filter((file) => /\.(ts|mjs|cjs)$/.test(file));
}

const isAll = process.env.CI !== undefined;
const files = isAll ? [] : changedFiles();
if (!isAll && files.length === 0) {
  console.log('No file differs from the main branch. `npm run lint` checks all files.');
} else {
  const { status, error } = spawnSync('oxlint', files, { stdio: 'inherit' });
  if (error !== undefined) console.error(`oxlint did not start: ${error.message}. Run this as \`npm run check\`.`);
  process.exitCode = status ?? 1;
}
