import { fork } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { build } from 'esbuild';
import type { Scenarios } from './child.ts';
import { familyRssBytes } from './processes.ts';

export const HERE = join(import.meta.dirname, '../..');

/** A bundle of the measuring process over the code of one checkout. */
export type Bundle = { readonly root: string; readonly file: string; remove(): void };

/** Figures of one scenario, and the most memory that its processes held together. */
export type Measured<F> = { readonly figures: F; readonly peakRssMb: number };

const SAMPLE_MS = 200;
/** What a bundle would break, or is a native binary: as in build.mjs. */
const NOT_BUNDLED = ['@dynoxide/linux-x64', 'fauxqs', 'lmdb'];
const PREAMBLE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url); process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';";

/**
 * Bundles the measuring process as users get the program, and with `root` for everything but the measuring itself. The
 * bundle lies in the checkout's node_modules, from where it finds the packages that are not in it.
 */
export async function bundleFor(root: string): Promise<Bundle> {
  const place = `${process.pid}-${root === HERE ? 'here' : 'there'}`;
  const folder = join(root, 'node_modules', '.cache', 'muster-bench', place);
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, 'child.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: NOT_BUNDLED,
    banner: { js: PREAMBLE },
    legalComments: 'none',
    logLevel: 'error',
    plugins: [
      {
        name: 'other-checkout',
        setup(bundling) {
          bundling.onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
            const wanted = join(resolveDir, path);
            const ours = relative(HERE, wanted);
            if (root === HERE || !/^(shared|local|functions)\//.test(ours)) return null;
            // What a checkout of another time does not know yet is ours, or fails when it is used.
            const theirs = placeIn(root, ours);
            return theirs === null ? null : { path: theirs };
          });
        },
      },
    ],
  });
  return { root, file: join(folder, 'child.mjs'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Files under the names that they had while a layer was one folder. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  'shared/runtime/memory-store.ts': 'shared/adapters/memory/store.ts',
  'shared/domain/base/ids.ts': 'shared/domain/brand.ts',
  'shared/domain/base/time.ts': 'shared/domain/brand.ts',
  'shared/domain/manifests/namespace.ts': 'shared/domain/namespace.ts',
  'shared/runtime/create-runtime.ts': 'shared/runtime/deps.ts',
};

/**
 * Where a file of ours lies in a checkout of another time: at its path, under its former name, or where the one file of
 * its name lies; null: it has none, or several of that name.
 */
export function placeIn(root: string, path: string): string | null {
  for (const known of [path, FORMER_NAMES[path]])
    if (known !== undefined && existsSync(join(root, known))) return join(root, known);
  const [part = ''] = path.split('/');
  const named = readdirSync(join(root, part), { recursive: true, encoding: 'utf8' }).filter(
    (each) => basename(each) === basename(path),
  );
  return named.length === 1 && named[0] !== undefined ? join(root, part, named[0]) : null;
}

/** Runs one scenario in a process of its own, so that none has what another has left in memory or has warmed up. */
export async function runChild<N extends keyof Scenarios>(
  bundle: Bundle,
  name: N,
  options: Parameters<Scenarios[N]>[0] | Record<string, never>,
): Promise<Measured<Awaited<ReturnType<Scenarios[N]>>>> {
  const child = fork(bundle.file, [name, JSON.stringify(options)], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let peak = 0;
  const sampling = setInterval(() => {
    if (child.pid !== undefined) peak = Math.max(peak, familyRssBytes(child.pid));
  }, SAMPLE_MS);
  try {
    const figures = await new Promise<unknown>((resolve, reject) => {
      child.once('message', resolve);
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(new Error(`${name} ended with ${signal ?? code ?? 'nothing'}`)));
    });
    return { figures: figures as Awaited<ReturnType<Scenarios[N]>>, peakRssMb: peak / 2 ** 20 };
  } finally {
    clearInterval(sampling);
    child.kill('SIGTERM');
  }
}
