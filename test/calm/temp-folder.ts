import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives a run of the gate a temporary folder of its own, and returns what removes it: a test that fails halfway, or a worker that is
 * stopped, removes nothing itself. Vitest calls it once for each project before any worker starts; the folders lie in one another.
 */
export default function temporaryFolder(): () => void {
  const { TMPDIR: before } = process.env;
  const folder = mkdtempSync(join(tmpdir(), 'gate-')); // short: sockets have 107 bytes for their paths
  process.env['TMPDIR'] = folder;
  return () => {
    rmSync(folder, { recursive: true, force: true });
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  };
}
