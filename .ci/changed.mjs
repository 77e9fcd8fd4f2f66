// Runs a tool over the files that differ from the main branch; in CI, over all of them. Type-aware rules take some 20 s for all
// files, which is too long to wait for after a change of three.
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

/** @param {RegExp} names @returns {string[]} files that changed since this branch left the main one, committed or not */
function changedFiles(names) {
  const [base = 'HEAD'] = ['origin/HEAD', 'main'].flatMap((branch) => git('merge-base', 'HEAD', branch));
  const files = [
    ...git('diff', '--name-only', '--diff-filter=d', base),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
  return files.filter((file) => names.test(file));
}

/** How each tool is called, which files it takes, and what it takes for all of them. */
const TOOLS = {
  biome: {
    args: ['format', '--colors=off', '--reporter=summary', '--no-errors-on-unmatched'],
    names: /\.(tsx?|css|mjs|cjs|json)$/,
    all: ['.'],
  },
  oxlint: { args: [], names: /\.(tsx?|mjs|cjs)$/, all: [] },
};

const [, , tool = ''] = process.argv;
const { args, names, all } = TOOLS[tool];
const isAll = process.env.CI !== undefined;
const files = isAll ? all : changedFiles(names);
if (!isAll && files.length === 0) {
  console.log(`No file differs from the main branch. CI=true runs ${tool} over all files.`);
} else {
  const { status, error } = spawnSync(tool, [...args, ...files], { stdio: 'inherit' });
  if (error !== undefined) console.error(`${tool} did not start: ${error.message}. Run this as \`npm run check\`.`);
  process.exitCode = status ?? 1;
}
