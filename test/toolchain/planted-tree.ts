import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** What each tool reads beside the sources. */
const SETTINGS = [
  'package.json',
  'tsconfig.json',
  '.dependency-cruiser.cjs',
  '.oxlintrc.json',
  'lint-rules.mjs',
  'biome.json',
  'knip.json',
  '.gitignore',
];

export type PlantedFile = { readonly path: string; readonly text: string };
export type Ran = { readonly exitCode: number; readonly output: string };

/** A copy of this repository's settings in a folder of its own, where faults can be planted without touching the real tree. */
export class PlantedTree {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Makes the tree.
   *
   * @param files what to plant; a later file replaces an earlier one of the same path
   * @param copied folders of the real tree to copy first, so that the faults stand among real code
   */
  static async with(files: readonly PlantedFile[], copied: readonly string[] = []): Promise<PlantedTree> {
    const folder = await mkdtemp(join(tmpdir(), 'muster-planted-'));
    await Promise.all(SETTINGS.map(async (name) => copyFile(join(ROOT, name), join(folder, name))));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await Promise.all(copied.map(async (name) => cp(join(ROOT, name), join(folder, name), { recursive: true })));
    for (const { path, text } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return new PlantedTree(folder);
  }

  /** Runs one tool of node_modules/.bin in the tree. A failing tool is an answer, not an error. */
  async run(tool: string, ...args: readonly string[]): Promise<Ran> {
    const program = join(ROOT, 'node_modules/.bin', tool);
    return new Promise((answer) => {
      execFile(program, args, { cwd: this.folder, maxBuffer: OUTPUT_BYTES_MAX }, (error, stdout, stderr) => {
        answer({ exitCode: error === null ? 0 : Number(error.code ?? 1), output: stdout === '' ? stderr : stdout });
      });
    });
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
