import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** The example that the demo runs. */
export const EXAMPLE = 'examples/mandelbrot';

/** Assembles the tiles in `workspace` as a user would: with a program of the example. Throws if it fails. */
export async function assemble(workspace: string): Promise<void> {
  const child = spawn(process.execPath, [join(EXAMPLE, 'assemble.mjs')], {
    env: { MUSTER_WORKSPACE: workspace },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((done, failed) => child.once('exit', done).once('error', failed));
  if (code !== 0) throw new Error(`${EXAMPLE}/assemble.mjs ended with ${String(code)}`);
}
