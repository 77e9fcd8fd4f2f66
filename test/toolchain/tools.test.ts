import { expect, test } from 'vitest';
import { PlantedTree } from './planted-tree.ts';

test.each([
  ['biome', ['format', '.'], 'shared/domain/planted.ts', 'export const  a=1'],
  [
    '../typescript-7/bin/tsc',
    ['-p', '.', '--incremental', 'false'],
    'shared/domain/planted.ts',
    "export const a: number = '1';\n",
  ],
  ['knip', [], 'shared/domain/planted.ts', 'export const nobodyNeedsThis = 1;\n'],
])('%s goes red over one bad file and is green without it', async (tool, args, path, text) => {
  const good = [
    { path: 'build.mjs', text: '' },
    { path: 'cli/main.ts', text: "console.log('ok');\n" },
  ];
  const [clean, planted] = [await PlantedTree.with(good), await PlantedTree.with([...good, { path, text }])];
  try {
    // knip also names the packages that this small tree does not need: compare what is said about the file.
    expect((await clean.run(tool, ...args)).output).not.toContain(path);
    const ran = await planted.run(tool, ...args);
    expect(ran.output).toContain(path);
    expect(ran.exitCode).toBeGreaterThan(0);
  } finally {
    await Promise.all([clean.remove(), planted.remove()]);
  }
});
