// Bundles the command line into dist/muster.mjs, and the page that it serves into dist/ui. Runs as npm's `prepare`, so `npm ci` alone makes `npx muster` work.
// dist is a package, too: `npm pack ./dist` makes the file that `npm install -g` takes.
import { chmod, copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { bomOf } from './bom.mjs';
import { noticesOf } from './notices.mjs';
import { bundlePage } from './ui/bundle.mjs';

/** What becomes dist/NAME.mjs. */
const ENTRIES = { muster: 'cli/main.ts', demo: 'demo/main.ts' };
const OUT = 'dist';
const NOTICES = 'THIRD-PARTY-NOTICES.txt';
const BOM = 'bom.json';

/** Packages that stay in node_modules: two have native code, one starts a server whose logger finds its worker by file path. */
const NOT_BUNDLED = ['@dynoxide/linux-x64', 'fauxqs', 'lmdb'];
/** Only `--emulate-aws` needs it, and it brings four fifths of all packages: who wants it installs it (local/start-fault.ts). */
const ON_DEMAND = ['fauxqs'];
/**
 * Not ours to import: lmdb takes this version where it finds it. Not all platforms have one of the newest. light-my-request, which
 * fauxqs takes in a checkout, is pinned for the same reason: its newest asks for a newer Node than we do.
 */
const PINNED = ['msgpackr-extract'];

/** CommonJS packages inside an ES module still call require(). The SDK's word on Node 20 is for developers, not for users. */
const PREAMBLE = [
  '#!/usr/bin/env node',
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  "process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';",
].join('\n');

const startedMs = performance.now();
await rm(OUT, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ENTRIES,
  outdir: OUT,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true, // a command that is loaded with import() is parsed only when it is asked for
  chunkNames: 'chunks/[name]-[hash]',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: NOT_BUNDLED,
  banner: { js: PREAMBLE },
  legalComments: 'none', // the licences are in a file of their own
  metafile: true,
  logLevel: 'warning',
});
const page = await bundlePage(`${OUT}/ui`);
for (const name of Object.keys(ENTRIES)) await chmod(`${OUT}/${name}.mjs`, 0o755);
await writeContents();
await writePackage();
console.error(`${OUT}/muster.mjs built in ${Math.round(performance.now() - startedMs)} ms`);

/** Fails where a package may not be bundled. */
async function writeContents() {
  const { text, faults, packages } = await noticesOf({ inputs: { ...metafile.inputs, ...page.inputs } }, '.');
  if (faults.length > 0) throw new Error(faults.join('\n'));
  await writeFile(`${OUT}/${NOTICES}`, text);
  const bom = bomOf(JSON.parse(await readFile('package.json', 'utf8')), packages);
  await writeFile(`${OUT}/${BOM}`, `${JSON.stringify(bom, null, 2)}\n`);
}

/** What the bundles hold is not installed a second time, and nothing is built where it is installed. */
async function writePackage() {
  const whole = JSON.parse(await readFile('package.json', 'utf8'));
  const { name, version, description, license, type, engines } = whole;
  const pick = (packages, wanted) =>
    Object.fromEntries(Object.entries(packages).filter(([each]) => wanted.includes(each)));
  const always = [...NOT_BUNDLED.filter((each) => !ON_DEMAND.includes(each)), ...PINNED];
  const installed = {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin: { muster: 'muster.mjs' },
    files: ['muster.mjs', 'chunks', 'ui', NOTICES, BOM],
    dependencies: pick(whole.dependencies, always),
    optionalDependencies: pick(whole.optionalDependencies, always),
    peerDependencies: pick(whole.dependencies, ON_DEMAND),
    peerDependenciesMeta: Object.fromEntries(ON_DEMAND.map((each) => [each, { optional: true }])),
  };
  await writeFile(`${OUT}/package.json`, `${JSON.stringify(installed, null, 2)}\n`);
  for (const file of ['README.md', 'LICENSE']) await copyFile(file, `${OUT}/${file}`);
}
