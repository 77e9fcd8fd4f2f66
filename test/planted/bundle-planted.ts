import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Plugin, build } from 'esbuild';
import type { Edit } from './planted-fault.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Bundles a program with edits in it; the sources stay as they are.
 *
 * @param outfile within the repository, so that packages resolve
 * @returns why an edit does not fit the code any more; null: all are in the bundle
 */
export async function bundlePlanted(edits: readonly Edit[], entry: string, outfile: string): Promise<string | null> {
  const unfit = new Map(edits.map((edit) => [edit, `stale: nothing needs ${edit.file}`]));
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    plugins: [planting(edits, unfit)],
  });
  const [why = null] = unfit.values();
  return why;
}

/** Changes files as they are read; leaves in `unfit` what does not fit the code any more. */
function planting(edits: readonly Edit[], unfit: Map<Edit, string>): Plugin {
  return {
    name: 'plant',
    setup(bundle) {
      // Only what is changed comes here: esbuild reads the rest by itself, in a fraction of the time.
      const files = edits.map(({ file }) => file.replaceAll('.', String.raw`\.`));
      if (files.length === 0) return;
      bundle.onLoad({ filter: new RegExp(`/(?:${files.join('|')})$`) }, async ({ path }) => {
        const here = edits.filter(({ file }) => join(ROOT, file) === path);
        if (here.length === 0) return null;
        let contents = await readFile(path, 'utf8');
        for (const edit of here) {
          const parts = contents.split(edit.find);
          if (parts.length === 2) unfit.delete(edit);
          else unfit.set(edit, `stale: ${edit.file} holds ${parts.length - 1} times: ${edit.find}`);
          contents = parts.join(edit.replace);
        }
        return { contents, loader: 'ts' };
      });
    },
  };
}
