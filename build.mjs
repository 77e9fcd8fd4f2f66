// Bundles the command line into dist/muster.mjs. Runs as npm's `prepare`, so `npm ci` alone makes `npx muster` work.
import { chmod, readFile, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { build } from 'esbuild';

const ENTRY = 'cli/main.ts';
const OUT = 'dist';

/** Packages that stay in node_modules: one is a native binary, the other starts a server whose logger finds its worker by file path. */
const NOT_BUNDLED = ['@dynoxide/linux-x64', 'fauxqs'];

if (!existsSync(ENTRY)) {
  console.log(`${ENTRY} is not there yet: nothing to build`);
  process.exit(0);
}

const startedMs = performance.now();
await rm(OUT, { recursive: true, force: true });
await build({
  entryPoints: { muster: ENTRY },
  outdir: OUT,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true, // a command that is loaded with import() is parsed only when it is asked for
  chunkNames: 'chunks/[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: NOT_BUNDLED,
  banner: { js: await preamble() },
  legalComments: 'external',
  logLevel: 'warning',
});
await chmod(`${OUT}/muster.mjs`, 0o755);
console.log(`${OUT}/muster.mjs built in ${Math.round(performance.now() - startedMs)} ms`);

/** CommonJS packages inside an ES module still call require(); the shebang must be the first line, once. */
async function preamble() {
  const require =
    "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";
  const entry = await readFile(ENTRY, 'utf8');
  return entry.startsWith('#!') ? require : `#!/usr/bin/env node\n${require}`;
}
