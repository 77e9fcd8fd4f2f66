import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findKubectls, gapsOf } from '../kubectl/kubectls.ts';
import { type Block, blocksOf } from './blocks.ts';
import { STAYS, faultOf } from './paste-blocks.ts';
import { isVerifying } from '../verify/verifying.ts';

// Every block of every page is pasted whole into a shell, page by page, each in a fresh checkout.

const ROOT = resolve(import.meta.dirname, '../..');

/** Why a block that has this mark is not pasted. */
const NOT_RUN: Readonly<Record<string, string>> = {
  aws: 'it needs an AWS account, or a Muster that is deployed there',
  long: 'it takes minutes or hours: it is for who works on Muster, and `npm run verify` runs it',
  installs: 'it installs for the whole machine: test/e2e/bundles/installed.test.ts does it in a folder',
  tool: 'it needs a tool that others wrote: `npm run test:tools` installs and runs it',
  sample: 'it shows a state that takes hours or bad luck to get into; the words are tested beside the command',
};

/**
 * npm takes ten times as long to start as `muster` itself, which pages call two hundred times: these pages, which people see first,
 * show that `npx` finds it; in the others, it is called without npm.
 */
const WITH_NPM: readonly string[] = ['README.md', 'docs/run-locally.md'];

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((file) => `docs/${file}`),
  ...readdirSync(join(ROOT, 'examples')).map((folder) => `examples/${folder}/README.md`),
].filter((page) => page.endsWith('.md') && existsSync(join(ROOT, page)));
const blocks = pages.map((page) => ({ page, blocks: blocksOf(page, readFileSync(join(ROOT, page), 'utf8')) }));

const kubectl = findKubectls().at(-1);
if (kubectl === undefined && !isVerifying) console.warn(`SKIPPED: ${gapsOf([]).join('; ')}`);

test.runIf(isVerifying)('CI has a kubectl', () => {
  expect(kubectl).toBeDefined();
});

test('every mark of a block has a reason, and every reason a block', () => {
  const marks = blocks.flatMap((each) => each.blocks.flatMap(({ mark }) => mark ?? []));
  expect(new Set(marks)).toEqual(new Set([...Object.keys(NOT_RUN), STAYS]));
});

describe.runIf(kubectl !== undefined)('pasted', () => {
  test.concurrent.for(blocks.filter((each) => each.blocks.some(isRun)))('$page', async ({ page, blocks: ofPage }) => {
    const withNpm = WITH_NPM.includes(page);
    expect(await faultOf(ofPage.filter(isRun), { kubectl: kubectl!.path, withNpm })).toBeNull();
  });
});

function isRun({ mark }: Block): boolean {
  return mark === null || mark === STAYS;
}
