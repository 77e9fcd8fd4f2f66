// Bundles the page into FOLDER: index.html, and assets whose names have the hash of what is in them, so that they never change.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const SOURCE = import.meta.dirname;
const ENTRY = 'main.tsx';

/** @returns esbuild's metafile */
export async function bundlePage(folder) {
  const { metafile } = await build({
    entryPoints: [join(SOURCE, ENTRY)],
    outdir: folder,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    bundle: true,
    splitting: true, // a view is loaded when it is looked at
    minify: true,
    format: 'esm',
    target: ['chrome111', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none', // the licences are in a file of their own
    metafile: true,
    logLevel: 'warning',
  });
  const [script, entry] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(ENTRY));
  const page = (await readFile(join(SOURCE, 'index.html'), 'utf8'))
    .replace('{script}', basename(script))
    .replace('{style}', basename(entry.cssBundle));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'index.html'), page);
  return metafile;
}
