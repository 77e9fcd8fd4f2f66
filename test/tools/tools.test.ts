import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findKubectls, gapsOf } from '../kubectl/kubectls.ts';
import { blocksOf } from '../pages/blocks.ts';
import { faultOf } from '../pages/paste-blocks.ts';
import { isVerifying } from '../verify/verifying.ts';
import { sectionsOf } from './sections.ts';

// The tools themselves, as `.ci/install-tools` installs them: what their sections and examples say is pasted whole.

const ROOT = resolve(import.meta.dirname, '../..');
const TOOLS = join(ROOT, '.tools');
const PAGE = 'docs/tools.md';

const page = readFileSync(join(ROOT, PAGE), 'utf8');
const sections = [...sectionsOf(page), ...readdirSync(join(ROOT, 'examples')).flatMap(exampleOf)].flatMap(
  ({ tool, text }) => {
    const blocks = blocksOf(tool, text).filter(({ mark }) => mark === 'tool');
    return blocks.length === 0 ? [] : [{ tool, blocks }];
  },
);
const kubectl = findKubectls().at(-1);

describe.each(sections)('$tool', ({ tool, blocks }) => {
  const programs = join(TOOLS, tool, 'bin');
  const isThere = existsSync(join(TOOLS, tool, 'pins')) && kubectl !== undefined;
  if (!isThere && !isVerifying) console.warn(`SKIPPED: ${tool}: ${[...gapsOf([]), '.ci/install-tools'].join('; ')}`);

  test.runIf(isThere || isVerifying)('does what its page says', async () => {
    expect(isThere).toBe(true);
    expect(await faultOf(blocks, { kubectl: kubectl!.path, withNpm: false, folders: [programs] })).toBeNull();
  });
});

/** The page of an example that is named after its tool. */
function exampleOf(folder: string): readonly { readonly tool: string; readonly text: string }[] {
  const path = join(ROOT, 'examples', folder, 'README.md');
  return existsSync(path) ? [{ tool: folder, text: readFileSync(path, 'utf8') }] : [];
}
